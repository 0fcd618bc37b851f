//===- layered.ts - Boxes placed by layers, in linear time ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each box is as deep as the longest path to it. Boxes of a rank are sorted by
// the mean of their neighbours, then moved as near to it as their order allows.
// For graphs that would keep dagre busy for many seconds.
//===----------------------------------------------------------------------===//
import type { Layout, Size } from "./layout";
import { nodeGap, nodeWidth, rankGap } from "./layout";

const orderSweeps = 6;
const placeSweeps = 8;
/// Longer edges are drawn straight: bends for all of them could be millions.
const longestBent = 64;
const bendWidth = 16;

/// A box, or a bend of an edge that passes a rank.
interface Item {
  readonly rank: number;
  readonly width: number;
  readonly above: Item[];
  readonly below: Item[];
  /// The place in the rank, and the middle.
  order: number;
  x: number;
}

function ranksOf(
  count: number,
  edges: readonly (readonly [number, number])[],
): number[] {
  const ranks = new Array<number>(count).fill(0);
  // Numbers are in topological order, so edges sorted by where they start
  // find the rank of that already final.
  for (const [from, to] of [...edges].sort((a, b) => a[0] - b[0]))
    ranks[to] = Math.max(ranks[to] ?? 0, (ranks[from] ?? 0) + 1);
  return ranks;
}

function link(above: Item, below: Item): void {
  above.below.push(below);
  below.above.push(above);
}

function mean(items: readonly Item[], of: (item: Item) => number): number {
  let sum = 0;
  for (const item of items) sum += of(item);
  return sum / items.length;
}

function sortRank(rank: Item[], side: "above" | "below"): void {
  const wish = new Map<Item, number>();
  for (const item of rank)
    wish.set(
      item,
      item[side].length > 0 ? mean(item[side], (it) => it.order) : item.order,
    );
  rank.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
  rank.forEach((item, order) => (item.order = order));
}

/// Moves items to the mean of their neighbours, as near as their order and
/// widths allow: an isotonic regression, by pooling of adjacent violators.
function placeRank(rank: readonly Item[]): void {
  const pools: { sum: number; count: number }[] = [];
  const offsets: number[] = [];
  let offset = 0;
  rank.forEach((item, i) => {
    const before = rank[i - 1];
    if (before) offset += (before.width + item.width) / 2 + nodeGap;
    offsets.push(offset);
    const near = item.above.concat(item.below);
    const wish = near.length > 0 ? mean(near, (it) => it.x) : item.x;
    let pool = { sum: wish - offset, count: 1 };
    for (let last = pools.at(-1); last; last = pools.at(-1)) {
      if (last.sum / last.count <= pool.sum / pool.count) break;
      pool = { sum: pool.sum + last.sum, count: pool.count + last.count };
      pools.pop();
    }
    pools.push(pool);
  });
  let next = 0;
  for (const pool of pools)
    for (let i = 0; i < pool.count; ++i, ++next) {
      const item = rank[next];
      if (item) item.x = pool.sum / pool.count + (offsets[next] ?? 0);
    }
}

export function placeInLayers(
  sizes: readonly Size[],
  edges: readonly (readonly [number, number])[],
): Layout {
  const rankOf = ranksOf(sizes.length, edges);
  const ranks: Item[][] = [];
  const addItem = (rank: number, width: number): Item => {
    const list = (ranks[rank] ??= []);
    const order = list.length;
    const item = { rank, width, above: [], below: [], order, x: order };
    list.push(item);
    return item;
  };
  const boxes = sizes.map((size, i) => addItem(rankOf[i] ?? 0, size.width));
  const bends = edges.map(([from, to]) => {
    const start = boxes[from];
    const end = boxes[to];
    if (!start || !end || end.rank - start.rank > longestBent) return [];
    const items: Item[] = [];
    for (let rank = start.rank + 1; rank < end.rank; ++rank)
      items.push(addItem(rank, bendWidth));
    [start, ...items].forEach((item, i) => {
      link(item, items[i] ?? end);
    });
    return items;
  });

  const upwards = [...ranks].reverse();
  for (let sweep = 0; sweep < orderSweeps; ++sweep)
    if (sweep % 2 === 0) for (const rank of ranks) sortRank(rank, "above");
    else for (const rank of upwards) sortRank(rank, "below");
  for (const rank of ranks)
    rank.forEach((item) => (item.x = item.order * (nodeWidth + nodeGap)));
  for (let sweep = 0; sweep < placeSweeps; ++sweep)
    for (const rank of sweep % 2 === 0 ? ranks : upwards) placeRank(rank);
  return measured(sizes, boxes, bends, ranks);
}

/// The layout with its top left corner at 0, 0.
function measured(
  sizes: readonly Size[],
  boxes: readonly Item[],
  bends: readonly (readonly Item[])[],
  ranks: readonly (readonly Item[])[],
): Layout {
  const heights = new Array<number>(ranks.length).fill(0);
  boxes.forEach((box, i) => {
    const height = sizes[i]?.height ?? 0;
    heights[box.rank] = Math.max(heights[box.rank] ?? 0, height);
  });
  const middles: number[] = [];
  let bottom = -rankGap;
  for (const height of heights) {
    middles.push(bottom + rankGap + height / 2);
    bottom += rankGap + height;
  }
  let left = Infinity;
  let right = -Infinity;
  for (const rank of ranks)
    for (const item of rank) {
      left = Math.min(left, item.x - item.width / 2);
      right = Math.max(right, item.x + item.width / 2);
    }
  if (boxes.length === 0) [left, right, bottom] = [0, 0, 0];
  return {
    x: boxes.map((box) => box.x - left),
    y: boxes.map((box) => middles[box.rank] ?? 0),
    paths: bends.map((items) =>
      items.flatMap((item) => {
        // An edge passes a rank of tall boxes straight down.
        const half = (heights[item.rank] ?? 0) / 2;
        const middle = middles[item.rank] ?? 0;
        return [item.x - left, middle - half, item.x - left, middle + half];
      }),
    ),
    width: right - left,
    height: bottom,
  };
}
