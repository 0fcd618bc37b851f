//===- Reduce.cpp - Export of reductions ----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The axes moved from an attribute to an operand, and of ReduceSum earlier than
// of the others; with that came reductions along no axis at all.
//===----------------------------------------------------------------------===//
#include "ExportLine.h"

namespace parallax::onnx_export {

template <typename OpTy>
static void writeReduceSince(Layer &layer, OpTy op, int64_t operandSince) {
  ArrayRef<int64_t> axes = op.getAxes();
  bool isNone = axes.empty() && layer.operandRank(0) > 0;
  if (isNone)
    layer.needs(operandSince);
  if (layer.operandElements(0) == DType::Bool)
    layer.needs(20);
  layer.addOperand(op.getX());
  if (!axes.empty() && layer.opset() >= operandSince)
    layer.addInts("axes", axes);
  else if (!axes.empty())
    layer.setInts("axes", axes);
  layer.setInt("keepdims", op.getKeepdims());
  if (isNone)
    layer.setInt("noop_with_empty_axes", 1);
}

template <typename OpTy> static void writeReduce(Layer &layer, OpTy op) {
  writeReduceSince(layer, op, 18);
}

static void writeReduceSum(Layer &layer, nn::ReduceSumOp op) {
  writeReduceSince(layer, op, 13);
}

static std::vector<Parameter> argReduce() {
  return {axis(), copy("keepdims"), copy("select_last_index")};
}

static void writeTopK(Layer &layer, nn::TopKOp op) {
  layer.addOperand(op.getX());
  layer.addInts("k", {int64_t(op.getK())});
  writeParameters(layer, {axis(), copy("largest"), copy("sorted")});
}

static void writeCumSum(Layer &layer, nn::CumSumOp op) {
  layer.addOperand(op.getX());
  layer.addInt("axis",
               normalizedAxis(int64_t(op.getAxis()), layer.operandRank(0)));
  writeParameters(layer, {copy("exclusive"), copy("reverse")});
}

void addReduceExports(ExportTable &table) {
  table.direct<nn::ArgMaxOp>("ArgMax", argReduce());
  table.direct<nn::ArgMinOp>("ArgMin", argReduce());
  table.onOp<nn::CumSumOp>("CumSum", writeCumSum);
  table.onOp<nn::ReduceL1Op>("ReduceL1", writeReduce);
  table.onOp<nn::ReduceL2Op>("ReduceL2", writeReduce);
  table.onOp<nn::ReduceLogSumOp>("ReduceLogSum", writeReduce);
  table.onOp<nn::ReduceLogSumExpOp>("ReduceLogSumExp", writeReduce);
  table.onOp<nn::ReduceMaxOp>("ReduceMax", writeReduce);
  table.onOp<nn::ReduceMeanOp>("ReduceMean", writeReduce);
  table.onOp<nn::ReduceMinOp>("ReduceMin", writeReduce);
  table.onOp<nn::ReduceProdOp>("ReduceProd", writeReduce);
  table.onOp<nn::ReduceSumOp>("ReduceSum", writeReduceSum);
  table.onOp<nn::ReduceSumSquareOp>("ReduceSumSquare", writeReduce);
  table.onOp<nn::TopKOp>("TopK", writeTopK);
}

} // namespace parallax::onnx_export
