//===- Layer.tsx - All that is known of one layer -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Errors, distributions, arithmetic, differing bits and neighbours of the
// selected layer.
//===----------------------------------------------------------------------===//
import { Fragment } from "preact";
import type { Build, Data, Layer } from "../data";
import { rowWith } from "../data";
import { hrefOf, selectedTensor } from "../store";
import type { Histogram } from "../types";
import { CopyButton } from "../ui/CopyButton";
import { shapeText } from "../ui/format";
import { weightCodes } from "../ui/histograms";
import { fileLink, liesIn } from "../ui/links";
import { LayerLink, Name } from "../ui/Value";
import { causeOf } from "../ui/words";
import {
  ChannelRanges,
  HistogramChart,
  SeriesChart,
  WeightRanges,
} from "./LayerCharts";
import { Arithmetic, BothBuilds, Errors } from "./LayerFacts";
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
      <BothBuilds data={props.data} layer={layer} />
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

function Charts(props: { build: Build; layer: Layer }) {
  const { build, layer } = props;
  const codes = rowWith(layer, "codes")?.value;
  const errors = rowWith(layer, "channel_errors");
  const cosines = rowWith(layer, "sample_cosines");
  const names = build.analysis?.sample_names ?? [];
  const codesOfWeights = (histogram: Histogram) =>
    weightCodes(
      histogram,
      layer.weights.find(({ tensor }) => tensor === histogram.tensor)?.qdtype,
    );
  const hasBands =
    (layer.calibration?.channel_min?.length ?? 0) > 1 ||
    layer.weightChannels.some((weights) => weights.channel_max.length > 1);
  if (!layer.histograms.length && !hasBands && !errors?.value && !cosines?.value)
    return null;
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
            codes={histogram.is_weight ? codesOfWeights(histogram) : codes}
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
