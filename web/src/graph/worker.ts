//===- worker.ts - Lays graphs out beside the page ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The entry point of the worker. It is bundled apart, with dagre, and started
// from a blob.
//===----------------------------------------------------------------------===//
import { placeWithDagre } from "./dagre";
import { placeInLayers } from "./layered";
import type { GraphShape } from "./layout";
import { layOut } from "./layout";

/// dagre takes about a second for so many; its time grows with the square.
const mostForDagre = 300;

self.onmessage = (event: MessageEvent<GraphShape>) => {
  const shape = event.data;
  const choose = (boxes: number) =>
    boxes <= mostForDagre && shape.edges.length <= 3 * mostForDagre
      ? placeWithDagre
      : placeInLayers;
  self.postMessage(layOut(shape, choose));
};
