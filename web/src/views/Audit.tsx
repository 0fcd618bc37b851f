//===- Audit.tsx - What was asked for and what was granted ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What came of every rule of quant.layer_configs, and which tensors share a
// scale because a Concat or the like joins them.
//===----------------------------------------------------------------------===//
import { useMemo } from "preact/hooks";
import type { Build, Data } from "../data";
import { select, selectedTensor } from "../store";
import type { SharedScales } from "../types";
import { plural } from "../ui/format";
import { Table } from "../ui/Table";
import type { Column } from "../ui/Table";
import { Name } from "../ui/Value";

interface Precision {
  data_type?: string;
  weight_data_type?: string;
  output_data_type?: string;
}

/// quant/layer_config_audit.json
interface AuditFile {
  rules: {
    rule: number;
    config: string;
    selector: string;
    subject: string;
    requested: Precision;
    note?: string;
    layers: {
      layer: string;
      op_type: string;
      node?: string;
      requested: Precision;
      granted: Precision;
      reason: string;
      overridden?: boolean;
    }[];
  }[];
}

function precisionText(precision: Precision): string {
  const { data_type, weight_data_type, output_data_type } = precision;
  return [
    data_type,
    weight_data_type && `weights ${weight_data_type}`,
    output_data_type && `result ${output_data_type}`,
  ]
    .filter((part) => part !== undefined && part !== "")
    .join(", ");
}

interface AuditRow {
  key: string;
  rule: number;
  config: string;
  subject: string;
  layer: string;
  type: string;
  asked: string;
  granted: string;
  outcome: string;
  reason: string;
}

/// Whether a layer has got all that a rule asks for.
function isGranted(requested: Precision, granted: Precision): boolean {
  return (Object.keys(requested) as (keyof Precision)[]).every(
    (field) => requested[field] === granted[field],
  );
}

function rowsOf(audit: AuditFile): AuditRow[] {
  return audit.rules.flatMap((rule) =>
    rule.layers.map((layer, i) => ({
      key: `${rule.rule} ${i}`,
      rule: rule.rule,
      config: rule.config,
      subject: `${rule.selector} ${rule.subject}`,
      layer: layer.layer,
      type: layer.op_type,
      asked: precisionText(layer.requested),
      granted: precisionText(layer.granted),
      outcome: layer.overridden
        ? "overridden"
        : isGranted(layer.requested, layer.granted)
          ? "granted"
          : "changed",
      reason: layer.reason,
    })),
  );
}

const auditColumns: Column<AuditRow>[] = [
  { id: "layer", title: "Layer", value: (r) => r.layer, width: 250 },
  { id: "asked", title: "Asked", value: (r) => r.asked, width: 90 },
  { id: "granted", title: "Granted", value: (r) => r.granted, width: 220 },
  { id: "outcome", title: "Outcome", value: (r) => r.outcome, width: 95 },
  {
    id: "reason",
    title: "Why",
    value: (r) => r.reason,
    cell: (r) => <Name of={r.reason} most={400} />,
    width: 560,
  },
  { id: "rule", title: "Rule", kind: "integer", value: (r) => r.rule, width: 60 },
  { id: "subject", title: "Selects", value: (r) => r.subject, width: 200 },
  { id: "type", title: "Type", value: (r) => r.type, width: 110, isHidden: true },
  { id: "config", title: "Field", value: (r) => r.config, isHidden: true },
];

type Meeting = SharedScales["meetings"][number];

const meetingColumns: Column<Meeting>[] = [
  { id: "layer", title: "Joined by", value: (m) => m.layer, width: 240 },
  { id: "tensor", title: "Tensor", value: (m) => m.tensor, width: 280 },
  { id: "decision", title: "Decision", value: (m) => m.decision, width: 100 },
  { id: "reason", title: "Why", value: (m) => m.reason, width: 300 },
  { id: "own", title: "Own scale", kind: "general", value: (m) => m.own_scale },
  {
    id: "common",
    title: "Common scale",
    kind: "general",
    value: (m) => m.common_scale,
    width: 125,
  },
  {
    id: "ratio",
    title: "Coarser by",
    help: "The common scale divided by the own one.",
    kind: "general",
    value: (m) => m.common_scale / m.own_scale,
  },
];

export function AuditView({ data }: { data: Data }) {
  const build = data.main;
  return (
    <>
      <Rules build={build} />
      <Meetings build={build} />
      <FloatChanges build={build} />
    </>
  );
}

function Rules(props: { build: Build }) {
  const { build } = props;
  const audit = build.audit as AuditFile | undefined;
  const rows = useMemo(() => (audit ? rowsOf(audit) : []), [audit]);
  if (!audit)
    return (
      <p class="notice">
        No precision was asked for: quant.layer_configs is empty, so there is
        nothing to audit.
      </p>
    );
  const operator = build.byTensor.get(selectedTensor.value ?? "")?.operator;
  const selected = rows.find((row) => row.layer === operator);
  const changed = rows.filter((row) => row.outcome !== "granted");
  const notes = audit.rules.filter((rule) => rule.note);
  return (
    <section>
      <h2>Rules of quant.layer_configs</h2>
      <p>
        {plural(audit.rules.length, "rule")} for {plural(rows.length, "layer")};{" "}
        {changed.length === 0
          ? "all was granted."
          : `${changed.length} did not get exactly what was asked for.`}
      </p>
      <Table
        label="Audit of layer configs"
        rows={rows}
        columns={auditColumns}
        rowKey={(row) => row.key}
        selected={selected?.key}
        onSelect={(row) => {
          const tensor = build.byOperator.get(row.layer)?.[0]?.tensor;
          if (tensor !== undefined) select(tensor);
        }}
        fileName="layer_config_audit.csv"
        visibleRows={16}
      />
      {selected?.reason && (
        <p role="status">
          <Name of={selected.layer} />: {selected.reason}.
        </p>
      )}
      {notes.map((rule) => (
        <p key={rule.rule} class="soft">
          Rule {rule.rule}: {rule.note}
        </p>
      ))}
    </section>
  );
}

function Meetings(props: { build: Build }) {
  const meetings = props.build.sharedScales?.meetings ?? [];
  if (meetings.length === 0)
    return <p class="soft">No tensors meet that could share a scale.</p>;
  return (
    <section>
      <h2>Shared scales</h2>
      <p class="soft">
        Tensors that are joined need one scale, or one of them is rescaled.
      </p>
      <Table
        label="Shared scales"
        rows={meetings}
        columns={meetingColumns}
        rowKey={(m) => `${m.layer} ${m.tensor}`}
        selected={meetings
          .filter((m) => m.tensor === selectedTensor.value)
          .map((m) => `${m.layer} ${m.tensor}`)
          .at(0)}
        onSelect={(m) => select(m.tensor)}
        fileName="shared_scales.csv"
        visibleRows={14}
      />
    </section>
  );
}

type ChangeRow = Record<string, unknown> & { number: number };

/// quant/float_changes.json has one list for each kind of change; their fields
/// are shown as they are.
function FloatChanges(props: { build: Build }) {
  const tables = useMemo(
    () =>
      Object.entries(props.build.floatChanges ?? {}).flatMap(([name, list]) => {
        if (!Array.isArray(list) || list.length === 0) return [];
        const rows = (list as Record<string, unknown>[]).map(
          (row, number): ChangeRow => ({ ...row, number }),
        );
        return [{ name: name.replaceAll("_", " "), rows, columns: fieldsOf(rows) }];
      }),
    [props.build],
  );
  if (tables.length === 0) return null;
  return (
    <section>
      <h2>Changes to the float network</h2>
      {tables.map(({ name, rows, columns }) => (
        <section key={name}>
          <h3>{name}</h3>
          <Table
            label={name}
            rows={rows}
            columns={columns}
            rowKey={(row) => String(row.number)}
            visibleRows={10}
          />
        </section>
      ))}
    </section>
  );
}

function fieldsOf(rows: readonly ChangeRow[]): Column<ChangeRow>[] {
  const fields = Object.keys(rows[0] ?? {}).filter((f) => f !== "number");
  return fields.map((field) => {
    const isNumber = rows.some((row) => typeof row[field] === "number");
    return {
      id: field,
      title: field.replaceAll("_", " "),
      kind: isNumber ? "general" : undefined,
      width: isNumber ? 110 : 240,
      value: (row) => {
        const value = row[field];
        if (value === null || typeof value === "number") return value;
        return typeof value === "string" ? value : JSON.stringify(value);
      },
    };
  });
}
