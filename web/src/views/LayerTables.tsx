//===- LayerTables.tsx - Values and differing bits of a layer ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The smaller tables of the view of one layer.
//===----------------------------------------------------------------------===//
import type { Layer } from "../data";
import { rowWith } from "../data";
import type { Difference, Summary } from "../types";
import { differenceOf } from "../ui/differences";
import { numberText, plural } from "../ui/format";
import { Name, Value } from "../ui/Value";

export function Summaries(props: { layer: Layer }) {
  const { layer } = props;
  const lines: { name: string; of: Summary }[] = [];
  for (const field of ["reference", "quantized"] as const) {
    const found = rowWith(layer, field);
    const name = field === "reference" ? "float" : "quantized";
    if (found?.value)
      lines.push({ name: `Result, ${name} (${found.table})`, of: found.value });
  }
  for (const { tensor, float, quantized } of layer.weights) {
    lines.push({ name: `${tensor}, float`, of: float });
    lines.push({ name: `${tensor}, quantized`, of: quantized });
  }
  if (lines.length === 0) return null;
  const fields = ["min", "max", "mean", "std"] as const;
  return (
    <section class="wide-table">
      <h2>Values</h2>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Values</th>
            {["Least", "Greatest", "Mean", "Standard deviation"].map((head) => (
              <th key={head} scope="col" class="number">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.name}>
              <th scope="row">
                <Name of={line.name} most={60} />
              </th>
              {fields.map((field) => (
                <td key={field} class="number">
                  <Value of={line.of[field]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Bits(props: {
  difference: Difference;
  names: readonly string[];
}) {
  const { difference, names } = props;
  return (
    <section class="wide-table">
      <h2>Bits that differ</h2>
      <p>
        {plural(difference.differing, "element")} of{" "}
        {numberText(difference.elements, "integer")}{" "}
        {difference.differing === 1 ? "differs" : "differ"} between NPUBackend
        and Reference, by at most {plural(difference.max_codes, "code")}:{" "}
        <span class="tag" title={differenceOf(difference.class).meaning}>
          {difference.class}
        </span>
        {difference.is_first && " This is the first layer that differs."}
      </p>
      {difference.examples.length > 0 ? (
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Sample</th>
              <th scope="col">Element</th>
              {["Reference", "NPUBackend", "Exact"].map((head) => (
                <th key={head} scope="col" class="number">
                  {head}
                </th>
              ))}
              <th scope="col">Operands</th>
            </tr>
          </thead>
          <tbody>
            {difference.examples.map((example) => (
              <tr key={`${example.sample} ${example.index.join()}`}>
                <td>
                  <Name
                    of={names[example.sample] ?? String(example.sample)}
                    most={24}
                  />
                </td>
                <td>({example.index.join(", ")})</td>
                <td class="number">{example.reference}</td>
                <td class="number">{example.machine}</td>
                <td class="number">{example.exact}</td>
                <td>
                  <Name of={example.operands} most={240} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <p class="soft">There are no examples of this layer.</p>
      )}
    </section>
  );
}
