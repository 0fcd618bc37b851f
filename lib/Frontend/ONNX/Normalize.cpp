//===- Normalize.cpp - Import of normalizations and softmax ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Two operators changed their meaning on the way: softmax once treated its
// operand as a matrix, and the scale of GroupNormalization once belonged to
// groups. Both are expressed in today's form.
//===----------------------------------------------------------------------===//
#include "ImportLine.h"

#include "llvm/ADT/STLExtras.h"

namespace parallax::onnx_import {

static void importBatchNormalization(Node &node) {
  if (node.intAttribute("training_mode", 0) != 0)
    node.fail("training mode is not supported");
  if (node.opset() < 9 && node.intAttribute("spatial", 1) != 1)
    node.fail("attribute 'spatial' = {} is not supported",
              node.intAttribute("spatial", 1));
  // Outputs after the first one are statistics of training, which older models
  // may name without reading them.
  node.setOutput(
      0, node.create<nn::BatchNormalizationOp>(
             "", operandsOf(node, 5), readParameters(node, {real("epsilon")})));
}

/// One number per group becomes one per channel.
static Value repeatPerChannel(Node &node, StringRef name, size_t index,
                              int64_t channels, int64_t groups) {
  Shape shape = staticShape(node, index);
  if (shape != Shape{groups})
    node.fail("{} has shape {}, expected {}", name.str(), toString(shape),
              groups);
  Value column = reshapeStep(node, (name + "_groups").str(), node.input(index),
                             {groups, 1});
  int64_t perGroup = channels / groups;
  Value expanded = node.create<nn::ExpandOp>(
      (name + "_members").str(), {column},
      {node.named("shape", node.i64s({groups, perGroup}))});
  return reshapeStep(node, name, expanded, {channels});
}

static void importGroupNormalization(Node &node) {
  SmallVector<Value> operands = operandsOf(node, 3);
  if (node.opset() < 21) {
    Shape shape = staticShape(node, 0);
    int64_t groups = node.requiredInt("num_groups");
    if (shape.size() < 2 || groups < 1 || shape[1] % groups != 0)
      node.fail("cannot divide the channels of shape {} into {} groups",
                toString(shape), groups);
    operands[1] = repeatPerChannel(node, "scale", 1, shape[1], groups);
    operands[2] = repeatPerChannel(node, "bias", 2, shape[1], groups);
  }
  node.emit<nn::GroupNormalizationOp>(
      operands,
      readParameters(node, {real("epsilon"), requiredInteger("num_groups")}));
}

static void importLayerNormalization(Node &node) {
  Attributes attributes = readParameters(node, {axis(-1), real("epsilon")});
  bool statistics = node.hasOutput(1) || node.hasOutput(2);
  attributes.push_back(node.named("with_statistics", node.boolean(statistics)));
  node.emit<nn::LayerNormalizationOp>(operandsOf(node, 2, 1), attributes);
}

static void importMeanVarianceNormalization(Node &node) {
  std::vector<int64_t> axes = node.normalizedAxes(
      node.intsAttribute("axes", {0, 2, 3}), node.inputRank(0));
  node.emit<nn::MeanVarianceNormalizationOp>(
      operandsOf(node, 1), {node.named("axes", node.i64s(axes))});
}

/// Before version 13: the dimensions from `axis` on are one.
template <typename OpTy> static void importOnMatrix(Node &node) {
  Shape shape = staticShape(node, 0);
  int64_t rank = int64_t(shape.size());
  int64_t axis = node.normalizedAxis(node.intAttribute("axis", 1), rank);
  auto onAxis = [&](int64_t axis) -> Attributes {
    return {node.named("axis", node.i64(axis))};
  };

  // If only one of them has more than one entry, it is that dimension alone.
  auto isLong = [](int64_t extent) { return extent != 1; };
  auto first = std::find_if(shape.begin() + axis, shape.end(), isLong);
  if (std::count_if(first, shape.end(), isLong) <= 1) {
    int64_t only = first == shape.end() ? rank - 1 : first - shape.begin();
    return node.emit<OpTy>({node.input(0)}, onAxis(only));
  }

  ArrayRef<int64_t> extents(shape);
  Value matrix =
      reshapeStep(node, "matrix", node.input(0),
                  {countElements(node, extents.take_front(axis), maxElements),
                   countElements(node, extents.drop_front(axis), maxElements)});
  Value rows = node.create<OpTy>("rows", {matrix}, onAxis(1));
  node.emit<nn::ReshapeOp>({rows}, {node.named("shape", node.i64s(shape))});
}

template <typename OpTy>
static void addSoftmax(ImportTable &table, StringRef name) {
  table.onOp(name, 1, importOnMatrix<OpTy>);
  table.onOp(name, 13, unary<OpTy>({axis(-1)}));
}

void addNormalizeImports(ImportTable &table) {
  table.onOp("BatchNormalization", 7, importBatchNormalization);
  table.onOp("GroupNormalization", 18, importGroupNormalization);
  addSoftmax<nn::HardmaxOp>(table, "Hardmax");
  table.onOp("InstanceNormalization", 6,
             ternary<nn::InstanceNormalizationOp>({real("epsilon")}));
  table.onOp("LayerNormalization", 17, importLayerNormalization);
  addSoftmax<nn::LogSoftmaxOp>(table, "LogSoftmax");
  table.onOp("LpNormalization", 1,
             unary<nn::LpNormalizationOp>({axis(-1), choice("p", {1, 2})}));
  table.onOp("LRN", 1,
             unary<nn::LRNOp>({real("alpha"), real("beta"), real("bias"),
                               requiredInteger("size")}));
  table.onOp("MeanVarianceNormalization", 9, importMeanVarianceNormalization);
  table.onOp("RMSNormalization", 23,
             binary<nn::RMSNormalizationOp>({axis(-1), real("epsilon")}));
  addSoftmax<nn::SoftmaxOp>(table, "Softmax");
}

} // namespace parallax::onnx_import
