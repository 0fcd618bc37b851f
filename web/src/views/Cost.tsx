//===- Cost.tsx - Where the cycles go -------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The roofline says whether a layer waits for memory or for the MAC units; the
// rest says how much of the time it takes. All of it comes from op_profile.csv.
//===----------------------------------------------------------------------===//
import { useMemo } from "preact/hooks";
import { cycleChanges } from "../changes";
import type { Build, Data } from "../data";
import { Scatter } from "../graph/Scatter";
import type { Group, Line } from "../graph/Scatter";
import { Timeline } from "../graph/Timeline";
import "../graph/plots.css";
import { open, select, selectedTensor } from "../store";
import type { ProfileLine } from "../types";
import { Bars } from "../ui/Bars";
import { numberText, plural, timeText } from "../ui/format";
import { Table } from "../ui/Table";
import type { Column } from "../ui/Table";
import { Change, LayerLink, Name, Value } from "../ui/Value";

const shownBars = 25;

const isMemoryBound = (line: ProfileLine) =>
  line.memory_cycles > line.compute_cycles;

function boundOf(line: ProfileLine): string {
  if (line.cycles === 0) return "free";
  return isMemoryBound(line) ? "memory" : line.unit;
}

/// What the target can do in a cycle; undefined where it does not say.
function roofOf(build: Build) {
  const target = build.target as
    | {
        clock_mhz?: number;
        macs?: { activation_bits: number; weight_bits: number; per_cycle: number }[];
        memory?: { gigabytes_per_second?: number };
        modes?: { npu_mode: string; cores: number }[];
      }
    | undefined;
  const bandwidth = target?.memory?.gigabytes_per_second;
  if (!target?.clock_mhz || !bandwidth || !target.macs?.length) return undefined;
  const mode = target.modes?.find((m) => m.npu_mode === build.context?.["npu_mode"]);
  return {
    bytesPerCycle: (bandwidth * 1e3) / target.clock_mhz,
    peaks: target.macs.map((mac) => ({
      label: `${mac.activation_bits} × ${mac.weight_bits} bits`,
      macs: mac.per_cycle * (mode?.cores ?? 1),
    })),
  };
}

/// Conversions and other operators that the compiler adds are no layers of the
/// tables, and cannot be selected.
function selectorOf(build: Build) {
  return (operator: string) => {
    const tensor = build.byOperator.get(operator)?.[0]?.tensor;
    if (tensor !== undefined) select(tensor);
  };
}

export function CostView({ data }: { data: Data }) {
  const build = data.main;
  const { profile } = build;
  const pick = selectorOf(build);
  if (!profile || profile.length === 0)
    return (
      <p class="notice">
        This build has no profile. Set compiler.npu_perf and build again.
      </p>
    );
  const total = profile.reduce((sum, line) => sum + line.cycles, 0);
  const clock = build.target?.clock_mhz;
  const waiting = profile.filter(isMemoryBound);
  const waitingCycles = waiting.reduce((sum, line) => sum + line.cycles, 0);
  return (
    <>
      <p>
        {numberText(total, "integer")} cycles
        {clock ? `, ${timeText(total / clock / 1e6)} at ${clock} MHz` : ""}.{" "}
        {plural(waiting.length, "layer")} of {profile.length} wait for memory:{" "}
        {numberText(waitingCycles / (total || 1), "percent")} of the cycles.
      </p>
      <CycleChanges data={data} />
      <Roofline build={build} profile={profile} onPick={pick} />
      <Timeline profile={profile} onPick={(line) => pick(line.layer)} />
      <div class="grid">
        <LongestLayers build={build} profile={profile} total={total} />
        <Totals profile={profile} total={total} />
      </div>
      <h2>All layers</h2>
      <ProfileTable build={build} profile={profile} total={total} onPick={pick} />
    </>
  );
}

/// Where two builds spend their cycles differently.
function CycleChanges({ data }: { data: Data }) {
  const { first, second, main } = data;
  const changes = useMemo(
    () => (second ? cycleChanges(first, second) : []),
    [first, second],
  );
  if (!second) return null;
  if (!first.profile || !second.profile)
    return <p class="soft">The other build has no profile to compare with.</p>;
  if (changes.length === 0)
    return <p>All layers take the same cycles in both builds.</p>;
  const sum = changes.reduce((all, { change }) => all + change, 0);
  return (
    <section>
      <h2>Changes, second − first build</h2>
      <p>
        <Change of={sum} kind="integer" better="less" /> cycles in all;{" "}
        {plural(changes.length, "layer")} with other cycles.
      </p>
      <Bars
        label="The layers that changed most. A layer that one build lacks has no cycles there."
        heads={["Layer", "First, second, change"]}
        bars={changes.slice(0, shownBars).map((line) => ({
          key: line.layer,
          label: <LayerName build={main} operator={line.layer} most={34} />,
          segments: [
            { from: 0, to: line.change, tone: "first", title: "change" },
          ],
          value: (
            <>
              <span class="soft">
                {numberText(line.first, "integer")},{" "}
                {numberText(line.second, "integer")}
              </span>{" "}
              <Change of={line.change} kind="integer" better="less" />
            </>
          ),
        }))}
      />
    </section>
  );
}

function Roofline(props: {
  build: Build;
  profile: readonly ProfileLine[];
  onPick: (operator: string) => void;
}) {
  const { build, profile } = props;
  const { groups, lines, onChip } = useMemo(() => {
    const all = profile.filter((line) => line.macs > 0 && line.cycles > 0);
    const placed = all.filter((line) => line.memory_bytes > 0);
    const pointOf = (line: ProfileLine) => ({
      name: line.layer,
      x: line.macs / line.memory_bytes,
      y: line.macs / line.cycles,
    });
    const groups: Group[] = [
      {
        label: "memory-bound",
        shape: "triangle",
        color: "second",
        points: placed.filter(isMemoryBound).map(pointOf),
      },
      {
        label: "MAC-bound",
        shape: "circle",
        color: "main",
        points: placed.filter((line) => !isMemoryBound(line)).map(pointOf),
      },
    ];
    return {
      groups,
      lines: roofLines(build, groups),
      onChip: all.length - placed.length,
    };
  }, [build, profile]);
  if (groups.every((group) => group.points.length === 0))
    return <p class="soft">No layer with products reads memory: no roofline.</p>;
  return (
    <>
      <Scatter
        label="Roofline: products for each byte of memory, and in each cycle"
        x={{ label: "MACs per byte", isLog: true }}
        y={{ label: "MACs per cycle", isLog: true }}
        groups={groups}
        lines={lines}
        onPick={(point) => props.onPick(point.name)}
      />
      {onChip > 0 && (
        <p class="soft">
          {plural(onChip, "layer")} with products read nothing from memory and
          are not drawn.
        </p>
      )}
    </>
  );
}

function roofLines(build: Build, groups: readonly Group[]): Line[] {
  const roof = roofOf(build);
  const all = groups.flatMap((group) => group.points.map((point) => point.x));
  if (!roof || all.length === 0) return [];
  const low = Math.min(...all) / 2;
  const high = Math.max(...all) * 2;
  return roof.peaks.map(({ label, macs }, i) => {
    const corner = macs / roof.bytesPerCycle;
    const heightAt = (x: number) => Math.min(macs, x * roof.bytesPerCycle);
    const places = [low, ...(low < corner && corner < high ? [corner] : []), high];
    const most = numberText(macs, "integer");
    const bytes = numberText(roof.bytesPerCycle);
    return {
      label: `roof of ${label}: ${most} MACs and ${bytes} bytes in a cycle`,
      dash: [[], [9, 4], [2, 4]][i % 3] ?? [],
      points: places.map((x) => [x, heightAt(x)] as const),
    };
  });
}

function LayerName(props: { build: Build; operator: string; most: number }) {
  const tensor = props.build.byOperator.get(props.operator)?.[0]?.tensor;
  if (tensor === undefined)
    return <Name of={props.operator} most={props.most} />;
  return <LayerLink tensor={tensor} text={props.operator} most={props.most} />;
}

function LongestLayers(props: {
  build: Build;
  profile: readonly ProfileLine[];
  total: number;
}) {
  const sorted = [...props.profile].sort((a, b) => b.cycles - a.cycles);
  return (
    <div>
      <Bars
        label={`The longest of ${plural(sorted.length, "layer")}. Striped: they wait for memory.`}
        heads={["Layer", "Cycles"]}
        bars={sorted.slice(0, shownBars).map((line, i) => ({
          key: `${i} ${line.layer}`,
          label: <LayerName build={props.build} operator={line.layer} most={34} />,
          segments: [
            {
              from: 0,
              to: line.cycles,
              tone: isMemoryBound(line) ? "second" : "first",
              title: `${boundOf(line)}-bound`,
            },
          ],
          value: (
            <>
              <Value of={line.cycles} kind="integer" />{" "}
              <span class="soft">
                {boundOf(line)}, {numberText(line.cycles / props.total, "percent")}
              </span>
            </>
          ),
        }))}
      />
    </div>
  );
}

function Totals(props: { profile: readonly ProfileLine[]; total: number }) {
  const totals = new Map<string, { cycles: number; waiting: number; count: number }>();
  for (const line of props.profile) {
    const sum = totals.get(line.op) ?? { cycles: 0, waiting: 0, count: 0 };
    totals.set(line.op, {
      cycles: sum.cycles + line.cycles,
      waiting: sum.waiting + (isMemoryBound(line) ? line.cycles : 0),
      count: sum.count + 1,
    });
  }
  const sorted = [...totals].sort((a, b) => b[1].cycles - a[1].cycles);
  return (
    <div>
      <Bars
        label="By type of operator. Striped: cycles of layers that wait for memory."
        heads={["Operator", "Cycles"]}
        bars={sorted.map(([op, { cycles, waiting, count }]) => ({
          key: op,
          label: (
            <>
              <Name of={op} most={30} /> <span class="soft">× {count}</span>
            </>
          ),
          segments: [
            { from: 0, to: cycles - waiting, tone: "first", title: "computing" },
            {
              from: cycles - waiting,
              to: cycles,
              tone: "second",
              title: "waiting for memory",
            },
          ],
          value: (
            <>
              <Value of={cycles} kind="integer" />{" "}
              <span class="soft">{numberText(cycles / props.total, "percent")}</span>
            </>
          ),
        }))}
      />
    </div>
  );
}

type Numbered = ProfileLine & { number: number };

function columnsOf(total: number): Column<Numbered>[] {
  return [
    { id: "layer", title: "Layer", value: (l) => l.layer, width: 320 },
    { id: "op", title: "Operator", value: (l) => l.op, width: 150 },
    { id: "unit", title: "Unit", value: (l) => l.unit, width: 80 },
    { id: "bound", title: "Bound by", value: boundOf, width: 90 },
    { id: "types", title: "Types", value: (l) => l.types, width: 170 },
    { id: "shape", title: "Shape", value: (l) => l.shape, width: 130 },
    { id: "cycles", title: "Cycles", kind: "integer", value: (l) => l.cycles },
    {
      id: "share",
      title: "Share",
      kind: "percent",
      value: (l) => l.cycles / (total || 1),
    },
    { id: "compute", title: "Compute", kind: "integer", value: (l) => l.compute_cycles },
    { id: "memory", title: "Memory", kind: "integer", value: (l) => l.memory_cycles },
    { id: "macs", title: "MACs", kind: "integer", value: (l) => l.macs, width: 120 },
    { id: "bytes", title: "Traffic", kind: "bytes", value: (l) => l.memory_bytes },
    {
      id: "intensity",
      title: "MACs/byte",
      kind: "general",
      value: (l) =>
        l.macs > 0 && l.memory_bytes > 0 ? l.macs / l.memory_bytes : undefined,
    },
    {
      id: "utilization",
      title: "Utilization",
      kind: "percent",
      value: (l) => (l.macs > 0 ? l.utilization : undefined),
    },
  ];
}

function ProfileTable(props: {
  build: Build;
  profile: readonly ProfileLine[];
  total: number;
  onPick: (operator: string) => void;
}) {
  const { build, profile, total } = props;
  const rows = useMemo(
    () => profile.map((line, number) => ({ ...line, number })),
    [profile],
  );
  const columns = useMemo(() => columnsOf(total), [total]);
  const operator = build.byTensor.get(selectedTensor.value ?? "")?.operator;
  const selected = rows.find((row) => row.layer === operator);
  return (
    <Table
      label="Cycles of all layers"
      rows={rows}
      columns={columns}
      rowKey={(row) => String(row.number)}
      sort={{ column: "cycles", isDescending: true }}
      selected={selected && String(selected.number)}
      onSelect={(row) => props.onPick(row.layer)}
      onOpen={(row) => {
        const tensor = build.byOperator.get(row.layer)?.[0]?.tensor;
        if (tensor !== undefined) open("layer", tensor);
      }}
      fileName="cycles.csv"
    />
  );
}
