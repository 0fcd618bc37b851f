//===- walk.ts - From layer to layer by the keyboard ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Up and down follow edges; left and right lead to the neighbour at the same
// depth, and so to the other producers and readers.
//===----------------------------------------------------------------------===//
import type { Layout } from "./layout";
import { nodeHeight } from "./layout";
import type { Network } from "./network";

/// The nearest of some nodes, by how far they are aside.
function nearest(layout: Layout, from: number, nodes: readonly number[]) {
  const aside = (node: number) =>
    Math.abs((layout.x[node] ?? 0) - (layout.x[from] ?? 0));
  return [...nodes].sort((a, b) => aside(a) - aside(b))[0];
}

function neighbour(layout: Layout, from: number, sign: 1 | -1) {
  const candidates: number[] = [];
  for (let node = 0; node < layout.x.length; ++node) {
    const right = (layout.x[node] ?? 0) - (layout.x[from] ?? 0);
    const down = (layout.y[node] ?? 0) - (layout.y[from] ?? 0);
    if (sign * right > 0 && Math.abs(down) < 1.5 * nodeHeight)
      candidates.push(node);
  }
  return nearest(layout, from, candidates);
}

/// The node that a key leads to; -1 if there is none, and undefined if the
/// key has no meaning here.
export function walk(
  key: string,
  network: Network,
  layout: Layout,
  from: number,
): number | undefined {
  const isSelected = from >= 0;
  switch (key) {
    case "ArrowDown":
    case "ArrowUp": {
      if (!isSelected) return -1;
      const lists = key === "ArrowUp" ? network.producers : network.readers;
      return nearest(layout, from, lists[from] ?? []) ?? from;
    }
    case "ArrowLeft":
      return isSelected ? (neighbour(layout, from, -1) ?? from) : -1;
    case "ArrowRight":
      return isSelected ? (neighbour(layout, from, 1) ?? from) : -1;
    case "Home":
      return network.nodes.length > 0 ? 0 : -1;
    case "End":
      return network.nodes.length - 1;
    default:
      return undefined;
  }
}
