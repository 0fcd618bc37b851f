//===- colors.ts - Colors of the theme for canvases ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Canvases understand no light-dark(), so an element has to resolve it.
//===----------------------------------------------------------------------===//
import { isDark } from "../store";

/// The color of a variable of style.css, without its dashes.
export function themeColor(name: string): string {
  const probe = document.createElement("i");
  // The theme of the page may be set only after its parts have been drawn.
  probe.style.colorScheme = isDark.peek() ? "dark" : "light";
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
