//===- network.ts - The layers of a build as a graph ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A node is an operator, also where it has several results; an edge is a tensor
// that it reads. Edges say which type they have and where it is converted.
//===----------------------------------------------------------------------===//
import type { Build, Layer } from "../data";
import type { ProfileLine } from "../types";
import type { GraphShape } from "./layout";

export interface GraphNode {
  operator: string;
  type: string;
  qdtype: string;
  isInput: boolean;
  isOutput: boolean;
  /// One for each result.
  layers: Layer[];
}

export interface GraphEdge {
  from: number;
  to: number;
  tensor: string;
  type: string;
  /// Such as "U8→U16", where the reader gets other codes than were written.
  conversion?: string;
  /// Counts edges between the same two nodes, which are drawn side by side.
  lane: number;
}

export interface Network {
  nodes: GraphNode[];
  edges: GraphEdge[];
  shape: GraphShape;
  nodeOfTensor: Map<string, number>;
  /// Neighbours of each node, in the order of its operands and readers.
  producers: number[][];
  readers: number[][];
}

/// How wide the codes of a type are, which is how edges are told apart.
export type WidthClass = "8 bits" | "16 bits" | "float or other";

export function widthClassOf(type: string): WidthClass {
  if (/^[US]8$/.test(type)) return "8 bits";
  return /^[US]16$/.test(type) ? "16 bits" : "float or other";
}

/// "ui16" of the compiler is "U16" in the tables.
function tableType(type: string): string {
  const match = /^(ui|i|f|bf)(\d+)$/.exec(type.trim());
  if (!match) return type.trim();
  const names: Record<string, string> = { ui: "U", i: "S", f: "FP", bf: "BF" };
  return (names[match[1] ?? ""] ?? "") + (match[2] ?? "");
}

/// What a line such as "ui16 x i8 -> ui8" reads and writes.
function typesOf(line: ProfileLine): { reads: string; writes: string } {
  const [reads = "", writes = ""] = line.types.split("->");
  return {
    reads: tableType(reads.split(" x ")[0] ?? ""),
    writes: tableType(writes),
  };
}

/// Finds conversions of tensors. The compiler names the ones it inserts after
/// the tensor and its new type, and the reader if it is for that one only.
function conversionFinder(build: Build) {
  const { profile } = build;
  if (!profile)
    return (producer: Layer, reader: Layer) =>
      producer.qdtype === reader.qdtype
        ? undefined
        : `${producer.qdtype}→${reader.qdtype}`;

  const inserted = new Map<string, ProfileLine>();
  for (const line of profile)
    if (!build.byOperator.has(line.layer)) inserted.set(line.layer, line);
  const types = new Set([...inserted.values()].map((l) => typesOf(l).writes));
  return (producer: Layer, reader: Layer) => {
    const own = reader.profile[0];
    const reads = own ? typesOf(own).reads : reader.qdtype;
    const line =
      [...types]
        .map((type) => `${producer.tensor}_${type}_for_${reader.operator}`)
        .map((name) => inserted.get(name))
        .find((found) => found !== undefined) ??
      inserted.get(`${producer.tensor}_${reads}`) ??
      (/^FP/.test(reads)
        ? inserted.get(`${producer.tensor}_dequantized`)
        : undefined);
    if (!line) return undefined;
    const { reads: from, writes: to } = typesOf(line);
    return from === to ? `${to} rescaled` : `${from}→${to}`;
  };
}

function nodeOf(operator: string, layers: Layer[]): GraphNode {
  const first = layers[0];
  return {
    operator,
    type: first?.type ?? "",
    qdtype: first?.qdtype ?? "",
    isInput: first?.isInput ?? false,
    isOutput: layers.some((layer) => layer.isOutput),
    layers,
  };
}

export function networkOf(build: Build): Network {
  const nodes = [...build.byOperator].map(([name, list]) => nodeOf(name, list));
  const nodeOfTensor = new Map<string, number>();
  nodes.forEach((node, index) => {
    for (const layer of node.layers) nodeOfTensor.set(layer.tensor, index);
  });
  const conversionOf = conversionFinder(build);
  const edges: GraphEdge[] = [];
  const lanes = new Map<string, number>();
  nodes.forEach((node, to) => {
    // All results of an operator have the same inputs.
    const reader = node.layers[0];
    for (const producer of reader?.producers ?? []) {
      const from = nodeOfTensor.get(producer.tensor);
      if (!reader || from === undefined || from === to) continue;
      const pair = `${from} ${to}`;
      const lane = lanes.get(pair) ?? 0;
      lanes.set(pair, lane + 1);
      edges.push({
        from,
        to,
        tensor: producer.tensor,
        type: producer.qdtype,
        conversion: conversionOf(producer, reader),
        lane,
      });
    }
  });
  const producers: number[][] = nodes.map(() => []);
  const readers: number[][] = nodes.map(() => []);
  for (const { from, to, lane } of edges) {
    if (lane > 0) continue;
    producers[to]?.push(from);
    readers[from]?.push(to);
  }
  return {
    nodes,
    edges,
    shape: {
      count: nodes.length,
      edges: edges.map(({ from, to }) => [from, to]),
    },
    nodeOfTensor,
    producers,
    readers,
  };
}

const networks = new WeakMap<Build, Network>();

/// The graph of a build, made once: layouts are remembered by it.
export function cachedNetworkOf(build: Build): Network {
  let network = networks.get(build);
  if (!network) {
    network = networkOf(build);
    networks.set(build, network);
  }
  return network;
}
