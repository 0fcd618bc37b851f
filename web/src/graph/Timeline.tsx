//===- Timeline.tsx - What each unit does when ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A lane for each unit of the NPU and one for the memory bus, from the start
// cycles of op_profile.csv. Dragging zooms in, a double click shows all again.
//===----------------------------------------------------------------------===//
import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import type { ProfileLine } from "../types";
import { axisOf, Chart } from "../ui/Chart";
import type { Colors } from "../ui/Chart";
import { numberText } from "../ui/format";

interface Span {
  line: ProfileLine;
  lane: number;
  start: number;
  end: number;
}

const memory = "memory";

function lanesOf(profile: readonly ProfileLine[]): string[] {
  const units = ["MAC", "vector", "CPU"];
  for (const { unit } of profile) if (!units.includes(unit)) units.push(unit);
  return [...units.filter((u) => profile.some((l) => l.unit === u)), memory];
}

function spansOf(profile: readonly ProfileLine[], lanes: string[]): Span[] {
  const spanOf = (line: ProfileLine, unit: string, cycles: number): Span => ({
    line,
    lane: lanes.indexOf(unit),
    start: line.start_cycle,
    end: line.start_cycle + cycles,
  });
  return profile
    .flatMap((line) => [
      spanOf(line, line.unit, line.compute_cycles),
      spanOf(line, memory, line.memory_cycles),
    ])
    .filter((span) => span.end > span.start);
}

/// The first lane is the topmost.
const heightOf = (lane: number, lanes: string[]) => lanes.length - 1 - lane;

function drawSpans(
  plot: uPlot,
  spans: readonly Span[],
  lanes: string[],
  colors: Colors,
): void {
  const { ctx: context } = plot;
  const at = (x: number) => plot.valToPos(x, "x", true);
  context.save();
  context.beginPath();
  context.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
  context.clip();
  for (const { lane, start, end } of spans) {
    const middle = heightOf(lane, lanes);
    const top = plot.valToPos(middle + 0.36, "y", true);
    const bottom = plot.valToPos(middle - 0.36, "y", true);
    const width = Math.max(1, at(end) - at(start));
    const isMemory = lanes[lane] === memory;
    context.fillStyle = isMemory ? colors.second : colors.main;
    context.fillRect(at(start), top, width, bottom - top);
    if (width < 5) continue;
    // A gap between neighbours.
    context.clearRect(at(start) + width - 1, top, 1, bottom - top);
  }
  context.restore();
}

function spanUnder(
  plot: uPlot,
  spans: readonly Span[],
  lanes: string[],
  event: MouseEvent,
) {
  const cycle = plot.posToVal(event.offsetX, "x");
  const lane = lanes.length - 1 - Math.round(plot.posToVal(event.offsetY, "y"));
  return spans.find(
    (span) => span.lane === lane && span.start <= cycle && cycle <= span.end,
  );
}

function spanText({ line, start, end }: Span): string {
  const cycles = numberText(end - start, "integer");
  const from = numberText(start, "integer");
  return `${line.layer} (${line.op}): ${cycles} cycles from ${from} on`;
}

export function Timeline(props: {
  profile: readonly ProfileLine[];
  onPick: (line: ProfileLine) => void;
}) {
  const { profile } = props;
  const lanes = useMemo(() => lanesOf(profile), [profile]);
  const spans = useMemo(() => spansOf(profile, lanes), [profile, lanes]);
  const data = useMemo<uPlot.AlignedData>(() => {
    const ends = spans.flatMap((span) => [span.start, span.end]);
    ends.sort((a, b) => a - b);
    return [ends, ends.map(() => 0)];
  }, [spans]);
  const options = useMemo(
    () =>
      (colors: Colors): Omit<uPlot.Options, "width" | "height"> => ({
        legend: { show: false },
        cursor: { points: { show: false }, y: false },
        scales: {
          x: { time: false },
          y: { range: [-0.6, lanes.length - 0.4] },
        },
        axes: [
          {
            ...axisOf(colors, "Cycle"),
            values: (_, cycles) => cycles.map((c) => numberText(c, "integer")),
          },
          {
            ...axisOf(colors),
            size: 64,
            splits: lanes.map((_, lane) => heightOf(lane, lanes)),
            values: (_, splits) =>
              splits.map((split) => lanes[lanes.length - 1 - split] ?? ""),
          },
        ],
        series: [{}, { paths: () => null, points: { show: false } }],
        hooks: {
          draw: [(plot: uPlot) => drawSpans(plot, spans, lanes, colors)],
          ready: [
            (plot: uPlot) => {
              plot.over.addEventListener("mousemove", (event) => {
                const span = spanUnder(plot, spans, lanes, event);
                plot.over.title = span ? spanText(span) : "";
              });
              plot.over.addEventListener("click", (event) => {
                const span = spanUnder(plot, spans, lanes, event);
                if (span) props.onPick(span.line);
              });
            },
          ],
        },
      }),
    [spans, lanes],
  );
  return (
    <Chart
      label="Time line by unit. Drag to zoom in, double click to see all."
      data={data}
      options={options}
      height={64 + 40 * lanes.length}
      heads={["Layer", "Unit", "Start", "Cycles"]}
      rows={() =>
        spans.map((span) => [
          span.line.layer,
          lanes[span.lane] ?? "",
          span.start,
          span.end - span.start,
        ])
      }
    />
  );
}
