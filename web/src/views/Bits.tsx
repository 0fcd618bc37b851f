//===- Bits.tsx - Where the NPU has other bits than Reference -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Layers whose codes differ, why, and elements to compute again by hand.
//===----------------------------------------------------------------------===//
import { useMemo } from "preact/hooks";
import type { Data } from "../data";
import { open, select, selectedTensor } from "../store";
import type { Difference, DifferenceExample } from "../types";
import { differenceOf } from "../ui/differences";
import { numberText, plural } from "../ui/format";
import { Table } from "../ui/Table";
import type { Column } from "../ui/Table";
import { LayerLink, Name } from "../ui/Value";

const columns: Column<Difference>[] = [
  { id: "operator", title: "Layer", value: (d) => d.operator, width: 320 },
  { id: "type", title: "Type", value: (d) => d.type, width: 150 },
  { id: "class", title: "Class", value: (d) => d.class, width: 150 },
  {
    id: "fault",
    title: "Fault",
    value: (d) => (differenceOf(d.class).isFault ? "yes" : "no"),
    width: 70,
  },
  {
    id: "first",
    title: "First",
    help: "No layer before it differs.",
    value: (d) => (d.is_first ? "yes" : ""),
    width: 60,
  },
  {
    id: "differing",
    title: "Differing",
    kind: "integer",
    value: (d) => d.differing,
  },
  {
    id: "elements",
    title: "Elements",
    kind: "integer",
    value: (d) => d.elements,
    width: 110,
  },
  {
    id: "share",
    title: "Share",
    kind: "general",
    value: (d) => d.differing / (d.elements || 1),
  },
  {
    id: "codes",
    title: "Codes apart",
    kind: "integer",
    value: (d) => d.max_codes,
    width: 110,
  },
];

/// Bits are compared only where both engines have run.
function areCompared(data: Data): boolean {
  const modes = data.main.analysis?.tables.map((table) => table.mode);
  return new Set(modes).size > 1;
}

export function BitsView({ data }: { data: Data }) {
  const differences = data.main.analysis?.differences ?? [];
  const tensor = selectedTensor.value;
  const chosen = useMemo(
    () => differences.find((d) => d.tensor === tensor) ?? differences[0],
    [differences, tensor],
  );
  if (differences.length === 0)
    return (
      <p class="notice">
        {areCompared(data)
          ? "All bits are equal: the NPU and Reference computed the same codes."
          : "Bits were not compared. Set quant.precision_analysis_mode to Both and build again."}
      </p>
    );
  const faults = differences.filter((d) => differenceOf(d.class).isFault);
  return (
    <>
      <p>
        {plural(differences.length, "layer")} with other codes than Reference;{" "}
        {faults.length === 0
          ? "none of them is a fault."
          : `${plural(faults.length, "of them is", "of them are")} a fault.`}
      </p>
      <Table
        label="Layers whose bits differ"
        rows={differences}
        columns={columns}
        rowKey={(d) => d.tensor}
        selected={chosen?.tensor}
        onSelect={(d) => select(d.tensor)}
        onOpen={(d) => open("layer", d.tensor)}
        fileName="bits.csv"
        visibleRows={14}
      />
      {chosen && <Examples difference={chosen} />}
    </>
  );
}

function Examples(props: { difference: Difference }) {
  const { difference } = props;
  const { meaning, isFault } = differenceOf(difference.class);
  return (
    <section aria-label="Examples">
      <h2>
        <LayerLink tensor={difference.tensor} text={difference.operator} />
      </h2>
      <p>
        <span class="tag">{difference.class}</span> {meaning}{" "}
        {isFault ? "This is a fault: report it." : "This is no fault."}
      </p>
      {difference.examples.length === 0 && (
        <p class="soft">There are no examples of this layer.</p>
      )}
      {difference.examples.map((example, i) => (
        <Example key={i} example={example} />
      ))}
    </section>
  );
}

function Example(props: { example: DifferenceExample }) {
  const { sample, index, reference, machine, exact, operands } = props.example;
  return (
    <dl class="panel facts example">
      <dt>Element</dt>
      <dd>
        [{index.join(", ")}] of sample {sample}
      </dd>
      <dt>Reference</dt>
      <dd>{numberText(reference, "integer")}</dd>
      <dt>NPU</dt>
      <dd>{numberText(machine, "integer")}</dd>
      <dt>Exact</dt>
      <dd>{exact}</dd>
      <dt>Operands</dt>
      <dd class="operands">
        <Name of={operands} most={8192} />
      </dd>
    </dl>
  );
}
