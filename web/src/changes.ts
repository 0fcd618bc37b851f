//===- changes.ts - What differs between two builds -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Changes are the second build minus the first one in all views. Layers are
// matched by the tensors that they give.
//===----------------------------------------------------------------------===//
import type { Build, Data, Layer } from "./data";
import { mainTable } from "./data";
import type { Accuracy, ProfileLine, TableKey } from "./types";
import type { Maybe } from "./ui/format";

export function minus(a: Maybe<number>, b: Maybe<number>): number | undefined {
  if (a === null || a === undefined || b === null || b === undefined)
    return undefined;
  return a === b ? 0 : a - b;
}

/// The table that says most, if both builds have it.
export function sharedTable({ first, second }: Data): TableKey | undefined {
  const key = mainTable(first);
  return key && second?.tables.includes(key) ? key : undefined;
}

/// How a number of layers changes; undefined of those that one build lacks.
export function changeOf(
  data: Data,
  valueOf: (layer: Layer) => Maybe<number>,
): (layer: Layer) => number | undefined {
  return ({ tensor }) => {
    const before = data.first.byTensor.get(tensor);
    const after = data.second?.byTensor.get(tensor);
    return before && after && minus(valueOf(after), valueOf(before));
  };
}

/// Cycles by the names of lines: a layer may be several of them.
function cyclesByName(profile: readonly ProfileLine[] = []) {
  const cycles = new Map<string, number>();
  for (const line of profile)
    cycles.set(line.layer, (cycles.get(line.layer) ?? 0) + line.cycles);
  return cycles;
}

/// A line of the profiles with its cycles in both builds.
export interface CycleChange {
  layer: string;
  first?: number;
  second?: number;
  change: number;
}

/// All that differ, the largest change first. What only one build has costs
/// nothing in the other one.
export function cycleChanges(first: Build, second: Build): CycleChange[] {
  const before = cyclesByName(first.profile);
  const after = cyclesByName(second.profile);
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((layer) => {
      const [a, b] = [before.get(layer), after.get(layer)];
      return { layer, first: a, second: b, change: (b ?? 0) - (a ?? 0) };
    })
    .filter(({ change }) => change !== 0)
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
}

/// What the last network of the other build answers for a sample whose answer
/// changed in this one. Those that did not change there are not in its files:
/// their answer is that of this float network, if both builds were evaluated on
/// the same samples with the same model. Only the largest changes are in there.
export function otherAnswers({
  main,
  other,
}: Data): (row: Accuracy["changed"][number]) => string | undefined {
  const accuracy = other?.accuracy;
  if (!accuracy) return () => undefined;
  const answers = new Map(accuracy.changed.map((row) => [row.sample, row.after]));
  const isSameElsewhere =
    accuracy.changed.length === accuracy.changed_count &&
    accuracy.networks.length > 1 &&
    accuracy.samples === main.accuracy?.samples &&
    other.report.model === main.report.model;
  return ({ sample, before }) =>
    answers.get(sample) ?? (isSameElsewhere ? before : undefined);
}
