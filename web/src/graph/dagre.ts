//===- dagre.ts - Boxes placed by dagre -----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The best looking layout, and the slowest: only the worker calls it, and only
// for graphs of a few hundred boxes.
//===----------------------------------------------------------------------===//
import { Graph, layout } from "@dagrejs/dagre";
import type { Layout, Size } from "./layout";
import { nodeGap, rankGap } from "./layout";

/// What dagre adds to nodes and edges; its own types leave it open.
interface Placed {
  x: number;
  y: number;
}
interface Bent {
  points: Placed[];
}

export function placeWithDagre(
  sizes: readonly Size[],
  edges: readonly (readonly [number, number])[],
): Layout {
  const graph = new Graph();
  graph.setGraph({ rankdir: "TB", nodesep: nodeGap, ranksep: rankGap });
  graph.setDefaultEdgeLabel(() => ({}));
  sizes.forEach((size, box) => graph.setNode(String(box), { ...size }));
  for (const [from, to] of edges) graph.setEdge(String(from), String(to));
  layout(graph);
  const nodes = sizes.map((_, box) => graph.node(String(box)) as Placed);
  const { width, height } = graph.graph() as Size;
  return {
    x: nodes.map((node) => node.x),
    y: nodes.map((node) => node.y),
    paths: edges.map(([from, to]) => {
      const edge = graph.edge(String(from), String(to)) as Bent;
      // The ends are on the boxes; those of the nodes in them are added later.
      return edge.points.slice(1, -1).flatMap(({ x, y }) => [x, y]);
    }),
    width,
    height,
  };
}
