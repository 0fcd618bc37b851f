//===- Bars.tsx - Horizontal bars with names ------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A table whose second column is drawn to scale, so that names stay text and
// links. Segments may be negative; the line is at zero.
//===----------------------------------------------------------------------===//
import type { ComponentChildren } from "preact";
import { fullText } from "./format";

export interface Segment {
  from: number;
  to: number;
  /// Class of its pattern, and what it is.
  tone: "first" | "second" | "before";
  title: string;
}

export interface Bar {
  key: string;
  label: ComponentChildren;
  segments: Segment[];
  value: ComponentChildren;
}

export function Bars(props: {
  label: string;
  heads: [string, string];
  bars: readonly Bar[];
}) {
  const ends = props.bars.flatMap((bar) =>
    bar.segments.flatMap((segment) => [segment.from, segment.to]),
  );
  const low = Math.min(0, ...ends);
  const high = Math.max(0, ...ends);
  const span = high - low || 1;
  const percent = (value: number) => `${((value - low) / span) * 100}%`;
  return (
    <table class="bars">
      <caption>{props.label}</caption>
      <thead>
        <tr>
          <th scope="col">{props.heads[0]}</th>
          <th aria-hidden="true" />
          <th scope="col" class="number">
            {props.heads[1]}
          </th>
        </tr>
      </thead>
      <tbody>
        {props.bars.map((bar) => (
          <tr key={bar.key}>
            <th scope="row">{bar.label}</th>
            <td aria-hidden="true">
              <div class="track">
                {bar.segments.map(({ from, to, tone, title }) => (
                  <span
                    key={title}
                    class={tone}
                    title={`${title}: ${fullText(to - from)}`}
                    style={{
                      left: percent(Math.min(from, to)),
                      width: `${(Math.abs(to - from) / span) * 100}%`,
                    }}
                  />
                ))}
                {low < 0 && <i style={{ left: percent(0) }} />}
              </div>
            </td>
            <td class="number">{bar.value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
