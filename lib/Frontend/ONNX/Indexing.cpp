//===- Indexing.cpp - Import of operators whose addresses are data --------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Gather, scatter and their relatives. Compress selects by a mask; a mask that
// is known at import is a list of indices.
//===----------------------------------------------------------------------===//
#include "ImportLine.h"

namespace parallax::onnx_import {

static Parameter reduction() {
  return word("reduction", {"none", "add", "mul", "min", "max"});
}

static void importCompress(Node &node) {
  Tensor condition = node.constantInput(1);
  if (condition.dtype() != DType::Bool || condition.rank() != 1)
    node.fail("has a condition of shape {} and type {}, expected a list of "
              "Booleans",
              toString(condition.shape()), nameOf(condition.dtype()));
  Shape shape = staticShape(node, 0);
  Value x = node.input(0);
  int64_t axis = 0;
  if (node.hasAttribute("axis")) {
    axis = node.normalizedAxis(node.requiredInt("axis"), int64_t(shape.size()));
  } else {
    shape = {countElements(node, shape, maxElements)};
    x = reshapeStep(node, "flat", x, shape);
  }
  // The condition may be shorter than the dimension, which drops the rest.
  std::vector<int64_t> indices;
  for (int64_t index = 0; index < condition.size(); ++index)
    if (condition.data<bool>()[index])
      indices.push_back(index);
  if (!indices.empty() && indices.back() >= shape[axis])
    node.fail("selects index {} of a dimension of extent {}", indices.back(),
              shape[axis]);
  Shape indicesShape = {int64_t(indices.size())};
  node.emit<nn::GatherOp>(
      {x, node.constant<int64_t>(indicesShape, std::move(indices))},
      {node.named("axis", node.i64(axis))});
}

void addIndexingImports(ImportTable &table) {
  table.onOp("Compress", 9, importCompress);
  table.onOp("Gather", 1, binary<nn::GatherOp>({axis(0)}));
  table.onOp("GatherElements", 11, binary<nn::GatherElementsOp>({axis(0)}));
  table.onOp("GatherND", 11, binary<nn::GatherNDOp>({integer("batch_dims")}));
  table.onOp("NonZero", 9, unary<nn::NonZeroOp>());
  // The first name of ScatterElements.
  table.onOp("Scatter", 9, ternary<nn::ScatterElementsOp>({axis(0)}));
  table.onOp("ScatterElements", 11,
             ternary<nn::ScatterElementsOp>({axis(0), reduction()}));
  table.onOp("ScatterND", 11, ternary<nn::ScatterNDOp>({reduction()}));
}

} // namespace parallax::onnx_import
