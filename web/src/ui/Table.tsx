//===- Table.tsx - A table of thousands of rows ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Only rows in sight are elements. All rows have the same height, so which
// ones these are follows from the position of the scroll bar.
//===----------------------------------------------------------------------===//
import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { isPrinting } from "../store";
import { csvText, download } from "./download";
import type { Field } from "./download";
import { numberText } from "./format";
import type { Kind } from "./format";
import { Name, Value } from "./Value";

export interface Column<Row> {
  id: string;
  title: string;
  /// A second line of the head, such as the table that it is from.
  source?: string;
  /// What the column means; a title of its head.
  help?: string;
  /// What rows are sorted and filtered by, and what a CSV file gets. Columns
  /// with numbers are those with a `kind`.
  value: (row: Row) => Field;
  kind?: Kind;
  /// How it is shown, where that is not the value as text.
  cell?: (row: Row) => ComponentChildren;
  /// In pixels.
  width?: number;
  isHidden?: boolean;
}

export interface Sort {
  column: string;
  isDescending: boolean;
}

interface Props<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  sort?: Sort;
  selected?: string;
  onSelect?: (row: Row) => void;
  /// Enter, or a double click.
  onOpen?: (row: Row) => void;
  filter?: string;
  onFilter?: (text: string) => void;
  /// Name of a CSV file; without it, there is no export.
  fileName?: string;
  /// At most this many rows are in sight.
  visibleRows?: number;
}

const rowHeight = 28;
const headHeight = 40;
const overscan = 8;

function compare(a: Field, b: Field): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

const isMissing = (field: Field) =>
  field === null || field === undefined || Number.isNaN(field);

/// Rows without a value are last in both directions.
function sorted<Row>(rows: Row[], column: Column<Row>, isDescending: boolean) {
  const sign = isDescending ? -1 : 1;
  return rows.sort((left, right) => {
    const a = column.value(left);
    const b = column.value(right);
    if (isMissing(a) || isMissing(b))
      return Number(isMissing(a)) - Number(isMissing(b));
    return sign * compare(a, b);
  });
}

function matches<Row>(
  row: Row,
  columns: readonly Column<Row>[],
  words: readonly string[],
) {
  const fields = columns
    .filter((column) => !column.kind)
    .map((column) => String(column.value(row) ?? "").toLowerCase());
  return words.every((word) => fields.some((field) => field.includes(word)));
}

export function Table<Row>(props: Props<Row>) {
  const id = useId();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(
    () => new Set(props.columns.filter((c) => c.isHidden).map((c) => c.id)),
  );
  const [sort, setSort] = useState(props.sort);
  const [ownFilter, setOwnFilter] = useState("");
  const filter = props.filter ?? ownFilter;
  const columns = props.columns.filter((column) => !hidden.has(column.id));

  const rows = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = props.rows.filter(
      (row) => words.length === 0 || matches(row, props.columns, words),
    );
    const column = props.columns.find((c) => c.id === sort?.column);
    return column ? sorted(kept, column, sort!.isDescending) : kept;
  }, [props.rows, props.columns, filter, sort]);

  const onSort = (column: Column<Row>) => {
    const isSame = sort?.column === column.id;
    const isDescending = isSame
      ? !sort.isDescending
      : column.kind !== undefined && column.kind !== "cosine";
    setSort({ column: column.id, isDescending });
  };
  const onToggle = (column: string) => {
    const next = new Set(hidden);
    if (!next.delete(column)) next.add(column);
    setHidden(next);
  };
  const onExport = () => {
    const head = columns.map(titleOf);
    const body = rows.map((row) => columns.map((column) => column.value(row)));
    download(props.fileName!, csvText([head, ...body]), "text/csv");
  };

  return (
    <section class="table" aria-label={props.label}>
      <div class="tools">
        <input
          type="search"
          placeholder="Filter"
          aria-label={`Filter ${props.label}`}
          value={filter}
          onInput={(event) =>
            (props.onFilter ?? setOwnFilter)(event.currentTarget.value)
          }
        />
        <span class="count" role="status">
          {numberText(rows.length, "integer")} of{" "}
          {numberText(props.rows.length, "integer")}
        </span>
        <Chooser columns={props.columns} hidden={hidden} onToggle={onToggle} />
        {props.fileName && (
          <button type="button" onClick={onExport}>
            CSV
          </button>
        )}
      </div>
      <Body
        {...props}
        id={id}
        rows={rows}
        columns={columns}
        sort={sort}
        onSort={onSort}
      />
    </section>
  );
}

function Chooser<Row>(props: {
  columns: readonly Column<Row>[];
  hidden: ReadonlySet<string>;
  onToggle: (column: string) => void;
}) {
  return (
    <details class="chooser">
      <summary>Columns</summary>
      <div>
        {props.columns.map((column) => (
          <label key={column.id} title={column.help}>
            <input
              type="checkbox"
              checked={!props.hidden.has(column.id)}
              onChange={() => props.onToggle(column.id)}
            />
            {titleOf(column)}
          </label>
        ))}
      </div>
    </details>
  );
}

interface BodyProps<Row> extends Props<Row> {
  id: string;
  onSort: (column: Column<Row>) => void;
}

function Body<Row>(props: BodyProps<Row>) {
  const { rows, columns } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const most = props.visibleRows ?? 24;
  const isAll = isPrinting.value;
  const first = isAll ? 0 : Math.max(0, Math.floor(top / rowHeight) - overscan);
  const last = isAll
    ? rows.length
    : Math.min(rows.length, first + most + 2 * overscan);
  const current = rows.findIndex((row) => props.rowKey(row) === props.selected);

  const scrollTo = (index: number) => {
    const element = box.current;
    if (!element || index < 0) return;
    const y = index * rowHeight;
    const room = element.clientHeight - headHeight - rowHeight;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y > element.scrollTop + room) element.scrollTop = y - room;
  };
  // A selection that comes from elsewhere is brought into sight.
  useEffect(() => scrollTo(current), [current, rows]);

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget) return;
    const next = targetOf(event.key, current, rows.length, most);
    if (next !== undefined && props.onSelect && rows[next]) {
      props.onSelect(rows[next]);
      event.preventDefault();
    } else if (event.key === "Enter" && rows[current]) {
      props.onOpen?.(rows[current]);
    }
  };

  return (
    <div
      ref={box}
      class="scroll"
      tabIndex={0}
      role="grid"
      aria-label={props.label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={
        current >= 0 ? `${props.id}-${current}` : undefined
      }
      style={{
        maxHeight: isAll ? "none" : `${headHeight + most * rowHeight + 2}px`,
      }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <table role="presentation">
        <colgroup>
          {columns.map((column) => (
            <col
              key={column.id}
              style={{ width: `min(${widthOf(column)}px, 55vw)` }}
            />
          ))}
          <col />
        </colgroup>
        <thead role="rowgroup">
          <tr role="row" aria-rowindex={1}>
            {columns.map((column) => (
              <Head key={column.id} column={column} {...props} />
            ))}
            <th role="presentation" />
          </tr>
        </thead>
        <tbody role="rowgroup">
          <Spacer rows={first} />
          {rows.slice(first, last).map((row, i) => (
            <tr
              key={props.rowKey(row)}
              id={`${props.id}-${first + i}`}
              role="row"
              aria-rowindex={first + i + 2}
              aria-selected={first + i === current}
              onClick={() => props.onSelect?.(row)}
              onDblClick={() => props.onOpen?.(row)}
            >
              {columns.map((column) => (
                <td
                  key={column.id}
                  role="gridcell"
                  class={column.kind ? "number" : undefined}
                >
                  {cellOf(column, row)}
                </td>
              ))}
              <td role="presentation" />
            </tr>
          ))}
          <Spacer rows={rows.length - last} />
        </tbody>
      </table>
      {rows.length === 0 && <p class="empty">No rows.</p>}
    </div>
  );
}

function Spacer(props: { rows: number }) {
  if (props.rows <= 0) return null;
  return (
    <tr role="presentation">
      <td class="spacer" style={{ height: `${props.rows * rowHeight}px` }} />
    </tr>
  );
}

function Head<Row>(props: {
  column: Column<Row>;
  sort?: Sort;
  onSort: (column: Column<Row>) => void;
}) {
  const { column, sort } = props;
  const isSorted = sort?.column === column.id;
  const direction = sort?.isDescending ? "descending" : "ascending";
  return (
    <th
      role="columnheader"
      aria-sort={isSorted ? direction : "none"}
      class={column.kind ? "number" : undefined}
    >
      <button
        type="button"
        title={column.help ?? column.title}
        onClick={() => props.onSort(column)}
      >
        <span>
          {column.title}
          {column.source && <small>{column.source}</small>}
        </span>
        {isSorted && (
          <span aria-hidden="true" class="arrow">
            {sort.isDescending ? "▼" : "▲"}
          </span>
        )}
      </button>
    </th>
  );
}

function titleOf<Row>(column: Column<Row>): string {
  return column.source ? `${column.title} · ${column.source}` : column.title;
}

function widthOf<Row>(column: Column<Row>): number {
  return column.width ?? (column.kind ? 92 : 160);
}

/// How many letters of a name fit into a cell.
function lettersIn(width: number): number {
  return Math.floor((width - 16) / 7);
}

function cellOf<Row>(column: Column<Row>, row: Row): ComponentChildren {
  if (column.cell) return column.cell(row);
  const value = column.value(row);
  if (typeof value === "number" && column.kind)
    return <Value of={value} kind={column.kind} />;
  if (value === null || value === undefined) return "–";
  return <Name of={String(value)} most={lettersIn(widthOf(column))} />;
}

/// The row that a key leads to.
function targetOf(key: string, from: number, count: number, page: number) {
  const clamp = (i: number) => Math.max(0, Math.min(count - 1, i));
  switch (key) {
    case "ArrowDown":
      return clamp(from + 1);
    case "ArrowUp":
      return clamp(from - 1);
    case "PageDown":
      return clamp(from + page);
    case "PageUp":
      return clamp(from - page);
    case "Home":
      return 0;
    case "End":
      return clamp(count - 1);
    default:
      return undefined;
  }
}
