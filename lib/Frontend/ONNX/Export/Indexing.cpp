//===- Indexing.cpp - Export of operators whose addresses are data --------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Gather, scatter and their relatives.
//===----------------------------------------------------------------------===//
#include "ExportLine.h"

namespace parallax::onnx_export {

/// Version 18 added minimum and maximum.
static Parameter reduction() {
  return [](Layer &layer) {
    StringRef word = layer.op->getAttrOfType<StringAttr>("reduction");
    if (word == "min" || word == "max")
      layer.needs(18);
    layer.setString("reduction", word);
  };
}

void addIndexingExports(ExportTable &table) {
  table.direct<nn::GatherOp>("Gather", {axis()});
  table.direct<nn::GatherElementsOp>("GatherElements", {axis()});
  table.direct<nn::GatherNDOp>("GatherND", {copy("batch_dims")});
  table.direct<nn::NonZeroOp>("NonZero");
  table.direct<nn::ScatterElementsOp>("ScatterElements", {axis(), reduction()});
  table.direct<nn::ScatterNDOp>("ScatterND", {reduction()});
}

} // namespace parallax::onnx_export
