//===- layout.ts - Where the layers of a graph are drawn ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Runs of layers that only follow each other are laid out as one tall box, so
// that the slow part sees a much smaller graph. Who places the boxes is a
// parameter: dagre for small graphs, layered.ts for large ones.
//===----------------------------------------------------------------------===//

/// Nodes are numbers; an edge leads from a producer to a reader.
export interface GraphShape {
  readonly count: number;
  readonly edges: readonly (readonly [number, number])[];
}

export interface Layout {
  /// The middle of each node.
  readonly x: number[];
  readonly y: number[];
  /// For each edge: x, y, x, y, … from the producer to the reader.
  readonly paths: number[][];
  readonly width: number;
  readonly height: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/// What places boxes. Edges lead from smaller to larger numbers.
export type Placer = (
  sizes: readonly Size[],
  edges: readonly (readonly [number, number])[],
) => Layout;

export const nodeWidth = 210;
export const nodeHeight = 46;
export const rankGap = 40;
export const nodeGap = 28;
const portGap = 26;

/// An order in which producers come before readers. A network has no cycles; a
/// damaged file may, and then its nodes keep the order they have.
function topologicalOrder(shape: GraphShape): number[] {
  const readers: number[][] = Array.from({ length: shape.count }, () => []);
  const waiting = new Array<number>(shape.count).fill(0);
  for (const [from, to] of shape.edges) {
    readers[from]?.push(to);
    waiting[to] = (waiting[to] ?? 0) + 1;
  }
  const order: number[] = [];
  const isPlaced = new Array<boolean>(shape.count).fill(false);
  const place = (start: number) => {
    const ready = [start];
    for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
      if (isPlaced[node]) continue;
      isPlaced[node] = true;
      order.push(node);
      for (const reader of readers[node] ?? []) {
        const left = (waiting[reader] ?? 0) - 1;
        waiting[reader] = left;
        if (left === 0) ready.push(reader);
      }
    }
  };
  for (let node = 0; node < shape.count; ++node)
    if (waiting[node] === 0) place(node);
  for (let node = 0; node < shape.count; ++node) place(node);
  return order;
}

/// Maximal runs of nodes that have nobody but each other as neighbours.
interface Runs {
  readonly runs: number[][];
  /// Of each node: its run, and its place in it.
  readonly runOf: number[];
  readonly placeOf: number[];
}

function collapseRuns(shape: GraphShape, order: readonly number[]): Runs {
  const inputs: Set<number>[] = [];
  const outputs: Set<number>[] = [];
  for (let node = 0; node < shape.count; ++node) {
    inputs.push(new Set());
    outputs.push(new Set());
  }
  for (const [from, to] of shape.edges) {
    inputs[to]?.add(from);
    outputs[from]?.add(to);
  }
  const runs: number[][] = [];
  const runOf = new Array<number>(shape.count).fill(-1);
  const placeOf = new Array<number>(shape.count).fill(0);
  for (const node of order) {
    const [producer] = inputs[node] ?? [];
    const before = producer === undefined ? -1 : (runOf[producer] ?? -1);
    const run = runs[before];
    const isNext =
      run !== undefined &&
      inputs[node]?.size === 1 &&
      producer !== undefined &&
      outputs[producer]?.size === 1;
    if (isNext) {
      runOf[node] = before;
      placeOf[node] = run.length;
      run.push(node);
    } else {
      runOf[node] = runs.length;
      runs.push([node]);
    }
  }
  return { runs, runOf, placeOf };
}

/// Lays a graph out, with `place` for what remains of it without runs.
export function layOut(shape: GraphShape, choose: (boxes: number) => Placer) {
  const { runs, runOf, placeOf } = collapseRuns(shape, topologicalOrder(shape));
  const sizes = runs.map((run) => ({
    width: nodeWidth,
    height: run.length * nodeHeight + (run.length - 1) * rankGap,
  }));
  const numberOf = new Map<string, number>();
  const pairs: [number, number][] = [];
  for (const [from, to] of shape.edges) {
    const pair: [number, number] = [runOf[from] ?? 0, runOf[to] ?? 0];
    const key = pair.join(" ");
    if (pair[0] >= pair[1] || numberOf.has(key)) continue;
    numberOf.set(key, pairs.length);
    pairs.push(pair);
  }
  const placed = choose(runs.length)(sizes, pairs);
  return expandRuns(shape, placed, { runs, runOf, placeOf }, numberOf);
}

function expandRuns(
  shape: GraphShape,
  placed: Layout,
  { runs, runOf, placeOf }: Runs,
  numberOf: ReadonlyMap<string, number>,
): Layout {
  const x: number[] = [];
  const y: number[] = [];
  for (let node = 0; node < shape.count; ++node) {
    const run = runOf[node] ?? 0;
    const length = runs[run]?.length ?? 1;
    const middle = (placeOf[node] ?? 0) - (length - 1) / 2;
    x.push(placed.x[run] ?? 0);
    y.push((placed.y[run] ?? 0) + middle * (nodeHeight + rankGap));
  }
  const paths = shape.edges.map(([from, to]) => {
    const number = numberOf.get([runOf[from] ?? 0, runOf[to] ?? 0].join(" "));
    const bends = number === undefined ? [] : (placed.paths[number] ?? []);
    return [
      x[from] ?? 0,
      (y[from] ?? 0) + nodeHeight / 2,
      ...bends,
      x[to] ?? 0,
      (y[to] ?? 0) - nodeHeight / 2,
    ];
  });
  spreadEnds(shape, paths);
  return { x, y, paths, width: placed.width, height: placed.height };
}

/// Edges into the same node end side by side, in the order in which they come.
function spreadEnds(shape: GraphShape, paths: readonly number[][]): void {
  const byReader = new Map<number, number[][]>();
  shape.edges.forEach(([, to], i) => {
    const path = paths[i] ?? [];
    const list = byReader.get(to);
    if (list) list.push(path);
    else byReader.set(to, [path]);
  });
  for (const list of byReader.values()) {
    const gap = Math.min(portGap, (nodeWidth - portGap) / list.length);
    list.sort((a, b) => (a.at(-4) ?? 0) - (b.at(-4) ?? 0));
    list.forEach((path, i) => {
      const aside = (i - (list.length - 1) / 2) * gap;
      path[path.length - 2] = (path.at(-2) ?? 0) + aside;
    });
  }
}
