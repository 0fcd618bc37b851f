//===- Scatter.tsx - Points in groups, told apart by shape ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A chart of points with names: the mouse shows the name, a click picks the
// point. Groups differ in shape; lines, such as a roof, may lie behind them.
//===----------------------------------------------------------------------===//
import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { axisOf, Chart } from "../ui/Chart";
import type { Colors } from "../ui/Chart";
import { numberText } from "../ui/format";

export type Shape = "circle" | "triangle" | "square" | "diamond";

export interface Point {
  name: string;
  x: number;
  y: number;
  /// The interval of y.
  low?: number;
  high?: number;
}

export interface Group {
  label: string;
  shape: Shape;
  color: "main" | "second" | "text";
  points: readonly Point[];
}

export interface Line {
  label: string;
  dash: number[];
  points: readonly (readonly [number, number])[];
}

interface Axis {
  label: string;
  isLog?: boolean;
}

interface Props {
  label: string;
  x: Axis;
  y: Axis;
  groups: readonly Group[];
  lines?: readonly Line[];
  height?: number;
  onPick?: (point: Point) => void;
}

const radius = 5;
const reach = 14;

/// The outline of a shape with a middle and a radius, as SVG and canvas take it.
function outline(shape: Shape, x: number, y: number, r: number): string {
  switch (shape) {
    case "circle":
      return `M${x - r},${y}a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0Z`;
    case "square":
      return `M${x - r},${y - r}h${2 * r}v${2 * r}h${-2 * r}Z`;
    case "triangle":
      return `M${x},${y - r}l${r * 1.1},${2 * r}h${-2.2 * r}Z`;
    case "diamond":
      return `M${x},${y - 1.3 * r}l${r * 1.3},${r * 1.3}l${-1.3 * r},${r * 1.3}l${-1.3 * r},${-1.3 * r}Z`;
  }
}

function drawGroup(plot: uPlot, group: Group, colors: Colors): void {
  const { ctx: context } = plot;
  const ratio = devicePixelRatio;
  context.strokeStyle = colors[group.color];
  context.fillStyle = colors[group.color];
  context.lineWidth = 1.5 * ratio;
  context.setLineDash([]);
  for (const { x, y, low, high } of group.points) {
    const left = plot.valToPos(x, "x", true);
    const at = (value: number) => plot.valToPos(value, "y", true);
    const path = new Path2D(outline(group.shape, left, at(y), radius * ratio));
    if (low !== undefined && high !== undefined) {
      path.moveTo(left, at(low));
      path.lineTo(left, at(high));
      for (const end of [low, high]) {
        path.moveTo(left - radius * ratio, at(end));
        path.lineTo(left + radius * ratio, at(end));
      }
    }
    context.globalAlpha = 0.45;
    context.fill(path);
    context.globalAlpha = 1;
    context.stroke(path);
  }
}

/// The point near the mouse.
function pointNear(plot: uPlot, points: readonly Point[], event: MouseEvent) {
  let best: Point | undefined;
  let least = reach;
  for (const point of points) {
    const away = Math.hypot(
      plot.valToPos(point.x, "x") - event.offsetX,
      plot.valToPos(point.y, "y") - event.offsetY,
    );
    if (away < least) [best, least] = [point, away];
  }
  return best;
}

/// uPlot wants one list of x for all series. The first series has all points,
/// for the range of the axes; the others are the lines.
function alignedData(props: Props): uPlot.AlignedData {
  const lines = props.lines ?? [];
  const cells: { x: number; values: (number | null)[] }[] = [];
  const add = (x: number, series: number, y: number) => {
    const values = new Array<number | null>(lines.length + 1).fill(null);
    values[series] = y;
    cells.push({ x, values });
  };
  for (const { x, y, low, high } of props.groups.flatMap((g) => g.points))
    for (const value of new Set([y, low ?? y, high ?? y])) add(x, 0, value);
  lines.forEach((line, i) => {
    for (const [x, y] of line.points) add(x, i + 1, y);
  });
  cells.sort((a, b) => a.x - b.x);
  const series = [0, ...lines.map((_, i) => i + 1)].map((i) =>
    cells.map((cell) => cell.values[i] ?? null),
  );
  return [cells.map((cell) => cell.x), ...series];
}

/// Logarithmic axes have ticks without a text.
function tickTexts(_: uPlot, values: (number | null)[]): string[] {
  return values.map((value) => (value === null ? "" : numberText(value)));
}

/// Some room around the points, also where all have the same value.
function rangeOf(points: readonly Point[], low: number, high: number) {
  const [least, most] = [
    Math.min(...points.map(({ x }) => x)),
    Math.max(...points.map(({ x }) => x)),
  ];
  // uPlot takes a single value for the middle between zero and its double.
  const [from, to] = least === most ? [least, most] : [low, high];
  const room = 0.05 * (to - from || Math.abs(to) || 1);
  return [from - room, to + room] as [number, number];
}

function optionsOf(props: Props) {
  const points = props.groups.flatMap((group) => group.points);
  return (colors: Colors): Omit<uPlot.Options, "width" | "height"> => ({
    legend: { show: false },
    cursor: { points: { show: false }, drag: { x: true, y: true } },
    scales: {
      x: props.x.isLog
        ? { time: false, distr: 3 }
        : { time: false, range: (_, low, high) => rangeOf(points, low, high) },
      y: { distr: props.y.isLog ? 3 : 1 },
    },
    axes: [
      { ...axisOf(colors, props.x.label), values: tickTexts },
      { ...axisOf(colors, props.y.label), values: tickTexts, size: 64 },
    ],
    series: [
      {},
      { paths: () => null, points: { show: false } },
      ...(props.lines ?? []).map((line) => ({
        stroke: colors.text,
        width: 1.5,
        dash: line.dash,
        spanGaps: true,
        points: { show: false },
      })),
    ],
    hooks: {
      draw: [
        (plot: uPlot) => {
          for (const group of props.groups) drawGroup(plot, group, colors);
        },
      ],
      ready: [
        (plot: uPlot) => {
          plot.over.addEventListener("mousemove", (event) => {
            const point = pointNear(plot, points, event);
            plot.over.title = point
              ? `${point.name}: ${numberText(point.x)}, ${numberText(point.y)}`
              : "";
          });
          plot.over.addEventListener("click", (event) => {
            const point = pointNear(plot, points, event);
            if (point) props.onPick?.(point);
          });
        },
      ],
    },
  });
}

export function Scatter(props: Props) {
  const { groups, lines } = props;
  const data = useMemo(() => alignedData(props), [groups, lines]);
  const options = useMemo(() => optionsOf(props), [groups, lines]);
  const hasInterval = groups.some((g) => g.points.some((p) => "low" in p));
  return (
    <div class="scatter">
      <Chart
        label={props.label}
        data={data}
        options={options}
        height={props.height ?? 320}
        heads={[
          ...["Name", "Group", props.x.label, props.y.label],
          ...(hasInterval ? ["Low", "High"] : []),
        ]}
        rows={() =>
          groups.flatMap(({ label, points }) =>
            points.map(({ name, x, y, low, high }) => [
              ...[name, label, x, y],
              ...(hasInterval ? [low ?? NaN, high ?? NaN] : []),
            ]),
          )
        }
      />
      <ul class="legend">
        {groups.map(({ label, shape, color, points }) => (
          <li key={label}>
            <svg class={`mark mark-${color}`} width="14" height="14" aria-hidden="true">
              <path d={outline(shape, 7, 7, 5)} />
            </svg>
            {label} ({points.length})
          </li>
        ))}
        {(lines ?? []).map(({ label, dash }) => (
          <li key={label}>
            <svg width="30" height="8" aria-hidden="true">
              <path
                d="M0,4h30"
                stroke="currentColor"
                stroke-width="2"
                stroke-dasharray={dash.join(" ")}
              />
            </svg>{" "}
            {label}
          </li>
        ))}
      </ul>
    </div>
  );
}
