//===- camera.ts - What part of the graph is seen -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A camera maps the plane of the layout to the pixels of the canvas. All
// changes are functions from camera to camera.
//===----------------------------------------------------------------------===//
import type { Layout, Size } from "./layout";
import { nodeHeight, nodeWidth } from "./layout";

export interface Camera {
  /// The point of the layout in the top left corner.
  readonly x: number;
  readonly y: number;
  /// Pixels for each unit of the layout.
  readonly zoom: number;
}

export const zoomStep = 1.3;
const mostZoom = 3;
const leastZoom = 0.002;
const margin = 24;
/// Names can be read from here on.
const readable = 0.7;

function clampZoom(zoom: number): number {
  return Math.min(mostZoom, Math.max(leastZoom, zoom));
}

/// The whole graph, in the middle.
export function fitted(layout: Layout, view: Size): Camera {
  const zoom = clampZoom(
    Math.min(
      (view.width - 2 * margin) / Math.max(layout.width, nodeWidth),
      (view.height - 2 * margin) / Math.max(layout.height, nodeHeight),
      1,
    ),
  );
  return {
    x: layout.width / 2 - view.width / 2 / zoom,
    y: layout.height / 2 - view.height / 2 / zoom,
    zoom,
  };
}

/// The beginning of the graph, large enough to read.
export function opened(layout: Layout, view: Size): Camera {
  const whole = fitted(layout, view);
  if (whole.zoom >= readable) return whole;
  const across = (view.width - 2 * margin) / Math.max(layout.width, nodeWidth);
  const zoom = Math.min(1, Math.max(readable, across));
  // The first node need not be the topmost one.
  let top = 0;
  layout.y.forEach((y, i) => {
    if (y < (layout.y[top] ?? 0)) top = i;
  });
  return {
    x: (layout.x[top] ?? 0) - view.width / 2 / zoom,
    y: -margin / zoom,
    zoom,
  };
}

/// Zoomed so that the point under a pixel stays where it is.
export function zoomed(
  camera: Camera,
  factor: number,
  pixelX: number,
  pixelY: number,
): Camera {
  const zoom = clampZoom(camera.zoom * factor);
  return {
    x: camera.x + pixelX / camera.zoom - pixelX / zoom,
    y: camera.y + pixelY / camera.zoom - pixelY / zoom,
    zoom,
  };
}

export function moved(camera: Camera, pixelsX: number, pixelsY: number): Camera {
  return {
    ...camera,
    x: camera.x - pixelsX / camera.zoom,
    y: camera.y - pixelsY / camera.zoom,
  };
}

/// A node in the middle, large enough to read.
export function centred(camera: Camera, x: number, y: number, view: Size) {
  const zoom = Math.max(camera.zoom, readable);
  return { x: x - view.width / 2 / zoom, y: y - view.height / 2 / zoom, zoom };
}

/// Whether a node is seen in full and can be read.
export function shows(camera: Camera, x: number, y: number, view: Size) {
  const left = (x - nodeWidth / 2 - camera.x) * camera.zoom;
  const top = (y - nodeHeight / 2 - camera.y) * camera.zoom;
  return (
    camera.zoom >= readable &&
    left >= 0 &&
    top >= 0 &&
    left + nodeWidth * camera.zoom <= view.width &&
    top + nodeHeight * camera.zoom <= view.height
  );
}
