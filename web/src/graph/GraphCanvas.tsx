//===- GraphCanvas.tsx - The graph, to move, zoom and walk along ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The camera changes with every movement of the mouse, so it is no state of the
// component: the canvas is drawn again in the next frame, and nothing else.
//===----------------------------------------------------------------------===//
import type { TargetedKeyboardEvent, TargetedPointerEvent } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { isPrinting } from "../store";
import { themeColor } from "../ui/colors";
import type { Camera } from "./camera";
import * as move from "./camera";
import type { Size } from "./layout";
import { minimapWidth, minimapY, paintMinimap } from "./minimap";
import type { Scene, Theme } from "./paint";
import { nodeAt, paintScene } from "./paint";
import { walk } from "./walk";

/// How far the arrow keys move a graph of which nothing is selected.
const keyStep = 60;
/// A press that moves less is a click.
const clickPixels = 4;

export interface Handle {
  zoom(factor: number): void;
  fit(): void;
  centre(node: number): void;
}

interface Props {
  scene: Scene;
  label: string;
  isDark: boolean;
  onSelect: (node: number) => void;
  onOpen: (node: number) => void;
  onHover: (node: number) => void;
  handle: { current: Handle | null };
}

function currentTheme(): Theme {
  return {
    back: themeColor("back"),
    ink: themeColor("text"),
    soft: themeColor("soft"),
    line: themeColor("line"),
    accent: themeColor("accent"),
  };
}

/// The canvases and what they show, apart from what preact knows.
class Stage {
  camera: Camera | undefined;
  view: Size = { width: 0, height: 0 };
  theme: Theme;
  private isAsked = false;

  constructor(
    readonly main: HTMLCanvasElement,
    readonly small: HTMLCanvasElement,
    public scene: Scene,
  ) {
    this.theme = currentTheme();
  }

  resize(): void {
    const ratio = devicePixelRatio;
    this.view = {
      width: this.main.clientWidth,
      height: this.main.clientHeight,
    };
    for (const canvas of [this.main, this.small]) {
      canvas.width = Math.round(canvas.clientWidth * ratio);
      canvas.height = Math.round(canvas.clientHeight * ratio);
    }
    this.camera ??= move.opened(this.scene.layout, this.view);
    this.ask();
  }

  set(camera: Camera): void {
    this.camera = camera;
    this.ask();
  }

  change(next: (camera: Camera) => Camera): void {
    if (this.camera) this.set(next(this.camera));
  }

  /// Draws in the next frame, once, however often it is asked to.
  ask(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.draw();
    });
  }

  draw(): void {
    const main = this.main.getContext("2d");
    const small = this.small.getContext("2d");
    if (!this.camera || !main || !small) return;
    const rest = [devicePixelRatio, this.theme] as const;
    paintScene(main, this.scene, this.camera, this.view, ...rest);
    paintMinimap(small, this.scene, this.camera, this.view, ...rest);
  }

  nodeUnder(event: MouseEvent): number {
    if (!this.camera) return -1;
    const { x, y, zoom } = this.camera;
    const { layout } = this.scene;
    return nodeAt(layout, x + event.offsetX / zoom, y + event.offsetY / zoom);
  }

  centre(node: number): void {
    const { x, y } = this.scene.layout;
    this.change((camera) =>
      move.centred(camera, x[node] ?? 0, y[node] ?? 0, this.view),
    );
  }

  /// Brings a node into sight, if it is not.
  reveal(node: number): void {
    const { x, y } = this.scene.layout;
    const at = [x[node] ?? 0, y[node] ?? 0] as const;
    if (this.camera && !move.shows(this.camera, ...at, this.view))
      this.centre(node);
  }

  zoom(factor: number): void {
    const { width, height } = this.view;
    this.change((camera) => move.zoomed(camera, factor, width / 2, height / 2));
  }
}

export function GraphCanvas(props: Props) {
  const { scene } = props;
  const main = useRef<HTMLCanvasElement>(null);
  const small = useRef<HTMLCanvasElement>(null);
  const stage = useRef<Stage>(null);

  useEffect(() => {
    const canvas = main.current;
    if (!canvas || !small.current) return undefined;
    const own = new Stage(canvas, small.current, scene);
    stage.current = own;
    props.handle.current = {
      zoom: (factor) => own.zoom(factor),
      fit: () => own.set(move.fitted(own.scene.layout, own.view)),
      centre: (node) => own.centre(node),
    };
    own.resize();
    if (scene.selected >= 0) own.centre(scene.selected);
    const observer = new ResizeObserver(() => own.resize());
    observer.observe(canvas);
    // preact's listeners are passive, and the page must not scroll.
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
      const factor = 1.0015 ** -pixels;
      own.change((camera) =>
        move.zoomed(camera, factor, event.offsetX, event.offsetY),
      );
    };
    canvas.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      observer.disconnect();
      canvas.removeEventListener("wheel", onWheel);
    };
  }, [scene.layout]);

  // What is about to be printed has to be light in time.
  const printing = isPrinting.value;
  useLayoutEffect(() => {
    const own = stage.current;
    if (!own) return;
    own.scene = scene;
    own.theme = currentTheme();
    if (printing) own.draw();
    else own.ask();
  }, [scene, props.isDark, printing]);

  useEffect(() => {
    if (scene.selected >= 0) stage.current?.reveal(scene.selected);
  }, [scene.selected]);

  const drag = useDrag(stage, props);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLCanvasElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (stage.current && actOn(event.key, stage.current, props))
      event.preventDefault();
  };
  const onMinimap = (event: TargetedPointerEvent<HTMLCanvasElement>) => {
    const own = stage.current;
    if (!own || event.buttons === 0) return;
    const middle = minimapY(own.scene, event.offsetY, own.view);
    own.change((camera) => ({
      ...camera,
      y: middle - own.view.height / 2 / camera.zoom,
    }));
  };
  return (
    <div class="graph-stage">
      <canvas
        ref={main}
        class="graph-main"
        tabIndex={0}
        role="application"
        aria-label={props.label}
        onKeyDown={onKeyDown}
        onDblClick={(event) => {
          const node = stage.current?.nodeUnder(event) ?? -1;
          if (node >= 0) props.onOpen(node);
        }}
        {...drag}
      />
      <canvas
        ref={small}
        class="graph-minimap"
        style={{ width: `${minimapWidth}px` }}
        aria-hidden="true"
        onPointerDown={onMinimap}
        onPointerMove={onMinimap}
      />
    </div>
  );
}

/// Dragging moves the graph; a press without movement selects.
function useDrag(stage: { readonly current: Stage | null }, props: Props) {
  const press = useRef<{ x: number; y: number; moved: number } | null>(null);
  type Event = TargetedPointerEvent<HTMLCanvasElement>;
  return {
    onPointerDown(event: Event) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      press.current = { x: event.clientX, y: event.clientY, moved: 0 };
    },
    onPointerMove(event: Event) {
      const own = stage.current;
      const start = press.current;
      if (!own) return;
      if (!start) {
        props.onHover(own.nodeUnder(event));
        return;
      }
      const x = event.clientX - start.x;
      const y = event.clientY - start.y;
      const moved = start.moved + Math.hypot(x, y);
      press.current = { x: event.clientX, y: event.clientY, moved };
      own.change((camera) => move.moved(camera, x, y));
    },
    onPointerUp(event: Event) {
      const isClick = (press.current?.moved ?? Infinity) < clickPixels;
      press.current = null;
      const node = stage.current?.nodeUnder(event) ?? -1;
      if (isClick && node >= 0) props.onSelect(node);
    },
    onPointerLeave() {
      props.onHover(-1);
    },
  };
}

/// Does what a key asks for; false if it asks for nothing.
function actOn(key: string, stage: Stage, props: Props): boolean {
  const { scene } = stage;
  const { selected } = scene;
  if (key === "+" || key === "=") stage.zoom(move.zoomStep);
  else if (key === "-") stage.zoom(1 / move.zoomStep);
  else if (key === "0") stage.set(move.fitted(scene.layout, stage.view));
  else if (key === "Enter" && selected >= 0) props.onOpen(selected);
  else {
    const next = walk(key, scene.network, scene.layout, selected);
    if (next === undefined) return false;
    if (next >= 0) {
      props.onSelect(next);
      stage.reveal(next);
    } else {
      const x = { ArrowLeft: keyStep, ArrowRight: -keyStep }[key] ?? 0;
      const y = { ArrowUp: keyStep, ArrowDown: -keyStep }[key] ?? 0;
      stage.change((camera) => move.moved(camera, x, y));
    }
  }
  return true;
}
