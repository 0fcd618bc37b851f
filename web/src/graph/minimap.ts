//===- minimap.ts - The whole network beside its part ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every node as a mark in its color, as high as the canvas, so that one sees
// at which depth the losses are. The frame is what the large canvas shows.
//===----------------------------------------------------------------------===//
import type { Camera } from "./camera";
import type { Size } from "./layout";
import { nodeHeight, nodeWidth } from "./layout";
import type { Scene, Theme } from "./paint";

export const minimapWidth = 64;
const margin = 6;

/// The scales of a minimap of this height; both axes are stretched to fit.
function scalesOf(scene: Scene, height: number) {
  return {
    x: (minimapWidth - 2 * margin) / Math.max(scene.layout.width, nodeWidth),
    y: (height - 2 * margin) / Math.max(scene.layout.height, nodeHeight),
  };
}

export function paintMinimap(
  context: CanvasRenderingContext2D,
  scene: Scene,
  camera: Camera,
  view: Size,
  ratio: number,
  theme: Theme,
): void {
  const { x: scaleX, y: scaleY } = scalesOf(scene, view.height);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, minimapWidth, view.height);
  const width = Math.max(2, nodeWidth * scaleX);
  const height = Math.min(12, Math.max(1.5, nodeHeight * scaleY));
  const mark = (index: number, grow: number) => {
    const x = margin + ((scene.layout.x[index] ?? 0) - nodeWidth / 2) * scaleX;
    const y = margin + (scene.layout.y[index] ?? 0) * scaleY - height / 2;
    context.fillRect(x - grow, y - grow, width + 2 * grow, height + 2 * grow);
  };
  for (let i = 0; i < scene.network.nodes.length; ++i) {
    context.fillStyle = scene.paints[i]?.fill ?? theme.line;
    mark(i, 0);
  }
  context.fillStyle = theme.ink;
  for (const index of scene.found) mark(index, 0);
  context.fillStyle = theme.accent;
  if (scene.selected >= 0) mark(scene.selected, 2);
  context.strokeStyle = theme.ink;
  context.lineWidth = 1.5;
  const frame = (start: number, length: number, scale: number, most: number) => {
    const from = Math.max(1, margin + start * scale);
    const to = Math.min(most - 1, margin + (start + length) * scale);
    return [from, Math.max(4, to - from)] as const;
  };
  const { zoom } = camera;
  const [x, w] = frame(camera.x, view.width / zoom, scaleX, minimapWidth);
  const [y, h] = frame(camera.y, view.height / zoom, scaleY, view.height);
  context.strokeRect(x, y, w, h);
}

/// The height in the layout of a point of the minimap.
export function minimapY(scene: Scene, pixelY: number, view: Size): number {
  return (pixelY - margin) / scalesOf(scene, view.height).y;
}
