//===- Layers.tsx - All tables of the analysis as one ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A row for each layer, with columns of any method and mode.
//===----------------------------------------------------------------------===//
import { useMemo } from "preact/hooks";
import { whyNoShares } from "../data";
import type { Data } from "../data";
import { layerFilter, open, select, selectedTensor } from "../store";
import { inlineName } from "../ui/format";
import { Table } from "../ui/Table";
import { layerColumns } from "./layerColumns";

export function LayersView(props: { data: Data }) {
  const build = props.data.main;
  const { data } = props;
  const columns = useMemo(() => layerColumns(data), [data]);
  const unmatched = new Set(
    build.analysis?.tables.flatMap((table) => table.unmatched),
  );
  return (
    <>
      <p class="soft">
        PerLayer is the error of a layer by itself; EndToEnd includes the errors
        of all layers before it. A cosine with ! is below the threshold. Arrow
        keys move, Enter opens the layer. {whyNoShares(build)}{" "}
        {data.second && "Changes are the second build minus the first one."}
      </p>
      <Table
        label="Layers"
        rows={build.layers}
        columns={columns}
        rowKey={(layer) => layer.tensor}
        selected={selectedTensor.value}
        onSelect={(layer) => select(layer.tensor)}
        onOpen={(layer) => open("layer", layer.tensor)}
        filter={layerFilter.value}
        onFilter={(text) => {
          layerFilter.value = text;
        }}
        fileName="layers.csv"
        visibleRows={28}
      />
      {unmatched.size > 0 && (
        <p class="soft">
          Not compared:{" "}
          {[...unmatched].map((name) => inlineName(name)).join(", ")}.
        </p>
      )}
    </>
  );
}
