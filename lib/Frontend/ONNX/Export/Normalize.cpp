//===- Normalize.cpp - Export of normalizations and softmax ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Those that ONNX got late, or without a lower bound of the norm, are functions
// of ours.
//===----------------------------------------------------------------------===//
#include "ExportLine.h"

namespace parallax::onnx_export {

static Operator chooseLpNormalization(nn::LpNormalizationOp op) {
  if (op.getEpsilon().isZero())
    return {"LpNormalization"};
  return {op.getP() == 1 ? "L1Normalization" : "L2Normalization", true};
}

static void writeLpNormalization(Layer &layer, nn::LpNormalizationOp op) {
  layer.addOperand(op.getX());
  axis()(layer);
  if (op.getEpsilon().isZero())
    layer.setInt("p", int64_t(op.getP()));
  else
    layer.setFloat("epsilon", op.getEpsilon().convertToFloat());
}

void addNormalizeExports(ExportTable &table) {
  table.direct<nn::BatchNormalizationOp>("BatchNormalization",
                                         {copy("epsilon")});
  table.function<nn::GroupNormalizationOp>(
      "GroupNormalization", {copy("epsilon"), copy("num_groups")});
  table.direct<nn::HardmaxOp>("Hardmax", {axis()});
  table.direct<nn::InstanceNormalizationOp>("InstanceNormalization",
                                            {copy("epsilon")});
  table
      .direct<nn::LayerNormalizationOp>("LayerNormalization",
                                        {axis(), copy("epsilon")})
      .requiredResults = 1;
  table.direct<nn::LogSoftmaxOp>("LogSoftmax", {axis()});
  table.onOp<nn::LpNormalizationOp>(chooseLpNormalization,
                                    writeLpNormalization);
  table.direct<nn::LRNOp>(
      "LRN", {copy("alpha"), copy("beta"), copy("bias"), copy("size")});
  table.direct<nn::MeanVarianceNormalizationOp>("MeanVarianceNormalization",
                                                {copy("axes")});
  table.function<nn::NormalizeOp>("Normalize",
                                  {axis(), copy("mean"), copy("std")});
  table.function<nn::RMSNormalizationOp>("RMSNormalization",
                                         {axis(), copy("epsilon")});
  table.direct<nn::SoftmaxOp>("Softmax", {axis()});
}

} // namespace parallax::onnx_export
