//===- paint.ts - Draws the part of a graph that is seen ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A canvas, because thousands of elements would not follow the mouse. What is
// outside of it is left out, and so are texts too small to read.
//===----------------------------------------------------------------------===//
import { shortText } from "../ui/format";
import type { Camera } from "./camera";
import type { Layout, Size } from "./layout";
import { nodeHeight, nodeWidth, rankGap } from "./layout";
import type { GraphEdge, Network, WidthClass } from "./network";
import { widthClassOf } from "./network";
import type { Paint } from "./palette";

export interface Scene {
  network: Network;
  layout: Layout;
  /// Of each node; undefined where the value is unknown.
  paints: (Paint | undefined)[];
  /// The value in each node as text.
  values: string[];
  selected: number;
  hovered: number;
  found: ReadonlySet<number>;
}

export interface Theme {
  back: string;
  ink: string;
  soft: string;
  line: string;
  accent: string;
}

/// How lines of each width are drawn; the legend shows the same.
export const dashes: Readonly<Record<WidthClass, number[]>> = {
  "8 bits": [],
  "16 bits": [9, 4],
  "float or other": [2, 4],
};

const font = "system-ui, sans-serif";
const padding = 9;
const laneGap = 12;
const straight = 10;
/// Below these zooms, details are left out.
const textZoom = 0.4;
const arrowZoom = 0.25;
const typeZoom = 0.85;
const frameZoom = 0.09;
/// Nodes without frames are at least so many pixels large.
const leastMark: Size = { width: 8, height: 1 };

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

function seenBox(camera: Camera, view: Size): Box {
  return {
    left: camera.x,
    top: camera.y,
    right: camera.x + view.width / camera.zoom,
    bottom: camera.y + view.height / camera.zoom,
  };
}

function isPathSeen(path: readonly number[], box: Box): boolean {
  let [left, right] = [Infinity, -Infinity];
  for (let i = 0; i < path.length; i += 2) {
    left = Math.min(left, path[i] ?? 0);
    right = Math.max(right, path[i] ?? 0);
  }
  // Layers are below their producers, so the ends are the extremes.
  const top = Math.min(path[1] ?? 0, path.at(-1) ?? 0);
  const bottom = Math.max(path[1] ?? 0, path.at(-1) ?? 0);
  const isAcross = right + laneGap >= box.left && left <= box.right;
  return isAcross && bottom >= box.top && top <= box.bottom;
}

/// A smooth line through the middles between its bends, that leaves and
/// arrives straight down.
function trace(line: Path2D, path: readonly number[], shift: number): void {
  const at = (i: number) => path[i] ?? 0;
  const x = (i: number) => at(i) + shift;
  const last = path.length - 2;
  line.moveTo(x(0), at(1));
  const curve = (...c: [number, number, number, number, number, number]) => {
    line.bezierCurveTo(...c);
  };
  if (last === 2) {
    const middle = (at(1) + at(3)) / 2;
    curve(x(0), middle, x(2), middle, x(2), at(3));
    return;
  }
  let [startX, startY] = [x(0), at(1) + straight];
  for (let i = 2; i < last; i += 2) {
    const isEnd = i + 2 >= last;
    const endX = isEnd ? x(last) : (x(i) + x(i + 2)) / 2;
    const endY = isEnd ? at(last + 1) : (at(i + 1) + at(i + 3)) / 2;
    if (isEnd) curve(x(i), at(i + 1), endX, endY - 2 * straight, endX, endY);
    else curve(startX, startY, x(i), at(i + 1), endX, endY);
    [startX, startY] = [endX, endY];
  }
}

function arrow(heads: Path2D, path: readonly number[], shift: number): void {
  const x = (path.at(-2) ?? 0) + shift;
  const y = path.at(-1) ?? 0;
  heads.moveTo(x, y);
  heads.lineTo(x - 4, y - 8);
  heads.lineTo(x + 4, y - 8);
  heads.closePath();
}

const shiftOf = (edge: GraphEdge) => edge.lane * laneGap;

function paintEdges(
  context: CanvasRenderingContext2D,
  { network, layout, selected }: Scene,
  { zoom }: Camera,
  theme: Theme,
  box: Box,
): void {
  const lines = new Map<string, { path: Path2D; dash: number[] }>();
  const heads = new Path2D();
  const seen: number[] = [];
  network.edges.forEach((edge, i) => {
    const path = layout.paths[i];
    if (!path || !isPathSeen(path, box)) return;
    seen.push(i);
    const width = widthClassOf(edge.type);
    const isNear = edge.from === selected || edge.to === selected;
    const key = `${isNear ? "near " : ""}${width}`;
    let line = lines.get(key);
    if (!line) {
      line = { path: new Path2D(), dash: dashes[width] };
      lines.set(key, line);
    }
    trace(line.path, path, shiftOf(edge));
    if (zoom >= arrowZoom) arrow(heads, path, shiftOf(edge));
  });
  for (const [key, { path, dash }] of lines) {
    const isNear = key.startsWith("near");
    context.strokeStyle = isNear ? theme.accent : theme.soft;
    // Lines stay visible when the whole network is.
    context.lineWidth = (isNear ? 2.5 : 1.4) * Math.max(1, 0.5 / zoom);
    context.setLineDash(zoom >= arrowZoom ? dash : []);
    context.stroke(path);
  }
  context.setLineDash([]);
  context.fillStyle = theme.soft;
  context.fill(heads);
  if (zoom >= textZoom)
    for (const i of seen) paintLabel(context, i, network, layout, zoom, theme);
}

/// Types are written where a tensor begins. Conversions are done for the reader
/// and drawn near it, but where edges from different sides are still apart.
function labelPlace(path: readonly number[], isConversion: boolean) {
  if (!isConversion) return { x: path[0] ?? 0, y: (path[1] ?? 0) + 11 };
  const [beforeX = 0, beforeY = 0, endX = 0, endY = 0] = path.slice(-4);
  return {
    x: (beforeX + endX) / 2,
    y: Math.max((beforeY + endY) / 2, endY - rankGap / 2),
  };
}

/// Conversions in a frame; plain types only where there is room.
function paintLabel(
  context: CanvasRenderingContext2D,
  index: number,
  network: Network,
  layout: Layout,
  zoom: number,
  theme: Theme,
): void {
  const edge = network.edges[index];
  const path = layout.paths[index];
  if (!edge || !path || (!edge.conversion && zoom < typeZoom)) return;
  const { x, y } = labelPlace(path, edge.conversion !== undefined);
  context.font = `10px ${font}`;
  context.textBaseline = "middle";
  if (edge.conversion) {
    const width = context.measureText(edge.conversion).width + 10;
    const left = x + shiftOf(edge) - width / 2;
    context.fillStyle = theme.back;
    context.strokeStyle = theme.ink;
    context.lineWidth = 1.2;
    context.beginPath();
    context.roundRect(left, y - 8, width, 16, 3);
    context.fill();
    context.stroke();
    context.fillStyle = theme.ink;
    context.fillText(edge.conversion, left + 5, y);
  } else if (edge.lane === 0) {
    context.fillStyle = theme.soft;
    context.fillText(edge.type, x + 5, y);
  }
}

/// The names of nodes, shortened to fit; measuring is slow.
const titles = new WeakMap<Network, string[]>();

function titlesOf(context: CanvasRenderingContext2D, network: Network) {
  let list = titles.get(network);
  if (!list) {
    context.font = `600 12px ${font}`;
    list = network.nodes.map(({ operator }) => {
      let most = 40;
      const room = nodeWidth - 2 * padding;
      while (
        most > 8 &&
        context.measureText(shortText(operator, most)).width > room
      )
        most -= 2;
      return shortText(operator, most);
    });
    titles.set(network, list);
  }
  return list;
}

function paintNode(
  context: CanvasRenderingContext2D,
  scene: Scene,
  index: number,
  zoom: number,
  theme: Theme,
): void {
  const node = scene.network.nodes[index];
  if (!node) return;
  const left = (scene.layout.x[index] ?? 0) - nodeWidth / 2;
  const top = (scene.layout.y[index] ?? 0) - nodeHeight / 2;
  const paint = scene.paints[index];
  const radius = node.isInput ? nodeHeight / 2 : 6;
  context.fillStyle = paint?.fill ?? theme.back;
  const isMarked = index === scene.selected || scene.found.has(index);
  if (zoom < frameZoom && !isMarked) {
    const width = Math.max(nodeWidth, leastMark.width / zoom);
    const height = Math.max(nodeHeight, leastMark.height / zoom);
    context.fillRect(left + (nodeWidth - width) / 2, top, width, height);
    return;
  }
  const frame = (grow: number) => {
    context.beginPath();
    context.roundRect(
      ...([left - grow, top - grow] as const),
      ...([nodeWidth + 2 * grow, nodeHeight + 2 * grow] as const),
      radius + grow,
    );
  };
  frame(0);
  context.fill();
  context.strokeStyle = index === scene.hovered ? theme.ink : theme.soft;
  context.lineWidth = Math.max(1, 0.6 / zoom);
  context.stroke();
  if (node.isOutput) {
    frame(3);
    context.stroke();
  }
  if (scene.found.has(index)) {
    frame(5);
    context.setLineDash([4, 3]);
    context.strokeStyle = theme.ink;
    context.lineWidth = Math.max(2, 1.5 / zoom);
    context.stroke();
    context.setLineDash([]);
  }
  if (index === scene.selected) {
    frame(3);
    context.strokeStyle = theme.accent;
    context.lineWidth = Math.max(4, 3 / zoom);
    context.stroke();
  }
}

function paintTexts(
  context: CanvasRenderingContext2D,
  scene: Scene,
  seen: readonly number[],
  theme: Theme,
): void {
  const names = titlesOf(context, scene.network);
  context.textBaseline = "middle";
  for (const index of seen) {
    const node = scene.network.nodes[index];
    if (!node) continue;
    // The round ends of inputs leave less room.
    const inset = node.isInput ? 2 * padding : padding;
    const left = (scene.layout.x[index] ?? 0) - nodeWidth / 2 + inset;
    const y = scene.layout.y[index] ?? 0;
    context.fillStyle = scene.paints[index]?.ink ?? theme.ink;
    context.font = `600 12px ${font}`;
    context.fillText(names[index] ?? "", left, y - 10);
    context.font = `11px ${font}`;
    const kind = `${shortText(node.type, 18)} · ${node.qdtype}`;
    context.fillText(kind, left, y + 11);
    const value = scene.values[index] ?? "";
    const width = context.measureText(value).width;
    context.fillText(value, left + nodeWidth - 2 * inset - width, y + 11);
  }
}

/// Draws a scene. The canvas has `ratio` pixels for each pixel of the page.
export function paintScene(
  context: CanvasRenderingContext2D,
  scene: Scene,
  camera: Camera,
  view: Size,
  ratio: number,
  theme: Theme,
): void {
  const { zoom } = camera;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, view.width * ratio, view.height * ratio);
  const scale = zoom * ratio;
  context.setTransform(
    ...([scale, 0, 0, scale] as const),
    ...([-camera.x * scale, -camera.y * scale] as const),
  );
  context.direction = "ltr";
  const box = seenBox(camera, view);
  paintEdges(context, scene, camera, theme, box);
  const seen: number[] = [];
  const halfWidth = nodeWidth / 2 + 8;
  const halfHeight = nodeHeight / 2 + 8;
  for (let i = 0; i < scene.network.nodes.length; ++i) {
    const x = scene.layout.x[i] ?? 0;
    const y = scene.layout.y[i] ?? 0;
    if (x + halfWidth < box.left || x - halfWidth > box.right) continue;
    if (y + halfHeight < box.top || y - halfHeight > box.bottom) continue;
    seen.push(i);
    paintNode(context, scene, i, zoom, theme);
  }
  if (zoom >= textZoom) paintTexts(context, scene, seen, theme);
}

/// The node at a point of the layout, or -1.
export function nodeAt(layout: Layout, x: number, y: number): number {
  return layout.x.findIndex(
    (nodeX, i) =>
      Math.abs(nodeX - x) <= nodeWidth / 2 &&
      Math.abs((layout.y[i] ?? 0) - y) <= nodeHeight / 2,
  );
}
