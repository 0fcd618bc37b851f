//===- Reduce.cpp - Import of reductions ----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reductions, arg-reductions, selection and running sums. Their axes moved from
// an attribute to an operand, and of ReduceSum earlier than of the others.
//===----------------------------------------------------------------------===//
#include "ImportLine.h"

namespace parallax::onnx_import {

/// `axesOperandSince` is the version in which the axes became an operand.
template <typename OpTy>
static ImportFunction reduce(int64_t axesOperandSince) {
  return [axesOperandSince](Node &node) {
    int64_t rank = node.inputRank(0);
    std::vector<int64_t> axes = node.intsParameter("axes", 1, axesOperandSince)
                                    .value_or(std::vector<int64_t>());
    if (axes.empty() && node.intAttribute("noop_with_empty_axes", 0) == 0)
      axes = firstAxes(rank);
    axes = node.normalizedAxes(std::move(axes), rank);
    Attributes attributes = readParameters(node, {flag("keepdims")});
    attributes.push_back(node.named("axes", node.i64s(axes)));
    node.emit<OpTy>({node.input(0)}, attributes);
  };
}

template <typename OpTy> static ImportFunction argReduce() {
  return unary<OpTy>({axis(0), flag("keepdims"), flag("select_last_index")});
}

static void importTopK(Node &node) {
  int64_t k = node.opset() < 10 ? node.requiredInt("k") : integerInput(node, 1);
  Attributes attributes =
      readParameters(node, {axis(-1), flag("largest"), flag("sorted")});
  attributes.push_back(node.named("k", node.i64(k)));
  node.emit<nn::TopKOp>({node.input(0)}, attributes);
}

static void importCumSum(Node &node) {
  int64_t axis = node.normalizedAxis(integerInput(node, 1), node.inputRank(0));
  Attributes attributes =
      readParameters(node, {flag("exclusive"), flag("reverse")});
  attributes.push_back(node.named("axis", node.i64(axis)));
  node.emit<nn::CumSumOp>({node.input(0)}, attributes);
}

void addReduceImports(ImportTable &table) {
  table.onOp("ArgMax", 1, argReduce<nn::ArgMaxOp>());
  table.onOp("ArgMin", 1, argReduce<nn::ArgMinOp>());
  table.onOp("CumSum", 11, importCumSum);
  table.onOp("ReduceL1", 1, reduce<nn::ReduceL1Op>(18));
  table.onOp("ReduceL2", 1, reduce<nn::ReduceL2Op>(18));
  table.onOp("ReduceLogSum", 1, reduce<nn::ReduceLogSumOp>(18));
  table.onOp("ReduceLogSumExp", 1, reduce<nn::ReduceLogSumExpOp>(18));
  table.onOp("ReduceMax", 1, reduce<nn::ReduceMaxOp>(18));
  table.onOp("ReduceMean", 1, reduce<nn::ReduceMeanOp>(18));
  table.onOp("ReduceMin", 1, reduce<nn::ReduceMinOp>(18));
  table.onOp("ReduceProd", 1, reduce<nn::ReduceProdOp>(18));
  table.onOp("ReduceSum", 1, reduce<nn::ReduceSumOp>(13));
  table.onOp("ReduceSumSquare", 1, reduce<nn::ReduceSumSquareOp>(18));
  table.onOp("TopK", 1, importTopK);
}

} // namespace parallax::onnx_import
