//===- store.ts - What the page shows now ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The view, the build of a comparison and the selected layer are in the
// address, `#layers?build=2&layer=conv1`, so that links, "back" and bookmarks
// work from file://. The selection is the same in all views.
//===----------------------------------------------------------------------===//
import { computed, signal } from "@preact/signals";

export interface Route {
  view: string;
  /// Whether views show the second one of two builds.
  isSecond: boolean;
  /// The tensor of the selected layer.
  layer?: string;
}

function parseRoute(hash: string): Route {
  const [view = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  const fields = new URLSearchParams(query);
  return {
    view,
    isSecond: fields.get("build") === "2",
    layer: fields.get("layer") ?? undefined,
  };
}

const route = signal<Route>(parseRoute(location.hash));
addEventListener("hashchange", () => {
  route.value = parseRoute(location.hash);
});

export const currentView = computed(() => route.value.view);
export const selectedTensor = computed(() => route.value.layer);
export const isSecondShown = computed(() => route.value.isSecond);

function addressOf({ view, isSecond, layer }: Route): string {
  const fields = new URLSearchParams();
  if (isSecond) fields.set("build", "2");
  if (layer !== undefined) fields.set("layer", layer);
  const query = fields.toString();
  return query === "" ? `#${view}` : `#${view}?${query}`;
}

/// The address of a view; without a tensor, the selection stays.
export function hrefOf(view: string, tensor = selectedTensor.value): string {
  return addressOf({ view, isSecond: isSecondShown.value, layer: tensor });
}

/// Shows the first or the second build, in the same view.
export function showBuild(isSecond: boolean): void {
  location.hash = addressOf({ ...route.value, isSecond });
}

/// Goes to a view, with a new entry in the history.
export function open(view: string, tensor?: string): void {
  location.hash = hrefOf(view, tensor);
}

/// Selects a layer in the same view, without a new entry in the history:
/// moving through a table must not fill it.
export function select(tensor: string): void {
  const next = { ...route.value, layer: tensor };
  history.replaceState(null, "", addressOf(next));
  route.value = next;
}

/// The text that filters layers, in all views that list them.
export const layerFilter = signal("");

export type Theme = "auto" | "light" | "dark";
const themeKey = "parallax-theme";
const darkQuery = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(darkQuery.matches);
darkQuery.addEventListener("change", (event) => {
  systemIsDark.value = event.matches;
});

/// Browsers may refuse storage to pages from file://.
function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(themeKey);
    return stored === "light" || stored === "dark" ? stored : "auto";
  } catch {
    return "auto";
  }
}

/// While the page is printed, tables show all rows, and the paper is light.
export const isPrinting = signal(false);
addEventListener("beforeprint", () => {
  isPrinting.value = true;
});
addEventListener("afterprint", () => {
  isPrinting.value = false;
});

export const theme = signal<Theme>(storedTheme());
export const isDark = computed(
  () =>
    !isPrinting.value &&
    (theme.value === "auto" ? systemIsDark.value : theme.value === "dark"),
);

export function setTheme(value: Theme): void {
  theme.value = value;
  try {
    localStorage.setItem(themeKey, value);
  } catch {
    // The choice then lasts as long as the page.
  }
}
