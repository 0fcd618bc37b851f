//===- BuildTable.tsx - Numbers of two builds side by side ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A line for each number, with its change from the first build to the second.
//===----------------------------------------------------------------------===//
import type { ComponentChildren } from "preact";
import { minus } from "../changes";
import type { Build, Data } from "../data";
import type { Kind, Maybe } from "../ui/format";
import { Change, Name, Value } from "../ui/Value";
import { metricName } from "../ui/words";

export interface Line {
  title: string;
  first: Maybe<number>;
  second: Maybe<number>;
  kind: Kind;
  better: "more" | "less";
}

/// Metrics of the last network, which is the one that will run.
export function metricLines(first: Build, second: Build): Line[] {
  const a = first.accuracy?.networks.at(-1)?.metrics ?? {};
  const b = second.accuracy?.networks.at(-1)?.metrics ?? {};
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].map((id) => ({
    title: metricName(id),
    first: a[id]?.value.value,
    second: b[id]?.value.value,
    kind: "metric",
    better: (a[id] ?? b[id])!.higher_is_better ? "more" : "less",
  }));
}

export function BuildTable(props: {
  data: Data;
  lines: readonly Line[];
  verdictOf?: (build: Build) => ComponentChildren;
}) {
  const { first } = props.data;
  const second = props.data.second!;
  return (
    <div class="wide-table">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col" />
            <th scope="col" class="number">
              <Name of={first.report.folder} most={44} />
            </th>
            <th scope="col" class="number">
              <Name of={second.report.folder} most={44} />
            </th>
            <th scope="col" class="number">
              Change
            </th>
          </tr>
        </thead>
        <tbody>
          {props.verdictOf && (
            <tr>
              <th scope="row">Verdict</th>
              <td class="number">{props.verdictOf(first)}</td>
              <td class="number">{props.verdictOf(second)}</td>
              <td />
            </tr>
          )}
          {props.lines.map((line) => (
            <tr key={line.title}>
              <th scope="row">
                <Name of={line.title} />
              </th>
              <td class="number">
                <Value of={line.first} kind={line.kind} />
              </td>
              <td class="number">
                <Value of={line.second} kind={line.kind} />
              </td>
              <td class="number">
                <Change
                  of={minus(line.second, line.first)}
                  // Differences of cosines have too few digits as cosines.
                  kind={line.kind === "cosine" ? "general" : line.kind}
                  better={line.better}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
