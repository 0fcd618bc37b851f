//===- Suggestions.tsx - What to change ----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Changes of the configuration with their predicted gain and cost, ready to be
// copied.
//===----------------------------------------------------------------------===//
import type { Suggestion } from "../types";
import { CopyButton } from "../ui/CopyButton";
import { Change } from "../ui/Value";
import { patchText } from "./patch";

export function Suggestions(props: { suggestions: readonly Suggestion[] }) {
  if (props.suggestions.length === 0) return null;
  return (
    <section>
      <h2>What to change</h2>
      <div class="wide-table">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Change</th>
              <th scope="col" class="number">
                Predicted cosine
              </th>
              <th scope="col" class="number">
                Cycles
              </th>
              <th scope="col">Configuration</th>
            </tr>
          </thead>
          <tbody>
            {props.suggestions.map((suggestion) => (
              <tr key={suggestion.title}>
                <td>
                  {suggestion.title}
                  <details class="patch">
                    <summary>Show the patch</summary>
                    <pre>{patchText(suggestion)}</pre>
                  </details>
                </td>
                <td class="number">
                  <Change of={suggestion.predicted_gain} better="more" />
                </td>
                <td class="number">
                  <Change
                    of={suggestion.extra_cycles}
                    kind="integer"
                    better="less"
                  />
                </td>
                <td>
                  <CopyButton
                    label="Copy patch"
                    text={() => patchText(suggestion)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft">
        Predictions do not run the network. Build again to measure.
      </p>
    </section>
  );
}
