//===- CopyButton.tsx - Puts a text on the clipboard ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// navigator.clipboard is refused in some browsers to pages from file://, so
// there is a way without it.
//===----------------------------------------------------------------------===//
import { useState } from "preact/hooks";

function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "offscreen";
  document.body.append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  return isDone;
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

export function CopyButton(props: { text: () => string; label: string }) {
  const [state, setState] = useState<"" | "Copied" | "Not copied">("");
  const onClick = async () => {
    setState((await copy(props.text())) ? "Copied" : "Not copied");
    setTimeout(() => setState(""), 2000);
  };
  return (
    <span class="copy">
      <button type="button" onClick={() => void onClick()}>
        {props.label}
      </button>
      <span role="status">{state}</span>
    </span>
  );
}
