//===- Layer.tsx - All that is known of one layer -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Errors, distributions, arithmetic, differing bits and neighbours of the
// selected layer.
//===----------------------------------------------------------------------===//
import { Fragment } from "preact";
import type { ComponentChildren } from "preact";
import type { Build, Data, Layer } from "../data";
import { rowWith, whyNoShares } from "../data";
import { hrefOf, selectedTensor } from "../store";
import { CopyButton } from "../ui/CopyButton";
import { numberText, rangeText, shapeText } from "../ui/format";
import { fileLink, liesIn } from "../ui/links";
import { LayerLink, Name, Value } from "../ui/Value";
import { causeOf } from "../ui/words";
import {
  ChannelRanges,
  HistogramChart,
  SeriesChart,
  WeightRanges,
} from "./LayerCharts";
import { Bits, Summaries } from "./LayerTables";

/// The selected layer; without one, the layer that matters most.
function layerToShow(build: Build): Layer {
  const named = build.byTensor.get(selectedTensor.value ?? "");
  const worst = build.byTensor.get(build.analysis?.diagnoses[0]?.tensor ?? "");
  return named ?? worst ?? build.layers[0]!;
}

export function LayerView(props: { data: Data }) {
  const build = props.data.main;
  const layer = layerToShow(build);
  return (
    <>
      <Title build={build} layer={layer} />
      <Reasons layer={layer} />
      <div class="columns">
        <Errors build={build} layer={layer} />
        <Arithmetic layer={layer} />
      </div>
      <Charts key={layer.tensor} build={build} layer={layer} />
      <Summaries layer={layer} />
      {layer.difference && (
        <Bits
          difference={layer.difference}
          names={build.analysis!.sample_names}
        />
      )}
    </>
  );
}

function Title(props: { build: Build; layer: Layer }) {
  const { build, layer } = props;
  const previous = build.layers[layer.index - 1];
  const next = build.layers[layer.index + 1];
  return (
    <>
      <p class="steps">
        {previous ? (
          <a href={hrefOf("layer", previous.tensor)}>← Previous</a>
        ) : (
          "← Previous"
        )}
        <span class="soft">
          {layer.index + 1} of {build.layers.length}
        </span>
        {next ? <a href={hrefOf("layer", next.tensor)}>Next →</a> : "Next →"}
      </p>
      <h2 class="title">
        <Name of={layer.operator} most={120} />{" "}
        <span class="tag">{layer.type}</span>
        {layer.isOutput && (
          <span class="tag" title="A result of the network">
            output
          </span>
        )}
      </h2>
      <dl class="facts">
        <dt>Tensor</dt>
        <dd>
          <Name of={layer.tensor} most={160} />, {shapeText(layer.shape)}
        </dd>
        <dt>Fed by</dt>
        <dd>
          <Links
            layers={layer.producers}
            empty={layer.isInput ? "the user" : "constants"}
          />
        </dd>
        <dt>Read by</dt>
        <dd>
          <Links
            layers={layer.readers}
            empty={layer.isOutput ? "the user" : "none of the compared layers"}
          />
        </dd>
        <ModelFiles build={build} layer={layer} />
      </dl>
    </>
  );
}

/// The models that Netron opens, and the name to look for there.
function ModelFiles(props: { build: Build; layer: Layer }) {
  const { compiled, qdq } = props.build.report.files ?? {};
  const files = [compiled, qdq].filter((file) => file !== undefined);
  if (files.length === 0 || props.layer.isInput) return null;
  const links = liesIn(location.href, props.build.report.folder);
  return (
    <>
      <dt>In Netron</dt>
      <dd>
        {files.map((file, i) => (
          <Fragment key={file}>
            {i > 0 && ", "}
            {links ? (
              <a href={fileLink(file)} download>
                <Name of={file} most={60} />
              </a>
            ) : (
              <Name of={file} most={60} />
            )}
          </Fragment>
        ))}{" "}
        <CopyButton text={() => props.layer.operator} label="Copy layer name" />
      </dd>
    </>
  );
}

function Links(props: { layers: readonly Layer[]; empty: string }) {
  if (props.layers.length === 0) return <>{props.empty}</>;
  return (
    <ul class="links">
      {props.layers.map((layer) => (
        <li key={layer.tensor}>
          <LayerLink tensor={layer.tensor} text={layer.operator} />
          <span class="soft"> {layer.type}</span>
        </li>
      ))}
    </ul>
  );
}

function Reasons(props: { layer: Layer }) {
  const { diagnoses, suggestions } = props.layer;
  if (diagnoses.length + suggestions.length === 0) return null;
  return (
    <ul class="notice">
      {diagnoses.map((diagnosis) => (
        <li key={diagnosis.cause}>
          <span class="tag" title={causeOf(diagnosis.cause).meaning}>
            {diagnosis.cause}
          </span>{" "}
          {causeOf(diagnosis.cause).meaning}:{" "}
          <Name of={diagnosis.facts} most={400} />.{" "}
          <span class="soft">{causeOf(diagnosis.cause).advice}</span>
        </li>
      ))}
      {suggestions.length > 0 && (
        <li>
          Part of the suggestion{" "}
          <a href={hrefOf("summary")}>
            {suggestions.map((suggestion) => suggestion.title).join("; ")}
          </a>
          .
        </li>
      )}
    </ul>
  );
}

function Errors(props: { build: Build; layer: Layer }) {
  const { build, layer } = props;
  const names = build.analysis?.sample_names ?? [];
  const rows = build.tables.flatMap((key) => {
    const row = layer.rows[key];
    return row ? [{ key, row }] : [];
  });
  const at = (index: number, name: string, cosine: number) =>
    index < 0 ? (
      "–"
    ) : (
      <>
        <Value of={cosine} kind="cosine" />
        <small>
          <Name of={name} most={24} />
        </small>
      </>
    );
  return (
    <div class="panel widest">
      <table class="plain">
        <caption>Errors: float against quantized</caption>
        <thead>
          <tr>
            <th scope="col">Table</th>
            {[
              "Cosine",
              "SQNR",
              "MSE",
              "Max steps",
              "Worst sample",
              "Worst channel",
              "Saturated",
              "Dead",
            ].map((head) => (
              <th key={head} scope="col" class="number">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, row }) => (
            <tr key={key}>
              <th scope="row">{key}</th>
              <td class="number">
                <Value of={row.similarity} kind="cosine" />
              </td>
              <td class="number">
                <Value of={row.sqnr_db} kind="decibel" />
              </td>
              <td class="number">
                <Value of={row.mse} />
              </td>
              <td class="number">
                <Value of={row.max_steps} />
              </td>
              <td class="number">
                {at(
                  row.worst_sample,
                  names[row.worst_sample] ?? String(row.worst_sample),
                  row.worst_sample_cosine,
                )}
              </td>
              <td class="number">
                {at(
                  row.worst_channel,
                  `channel ${row.worst_channel}`,
                  row.worst_channel_cosine,
                )}
              </td>
              <td class="number">
                <Value of={row.saturated} kind="percent" />
              </td>
              <td class="number">
                <Value of={row.dead_channels} kind="integer" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {whyNoShares(build) !== undefined && (
        <p class="soft">{whyNoShares(build)}</p>
      )}
      {layer.attribution && (
        <p class="soft">
          Alone it would lose <Value of={layer.attribution.alone} /> of the
          outputs' cosine; its part of the measured loss is{" "}
          <Value of={layer.attribution.total} /> (weights{" "}
          <Value of={layer.attribution.weights} />, activations{" "}
          <Value of={layer.attribution.activations} />
          ).
        </p>
      )}
    </div>
  );
}

function Fact(props: { title: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{props.title}</dt>
      <dd>{props.children}</dd>
    </>
  );
}

function Arithmetic(props: { layer: Layer }) {
  const { layer } = props;
  const { accumulator, calibration } = layer;
  const codes = rowWith(layer, "codes")?.value;
  const valueOf = (code: number) =>
    codes && (code - codes.zero_point) * codes.scale;
  return (
    <dl class="panel facts">
      <Fact title="Types">
        {layer.dtype} as {layer.qdtype}
        {layer.weights.map((weights) => (
          <span key={weights.tensor}>
            , weights <Name of={weights.tensor} most={28} /> {weights.qdtype}
          </span>
        ))}
      </Fact>
      {codes && (
        <>
          <Fact title="Scale, zero point">
            <Value of={codes.scale} />, {codes.zero_point}
          </Fact>
          <Fact title="Codes">
            {codes.low} … {codes.high} ({numberText(valueOf(codes.low))} …{" "}
            {numberText(valueOf(codes.high))})
          </Fact>
        </>
      )}
      {calibration && (
        <Fact title="Calibrated range">
          {rangeText(calibration.values)}
          {calibration.min_sample && ` from ${calibration.min_sample}`}
          {calibration.max_sample && ` to ${calibration.max_sample}`}
        </Fact>
      )}
      {accumulator && (
        <Fact title="Accumulator">
          {accumulator.accumulator_bits} bits, {accumulator.unused_bits} never
          used
        </Fact>
      )}
      {accumulator?.multiplier && (
        <Fact title="Multiplier">{accumulator.multiplier.join(" … ")}</Fact>
      )}
      {accumulator?.shift && (
        <Fact title="Shift">{accumulator.shift.join(" … ")}</Fact>
      )}
      {layer.profile.map((line) => (
        <Fact key={line.op} title={line.op}>
          {line.types}, {line.unit}: <Value of={line.cycles} kind="integer" />{" "}
          cycles (compute {numberText(line.compute_cycles, "integer")}, memory{" "}
          {numberText(line.memory_cycles, "integer")}),{" "}
          <Value of={line.memory_bytes} kind="bytes" />
        </Fact>
      ))}
    </dl>
  );
}

function Charts(props: { build: Build; layer: Layer }) {
  const { build, layer } = props;
  const codes = rowWith(layer, "codes")?.value;
  const errors = rowWith(layer, "channel_errors");
  const cosines = rowWith(layer, "sample_cosines");
  const names = build.analysis?.sample_names ?? [];
  return (
    <section>
      <h2>Distributions</h2>
      <p class="soft">
        Dashed lines are the outermost codes; dotted ones are all codes, where a
        step is wide enough to see.
      </p>
      <div class="grid">
        {layer.histograms.map((histogram) => (
          <HistogramChart
            key={`${histogram.tensor} ${histogram.channel} ${histogram.is_weight}`}
            histogram={histogram}
            codes={histogram.is_weight ? undefined : codes}
          />
        ))}
        {layer.calibration && <ChannelRanges calibration={layer.calibration} />}
        {layer.weightChannels.map((weights) => (
          <WeightRanges
            key={weights.tensor}
            tensor={weights.tensor}
            channelMax={weights.channel_max}
          />
        ))}
        {errors?.value && (
          <SeriesChart
            label={`Root mean square error by channel (${errors.table})`}
            axis="Channel"
            values={errors.value}
          />
        )}
        {cosines?.value && (
          <SeriesChart
            label={`1 − cosine by sample (${cosines.table})`}
            axis="Sample"
            values={lossesOf(cosines.value)}
            nameOf={(i) => names[i] ?? String(i)}
          />
        )}
      </div>
    </section>
  );
}

const losses = new WeakMap<readonly number[], number[]>();

/// Cosines near 1 differ too little to see. The same list for the same
/// cosines, so that charts are not drawn anew.
function lossesOf(cosines: readonly number[]): number[] {
  let list = losses.get(cosines);
  if (!list) losses.set(cosines, (list = cosines.map((cosine) => 1 - cosine)));
  return list;
}
