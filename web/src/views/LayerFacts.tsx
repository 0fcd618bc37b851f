//===- LayerFacts.tsx - Errors and arithmetic of a layer ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The numbers of one layer: how wrong it is in each table and in each build,
// and what it computes with.
//===----------------------------------------------------------------------===//
import type { ComponentChildren } from "preact";
import type { Build, Data, Layer } from "../data";
import { rowWith, whyNoShares } from "../data";
import { numberText, rangeText } from "../ui/format";
import { Name, Value } from "../ui/Value";
import { BuildTable } from "./BuildTable";
import type { Line } from "./BuildTable";

export function Errors(props: { build: Build; layer: Layer }) {
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

/// The same layer in two builds.
export function BothBuilds(props: { data: Data; layer: Layer }) {
  const { data, layer } = props;
  const before = data.first.byTensor.get(layer.tensor);
  const after = data.second?.byTensor.get(layer.tensor);
  if (!data.second) return null;
  if (!before || !after)
    return <p class="soft">The other build has no such layer.</p>;
  const lines = data.first.tables
    .filter((key) => before.rows[key] && after.rows[key])
    .map(
      (key): Line => ({
        title: `Cosine (${key})`,
        first: before.rows[key]?.similarity,
        second: after.rows[key]?.similarity,
        kind: "cosine",
        better: "more",
      }),
    );
  return (
    <section>
      <h2>Both builds</h2>
      <p class="soft">
        Codes: {before.qdtype}
        {before.qdtype !== after.qdtype && ` → ${after.qdtype}`}
      </p>
      <BuildTable
        data={data}
        lines={[
          ...lines,
          {
            title: "Cycles",
            first: before.cycles,
            second: after.cycles,
            kind: "integer",
            better: "less",
          },
        ]}
      />
    </section>
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

export function Arithmetic(props: { layer: Layer }) {
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
