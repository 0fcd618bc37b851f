//===- LayerCharts.tsx - Distributions and ranges of a layer --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Histograms show how well codes fit values: where the outermost codes clip,
// and how wide a step is. Ranges of channels show who sets that step.
//===----------------------------------------------------------------------===//
import { useCallback, useMemo } from "preact/hooks";
import uPlot from "uplot";
import type { CalibrationTensor, Codes, Histogram } from "../types";
import { axisOf, Chart, logAxisOf } from "../ui/Chart";
import type { Colors } from "../ui/Chart";
import { inlineName, numberText, rangeText } from "../ui/format";
import { barRange, sharedBins, stepsWithin } from "../ui/histograms";
import type { SharedBins } from "../ui/histograms";

/// Closer lines than these, in pixels, would be a grey area.
const narrowestStep = 5;

/// Codes that cover more than this many times the values are not all shown.
const farRange = 10;

/// Bins without values have no logarithm; they are drawn below one.
const emptyBin = 0.5;

function verticalLine(plot: uPlot, value: number) {
  const x = Math.round(plot.valToPos(value, "x", true)) + 0.5;
  const { top, height, left, width } = plot.bbox;
  if (x < left || x > left + width) return;
  plot.ctx.beginPath();
  plot.ctx.moveTo(x, top);
  plot.ctx.lineTo(x, top + height);
  plot.ctx.stroke();
}

/// One line for the value of each code, where these are far enough apart.
function drawSteps(plot: uPlot, codes: Codes, color: string) {
  const pixels =
    plot.valToPos(codes.scale, "x", true) - plot.valToPos(0, "x", true);
  if (pixels < narrowestStep * devicePixelRatio) return;
  plot.ctx.strokeStyle = color;
  plot.ctx.lineWidth = 1;
  plot.ctx.setLineDash([2, 3]);
  const { min = 0, max = 0 } = plot.scales["x"] ?? {};
  for (const value of stepsWithin(codes, min, max)) verticalLine(plot, value);
  plot.ctx.setLineDash([]);
}

function drawClip(plot: uPlot, clip: readonly number[], color: string) {
  plot.ctx.strokeStyle = color;
  plot.ctx.lineWidth = 2;
  plot.ctx.setLineDash([6, 4]);
  for (const value of clip) verticalLine(plot, value);
  plot.ctx.setLineDash([]);
}

function isFarClip({ clip, values }: Histogram): boolean {
  const span = values.width * values.counts.length;
  return clip !== undefined && clip[1] - clip[0] > farRange * span;
}

/// All bins and the outermost codes, unless these are so far away that the
/// values would be a line.
function extentOf(histogram: Histogram, bins: SharedBins): [number, number] {
  const { start, width, floats } = bins;
  const end = start + floats.length * width;
  const [low, high] = histogram.clip ?? [start, end];
  return isFarClip(histogram)
    ? [start, end]
    : [Math.min(low, start), Math.max(high, end)];
}

export function HistogramChart(props: { histogram: Histogram; codes?: Codes }) {
  const { histogram, codes } = props;
  const { nan, inf } = histogram.values;
  const { clip } = histogram;
  const bins = useMemo(() => sharedBins(histogram), [histogram]);
  const { start, width, floats, quantized } = bins;
  const data = useMemo<uPlot.AlignedData>(() => {
    const heightsOf = (counts: readonly number[]) =>
      [...counts, 0].map((count) => Math.max(count, emptyBin));
    return [
      [...floats, 0].map((_, i) => start + i * width),
      heightsOf(floats),
      ...(quantized ? [heightsOf(quantized)] : []),
    ];
  }, [bins]);
  const options = useCallback(
    (colors: Colors): Omit<uPlot.Options, "width" | "height"> => {
      const [low, high] = extentOf(histogram, bins);
      const margin = (high - low || 1) * 0.02;
      return {
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, range: [low - margin, high + margin] },
          y: { distr: 3, range: (_, __, max) => [emptyBin, max * 1.5] },
        },
        axes: [
          axisOf(colors, "value"),
          { ...logAxisOf(colors, "count"), size: 56 },
        ],
        series: [
          {},
          {
            stroke: colors.main,
            fill: colors.fill,
            fillTo: () => emptyBin,
            width: 1,
            points: { show: false },
            paths: uPlot.paths.stepped!({ align: 1 }),
          },
          ...(quantized
            ? [
                {
                  stroke: colors.second,
                  width: 1.5,
                  points: { show: false },
                  paths: uPlot.paths.stepped!({ align: 1 }),
                },
              ]
            : []),
        ],
        hooks: {
          // On top of the grid, which would hide them.
          draw: [
            (plot) => codes && drawSteps(plot, codes, colors.second),
            (plot) => clip && drawClip(plot, clip, colors.warn),
          ],
        },
      };
    },
    [histogram, bins, codes],
  );
  const what = histogram.is_weight ? "Constant" : "Activations";
  const channel = histogram.channel < 0 ? "" : `, channel ${histogram.channel}`;
  const notFinite = nan + inf > 0 ? `; ${nan} NaN, ${inf} infinite` : "";
  const codesText = isFarClip(histogram)
    ? "codes reach"
    : "dashed: codes reach";
  const sides = quantized
    ? "area: float, line: quantized values"
    : "float values";
  const limits = clip ? `; ${codesText} ${rangeText(clip)}` : "";
  return (
    <Chart
      label={`${what} ${inlineName(histogram.tensor)}${channel}, ${sides}${limits}${notFinite}`}
      data={data}
      options={options}
      heads={["From", "To", "Float", ...(quantized ? ["Quantized"] : [])]}
      rows={() =>
        floats.map((count, i) => [
          start + i * width,
          start + (i + 1) * width,
          count,
          ...(quantized ? [quantized[i] ?? 0] : []),
        ])
      }
    />
  );
}

interface Band {
  channel: number;
  low: number;
  high: number;
}

const sizeOf = (band: Band) =>
  Math.max(Math.abs(band.low), Math.abs(band.high));

/// A band from the least to the greatest value of each channel, the largest
/// first.
function BandChart(props: { label: string; bands: readonly Band[] }) {
  const { bands } = props;
  const data = useMemo<uPlot.AlignedData>(() => {
    // The last step ends where a next channel would begin.
    const steps = [...bands, bands.at(-1)!];
    const xs = steps.map((_, i) => i);
    return [xs, steps.map((band) => band.high), steps.map((band) => band.low)];
  }, [bands]);
  const options = useCallback(
    (colors: Colors): Omit<uPlot.Options, "width" | "height"> => {
      const paths = uPlot.paths.stepped!({ align: 1 });
      const line = { width: 1, points: { show: false }, paths };
      return {
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false, range: [0, Math.max(1, bands.length)] } },
        axes: [
          axisOf(colors, "channels, by size"),
          { ...axisOf(colors, "value"), size: 64 },
        ],
        bands: [{ series: [1, 2], fill: colors.fill }],
        series: [
          {},
          { ...line, stroke: colors.main },
          { ...line, stroke: colors.second },
        ],
      };
    },
    [bands],
  );
  return (
    <Chart
      label={props.label}
      data={data}
      options={options}
      heads={["Channel", "Least", "Greatest"]}
      rows={() =>
        bands.map((band) => [String(band.channel), band.low, band.high])
      }
    />
  );
}

/// Names the channels that stand out, and how far.
function extremesText(bands: readonly Band[], isComplete = true): string {
  const names = bands
    .slice(0, 3)
    .map(
      (band) => `channel ${band.channel} (${rangeText([band.low, band.high])})`,
    );
  const largest = `Largest: ${names.join(", ")}`;
  if (!isComplete) return `${largest}.`;
  const median = sizeOf(bands[Math.floor(bands.length / 2)]!);
  return `${largest}; the median one reaches ${numberText(median)}.`;
}

export function ChannelRanges(props: { calibration: CalibrationTensor }) {
  const { calibration } = props;
  const { channel_min: low, channel_max: high } = calibration;
  const bands = useMemo(
    () =>
      (low ?? [])
        .map((value, i) => ({
          channel: calibration.channel_index?.[i] ?? i,
          low: value,
          high: high?.[i] ?? value,
        }))
        .sort((a, b) => sizeOf(b) - sizeOf(a)),
    [calibration],
  );
  if (bands.length < 2) return null;
  const all = calibration.channels ?? bands.length;
  const some =
    all > bands.length ? ` (${bands.length} of ${all}, the most extreme)` : "";
  return (
    <div>
      <BandChart label={`Calibrated ranges of channels${some}`} bands={bands} />
      <p class="soft">{extremesText(bands, some === "")}</p>
    </div>
  );
}

export function WeightRanges(props: {
  tensor: string;
  channelMax: readonly number[];
}) {
  const bands = useMemo(
    () =>
      props.channelMax
        .map((size, channel) => ({ channel, low: -size, high: size }))
        .sort((a, b) => b.high - a.high),
    [props.channelMax],
  );
  if (bands.length < 2) return null;
  return (
    <div>
      <BandChart
        label={`Largest magnitude of ${inlineName(props.tensor)} by output channel`}
        bands={bands}
      />
      <p class="soft">{extremesText(bands)}</p>
    </div>
  );
}

/// One number for each channel or sample, as bars.
export function SeriesChart(props: {
  label: string;
  axis: string;
  values: readonly number[];
  nameOf?: (index: number) => string;
}) {
  const { values } = props;
  const data = useMemo<uPlot.AlignedData>(
    () => [values.map((_, i) => i), [...values]],
    [values],
  );
  const options = useCallback(
    (colors: Colors): Omit<uPlot.Options, "width" | "height"> => ({
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: [-0.6, values.length - 0.4] },
        y: { range: (_, __, high) => barRange(high) },
      },
      axes: [
        { ...axisOf(colors, props.axis), incrs: [1, 2, 5, 10, 20, 50, 100] },
        { ...axisOf(colors), size: 64 },
      ],
      series: [
        {},
        {
          stroke: colors.main,
          fill: colors.fill,
          width: 1,
          points: { show: false },
          paths: uPlot.paths.bars!({ size: [0.8, 48] }),
        },
      ],
    }),
    [values, props.axis],
  );
  return (
    <Chart
      label={props.label}
      data={data}
      options={options}
      heads={[props.axis, "Value"]}
      rows={() =>
        values.map((value, i) => [props.nameOf?.(i) ?? String(i), value])
      }
    />
  );
}
