//===- Graph.tsx - The network as a graph ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Layers colored by what is asked for, and tensors by their types. The value
// is in the node too, so that colors only help to find it.
//===----------------------------------------------------------------------===//
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Build, Data } from "../data";
import { mainTable } from "../data";
import { GraphCanvas } from "../graph/GraphCanvas";
import type { Handle } from "../graph/GraphCanvas";
import { zoomStep } from "../graph/camera";
import { layoutOf } from "../graph/client";
import "../graph/graph.css";
import type { Layout } from "../graph/layout";
import { cachedNetworkOf, widthClassOf } from "../graph/network";
import type { Network, WidthClass } from "../graph/network";
import { dashes } from "../graph/paint";
import { gradientOf, paintOf } from "../graph/palette";
import { quantitiesOf, scaleOf } from "../graph/quantity";
import type { Scale } from "../graph/quantity";
import { isDark, open, select, selectedTensor } from "../store";
import type { TableKey } from "../types";
import { numberText, plural } from "../ui/format";
import { Name } from "../ui/Value";

const keysHelp =
  "Arrow keys go along edges, plus and minus zoom, 0 shows all, " +
  "Enter opens a layer.";

function useLayout(network: Network): Layout | undefined {
  const [layout, setLayout] = useState<Layout>();
  useEffect(() => {
    let isCurrent = true;
    setLayout(undefined);
    void layoutOf(network.shape).then((made) => {
      if (isCurrent) setLayout(made);
    });
    return () => (isCurrent = false);
  }, [network]);
  return layout;
}

/// Nodes whose operator, tensor or type contains a text.
function useSearch(network: Network, text: string): number[] {
  return useMemo(() => {
    const wanted = text.trim().toLowerCase();
    if (wanted === "") return [];
    return network.nodes.flatMap((node, index) => {
      const names = [node.operator, node.type];
      for (const layer of node.layers) names.push(layer.tensor);
      const isFound = names.some((n) => n.toLowerCase().includes(wanted));
      return isFound ? [index] : [];
    });
  }, [network, text]);
}

export function GraphView({ data }: { data: Data }) {
  const build = data.main;
  const network = cachedNetworkOf(build);
  const layout = useLayout(network);
  const available = useMemo(() => quantitiesOf(data), [data]);
  const [quantityId, setQuantityId] = useState(available[0]?.id);
  const [table, setTable] = useState<TableKey | undefined>(mainTable(build));
  const [search, setSearch] = useState("");
  const [hovered, setHovered] = useState(-1);
  const handle = useRef<Handle>(null);
  const dark = isDark.value;
  const selected = network.nodeOfTensor.get(selectedTensor.value ?? "") ?? -1;

  const quantity = available.find((q) => q.id === quantityId) ?? available[0];
  const scale = useMemo(
    () => quantity && scaleOf(quantity, network.nodes, build, table),
    [quantity, network, table],
  );
  const found = useSearch(network, search);
  const look = useMemo(
    () => ({
      paints: network.nodes.map((_, i) => {
        const emphasis = scale?.emphasis[i];
        return emphasis === undefined ? undefined : paintOf(emphasis, dark);
      }),
      values: network.nodes.map((_, i) => valueText(scale, i)),
    }),
    [network, scale, dark],
  );
  const marks = useMemo(() => new Set(found), [found]);
  const scene = useMemo(
    () => layout && { network, layout, ...look, selected, hovered, found: marks },
    [network, layout, look, selected, hovered, marks],
  );
  const onSelect = (node: number) => {
    const tensor = network.nodes[node]?.layers[0]?.tensor;
    if (tensor !== undefined) select(tensor);
  };
  const onOpen = (node: number) =>
    open("layer", network.nodes[node]?.layers[0]?.tensor);
  const jump = (node: number | undefined) => {
    if (node === undefined) return;
    onSelect(node);
    handle.current?.centre(node);
  };

  return (
    <section class="graph" aria-label="Graph of the network">
      <div class="tools">
        <Search
          text={search}
          onText={setSearch}
          found={found}
          selected={selected}
          onJump={jump}
        />
        <label>
          Color{" "}
          <select
            value={quantity?.id}
            onChange={(event) =>
              setQuantityId(
                available.find((q) => q.id === event.currentTarget.value)?.id,
              )
            }
          >
            {available.map((q) => (
              <option key={q.id} value={q.id}>
                {q.title}
              </option>
            ))}
          </select>
        </label>
        {quantity?.isPerTable && (
          <label>
            Table{" "}
            <select
              value={table}
              onChange={(event) =>
                setTable(build.tables.find((t) => t === event.currentTarget.value))
              }
            >
              {build.tables.map((key) => (
                <option key={key}>{key}</option>
              ))}
            </select>
          </label>
        )}
        <span class="zoom">
          <button
            type="button"
            aria-label="Zoom in"
            onClick={() => handle.current?.zoom(zoomStep)}
          >
            +
          </button>
          <button
            type="button"
            aria-label="Zoom out"
            onClick={() => handle.current?.zoom(1 / zoomStep)}
          >
            −
          </button>
          <button type="button" onClick={() => handle.current?.fit()}>
            Fit
          </button>
        </span>
      </div>
      <Legend scale={scale} build={build} network={network} isDark={dark} />
      {scene ? (
        <GraphCanvas
          scene={scene}
          label={`Graph of ${plural(network.nodes.length, "layer")}. ${keysHelp}`}
          isDark={dark}
          onSelect={onSelect}
          onOpen={onOpen}
          onHover={setHovered}
          handle={handle}
        />
      ) : (
        <p role="status">Laying out {plural(network.nodes.length, "layer")} …</p>
      )}
      <Caption
        network={network}
        node={hovered >= 0 ? hovered : selected}
        scale={scale}
      />
    </section>
  );
}

function valueText(scale: Scale | undefined, index: number): string {
  const value = scale?.values[index];
  if (!scale || value === undefined) return "–";
  return Number.isFinite(value) ? scale.quantity.format(value) : numberText(value);
}

function Search(props: {
  text: string;
  onText: (text: string) => void;
  found: number[];
  selected: number;
  onJump: (node: number | undefined) => void;
}) {
  const { found } = props;
  const place = found.indexOf(props.selected);
  const step = (by: number) => {
    const from = place < 0 && by < 0 ? 0 : place;
    props.onJump(found.at((from + by) % Math.max(1, found.length)));
  };
  const isSearching = props.text.trim() !== "";
  return (
    <span class="search">
      <input
        type="search"
        placeholder="Find a layer"
        aria-label="Find a layer; Enter goes to the next one"
        value={props.text}
        onInput={(event) => props.onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
        }}
      />
      {isSearching && (
        <>
          <span role="status">
            {place >= 0 ? `${place + 1} of ` : ""}
            {found.length} found
          </span>
          <button
            type="button"
            aria-label="Previous"
            disabled={found.length === 0}
            onClick={() => step(-1)}
          >
            ↑
          </button>
          <button
            type="button"
            aria-label="Next"
            disabled={found.length === 0}
            onClick={() => step(1)}
          >
            ↓
          </button>
        </>
      )}
    </span>
  );
}

function Legend(props: {
  scale?: Scale;
  build: Build;
  network: Network;
  isDark: boolean;
}) {
  const { scale, network } = props;
  const kinds = useMemo(() => {
    const types = new Map<WidthClass, Set<string>>();
    for (const { type } of network.edges) {
      const kind = widthClassOf(type);
      types.set(kind, (types.get(kind) ?? new Set()).add(type));
    }
    return types;
  }, [network]);
  const conversions = network.edges.flatMap((edge) => edge.conversion ?? []);
  return (
    <div class="graph-legend">
      {scale && scale.ticks.length > 0 && (
        <span class="scale">
          <span>{scale.quantity.title}</span>
          {scale.ticks.length > 1 && (
            <span
              class="gradient"
              aria-hidden="true"
              style={{ backgroundImage: gradientOf(props.isDark) }}
            />
          )}
          <span>
            {scale.ticks
              .map(scale.quantity.tickText ?? scale.quantity.format)
              .join(" … ")}
          </span>
        </span>
      )}
      {[...kinds].map(([kind, types]) => (
        <span key={kind} class="line">
          <svg width="34" height="8" aria-hidden="true">
            <line
              x1="0"
              y1="4"
              x2="34"
              y2="4"
              stroke="currentColor"
              stroke-width="2"
              stroke-dasharray={dashes[kind].join(" ")}
            />
          </svg>
          <Name of={[...types].join(", ")} most={24} />
        </span>
      ))}
      {conversions.length > 0 && (
        <span>
          <span class="pill">{conversions[0]}</span>{" "}
          {props.build.profile
            ? `conversion, ${conversions.length} in all`
            : `change of type, ${conversions.length} in all`}
        </span>
      )}
    </div>
  );
}

/// What is under the mouse, or selected, in words.
function Caption(props: { network: Network; node: number; scale?: Scale }) {
  const { network, node: index, scale } = props;
  const node = network.nodes[index];
  if (!node)
    return (
      <p class="graph-caption" role="status">
        Drag to move, turn the wheel to zoom, click a layer to select it.
      </p>
    );
  const into = network.edges.filter((edge) => edge.to === index);
  const converted = into.filter((edge) => edge.conversion);
  return (
    <p class="graph-caption" role="status">
      <strong>
        <Name of={node.operator} most={90} />
      </strong>{" "}
      {node.type}, {node.qdtype}
      {scale && `; ${scale.quantity.title} ${valueText(scale, index)}`}; reads{" "}
      {plural(into.length, "tensor")}, read by{" "}
      {plural(network.readers[index]?.length ?? 0, "layer")}
      {converted.map((edge) => (
        <span key={edge.tensor}>
          ; <Name of={edge.tensor} most={40} /> {edge.conversion}
        </span>
      ))}
      .
    </p>
  );
}
