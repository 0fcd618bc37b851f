//===- Summary.tsx - The first screen -------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Whether the network is good enough, what it costs, which layers matter and
// what to do about them.
//===----------------------------------------------------------------------===//
import { Fragment } from "preact";
import type { Build, Data, Layer } from "../data";
import {
  decidingCosine,
  lossAlone,
  lossOfOutputs,
  mainTable,
  whyNoShares,
} from "../data";
import { hrefOf } from "../store";
import type { Accuracy, Diagnosis, Row } from "../types";
import { numberText, plural, timeText } from "../ui/format";
import { LayerLink, Name, Value, VerdictMark } from "../ui/Value";
import { causeOf, metricName, originOf } from "../ui/words";
import { Stages } from "./Stages";
import { Suggestions } from "./Suggestions";

export function SummaryView(props: { data: Data }) {
  const build = props.data.main;
  return (
    <>
      <Verdict build={build} />
      <div class="columns">
        {build.accuracy && <MetricTable accuracy={build.accuracy} />}
        <Facts build={build} />
      </div>
      <Reasons build={build} />
      <Suggestions suggestions={build.analysis?.suggestions ?? []} />
      <Stages stages={build.analysis?.waterfall ?? []} />
    </>
  );
}

/// The task decides if it was measured; the outputs, if not.
export function Verdict(props: { build: Build }) {
  const { accuracy, analysis } = props.build;
  if (accuracy)
    return (
      <p class="lead">
        <VerdictMark of={accuracy.verdict} />{" "}
        {accuracy.sentence.replace(/^(good|bad|undecided)[:,]\s*/, "")}.
      </p>
    );
  if (!analysis)
    return (
      <p class="notice">
        This build has no precision analysis. Set quant.precision_analysis and
        build again.
      </p>
    );
  return (
    <ul class="lead">
      {analysis.outputs.map((output) => (
        <li key={`${output.mode} ${output.tensor}`}>
          <VerdictMark of={output.verdict} /> {output.mode}:{" "}
          <LayerLink tensor={output.tensor} />
          {output.reason && `: ${output.reason}`}
        </li>
      ))}
    </ul>
  );
}

export function MetricTable(props: { accuracy: Accuracy }) {
  const { accuracy } = props;
  const metrics = Object.keys(accuracy.networks[0]?.metrics ?? {});
  return (
    <div class="panel wide">
      <table class="plain">
        <caption>
          {accuracy.task} on {plural(accuracy.samples, "sample")}, with 95 %
          intervals
        </caption>
        <thead>
          <tr>
            <th scope="col">Metric</th>
            {accuracy.networks.map(({ network }) => (
              <th key={network} scope="col" class="number">
                {network}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {metrics.map((id) => (
            <tr key={id}>
              <th scope="row">{metricName(id)}</th>
              {accuracy.networks.map(({ network, metrics: of }, i) => (
                <td key={network} class="number">
                  <Value of={of[id]?.value.value} kind="metric" />
                  <small>
                    {numberText(of[id]?.value.low, "metric")} …{" "}
                    {numberText(of[id]?.value.high, "metric")}
                  </small>
                  {i > 0 && (
                    <small>
                      loses <Value of={of[id]?.loss.value} kind="metric" />
                      <br />
                      {numberText(of[id]?.loss.low, "metric")} …{" "}
                      {numberText(of[id]?.loss.high, "metric")}
                    </small>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="soft">
        {metricName(accuracy.metric)} decides; a loss of{" "}
        <Value of={accuracy.tolerable_loss} kind="metric" /> is tolerable.{" "}
        {accuracy.changed_count > 0 &&
          `${plural(accuracy.changed_count, "sample")} changed.`}
      </p>
    </div>
  );
}

/// A network may have hundreds of outputs; all are in Layers.
const mostOutputs = 4;

/// A layer of several results has its cycles once.
function cyclesOfLayers(layers: readonly Layer[]): number {
  const own = new Map<string, number>();
  for (const { operator, cycles } of layers)
    own.set(operator, Math.max(own.get(operator) ?? 0, cycles));
  return [...own.values()].reduce((sum, cycles) => sum + cycles, 0);
}

function Facts(props: { build: Build }) {
  const { report, analysis, target, lowering, layers } = props.build;
  const cycles = report.total_cycles;
  const clock = target?.clock_mhz;
  // Without an analysis the cycles of layers are not known.
  const processors =
    cycles && layers.length > 0 ? cycles - cyclesOfLayers(layers) : 0;
  const table = mainTable(props.build);
  const outputs = layers
    .filter((layer) => layer.isOutput)
    .slice(0, mostOutputs);
  return (
    <dl class="panel facts">
      {cycles !== undefined && cycles > 0 && (
        <>
          <dt>Cycles</dt>
          <dd>
            <Value of={cycles} kind="integer" />
            {clock && ` (${timeText(cycles / clock / 1e6)} at ${clock} MHz)`}
            {processors > 0 && (
              <span class="soft">
                , <Value of={processors} kind="integer" /> of them for input
                processors, which are in no table of layers
              </span>
            )}
          </dd>
        </>
      )}
      {table &&
        outputs.map((layer) => (
          <Fragment key={layer.tensor}>
            <dt>
              Cosine of <LayerLink tensor={layer.tensor} most={24} />
            </dt>
            <dd>
              <CosineOfOutput row={layer.rows[table]} />
              <span class="soft"> {table}</span>
            </dd>
          </Fragment>
        ))}
      {analysis && (
        <>
          <dt>Compared on</dt>
          <dd>
            {plural(analysis.samples, "sample")},{" "}
            {originOf(analysis.sample_origin)}
          </dd>
        </>
      )}
      {analysis && table && (
        <>
          <dt>Layers below {analysis.thresholds.layer} by themselves</dt>
          <dd>
            <Below build={props.build} />
          </dd>
        </>
      )}
      {lowering && (
        <>
          <dt>Lowered to</dt>
          <dd>
            {plural(lowering.integer_layers, "integer layer")},{" "}
            {plural(lowering.float_layers, "float layer")},{" "}
            {plural(lowering.movements, "movement")}
          </dd>
        </>
      )}
      {analysis && (
        <>
          <dt>Bits that differ from Reference</dt>
          <dd>{differencesText(props.build)}</dd>
        </>
      )}
      <dt>Tool</dt>
      <dd>
        {report.tool} {report.commit?.slice(0, 12)}
      </dd>
    </dl>
  );
}

/// The whole output, and its weakest channels if these decide.
function CosineOfOutput(props: { row: Row | undefined }) {
  const { row } = props;
  const weakest = row && decidingCosine(row);
  return (
    <>
      <Value of={row?.similarity} kind="cosine" />
      {weakest !== row?.similarity && (
        <>
          , <Value of={weakest} kind="cosine" /> in its weakest channels
        </>
      )}
    </>
  );
}

/// Bits are compared where both engines were analyzed.
function differencesText(build: Build): string {
  const count = build.analysis?.differences.length ?? 0;
  if (count > 0) return `in ${plural(count, "layer")}`;
  const has = (mode: string) => build.tables.some((key) => key.endsWith(mode));
  return has("Reference") && has("NPUBackend") ? "none" : "not compared";
}

function Below(props: { build: Build }) {
  const { tables, layers, analysis } = props.build;
  const key = tables.filter((table) => table.startsWith("PerLayer")).at(-1);
  if (!key || !analysis) return <>not measured</>;
  const rows = layers.filter((layer) => !layer.isInput && layer.rows[key]);
  const bad = rows.filter(
    (layer) => layer.rows[key]!.similarity < analysis.thresholds.layer,
  );
  // A layer may have several results.
  const count = (some: Layer[]) =>
    new Set(some.map(({ operator }) => operator)).size;
  return (
    <a href={hrefOf("layers")}>
      {numberText(count(bad), "integer")} of{" "}
      {numberText(count(rows), "integer")}
    </a>
  );
}

function Reasons(props: { build: Build }) {
  const { analysis, layers } = props.build;
  if (!analysis) return null;
  const diagnoses = analysis.diagnoses.slice(0, 3);
  if (diagnoses.length === 0) {
    const first = layers
      .filter((layer) => layer.attribution)
      .sort((a, b) => b.attribution!.alone - a.attribution!.alone)
      .slice(0, 3);
    return (
      <section>
        <h2>Layers that matter</h2>
        <p>
          No layer needs a change.{" "}
          {first.length > 0 && "These cause most of what is lost:"}
        </p>
        <ol class="reasons">
          {first.map((layer) => (
            <li key={layer.tensor}>
              <LayerLink tensor={layer.tensor} text={layer.operator} />
              <Share
                loss={layer.attribution!.alone}
                of={lossAlone(props.build)}
              />
            </li>
          ))}
        </ol>
      </section>
    );
  }
  return (
    <section>
      <h2>Layers that matter</h2>
      <ol class="reasons">
        {diagnoses.map((diagnosis) => (
          <Reason
            key={`${diagnosis.tensor} ${diagnosis.cause}`}
            build={props.build}
            diagnosis={diagnosis}
          />
        ))}
      </ol>
      {analysis.diagnoses.length > diagnoses.length && (
        <p class="soft">
          {plural(
            analysis.diagnoses.length - diagnoses.length,
            "more diagnosis",
            "more diagnoses",
          )}{" "}
          in <a href={hrefOf("layers")}>Layers</a>, column Cause.
        </p>
      )}
    </section>
  );
}

function Reason(props: { build: Build; diagnosis: Diagnosis }) {
  const { diagnosis } = props;
  const { meaning, advice } = causeOf(diagnosis.cause);
  return (
    <li>
      <div>
        <LayerLink tensor={diagnosis.tensor} text={diagnosis.operator} />{" "}
        <span class="tag" title={meaning}>
          {diagnosis.cause}
        </span>
        {whyNoShares(props.build) === undefined && (
          <Share loss={diagnosis.loss} of={lossOfOutputs(props.build)} />
        )}
      </div>
      <div>
        {meaning}: <Name of={diagnosis.facts} most={400} />.
      </div>
      <div class="soft">{advice}</div>
    </li>
  );
}

/// A part of what is lost, as the tool prints it.
function Share(props: { loss: number; of: number | undefined }) {
  const { loss, of: all } = props;
  if (all === undefined || !(all > 0) || !(loss > 0)) return null;
  const share = Math.min(1, loss / all);
  return <span class="soft"> {numberText(share, "percent")} of the loss</span>;
}
