//===- client.ts - Asks the worker for a layout ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One layout for each graph, however often its view is opened. Where workers
// are not allowed the page places the layers itself, by the fast way.
//===----------------------------------------------------------------------===//
import workerSource from "worker:./worker.ts";
import { placeInLayers } from "./layered";
import type { GraphShape, Layout } from "./layout";
import { layOut } from "./layout";

/// A worker that is silent for longer is given up.
const patience = 10_000;

const layouts = new WeakMap<GraphShape, Promise<Layout>>();

export function layoutOf(shape: GraphShape): Promise<Layout> {
  let layout = layouts.get(shape);
  if (!layout) {
    layout = askWorker(shape).catch(() => layOut(shape, () => placeInLayers));
    layouts.set(shape, layout);
  }
  return layout;
}

function askWorker(shape: GraphShape): Promise<Layout> {
  const url = URL.createObjectURL(
    new Blob([workerSource], { type: "text/javascript" }),
  );
  let worker: Worker | undefined;
  const answer = new Promise<Layout>((resolve, reject) => {
    worker = new Worker(url);
    worker.onmessage = (event: MessageEvent<Layout>) => {
      resolve(event.data);
    };
    worker.onerror = () => {
      reject(new Error("the worker failed"));
    };
    setTimeout(() => {
      reject(new Error("the worker is silent"));
    }, patience);
    worker.postMessage(shape);
  });
  return answer.finally(() => {
    worker?.terminate();
    URL.revokeObjectURL(url);
  });
}
