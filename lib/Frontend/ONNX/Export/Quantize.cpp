//===- Quantize.cpp - Export of quantized storage -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Version 21 brought codes of 16 bits and scales per block.
//===----------------------------------------------------------------------===//
#include "ExportLine.h"

namespace parallax::onnx_export {

/// `codes` is the type of the quantized side.
template <typename OpTy>
static void writeScaled(Layer &layer, OpTy op, DType codes) {
  int64_t blockSize = int64_t(op.getBlockSize());
  if (sizeOf(codes) == 2 || blockSize != 0)
    layer.needs(21);
  layer.addOperands(op->getOperands());
  // A single scale has no axis.
  if (layer.operandRank(1) > 0)
    axis()(layer);
  if (blockSize != 0)
    layer.setInt("block_size", blockSize);
}

static void writeQuantize(Layer &layer, nn::QuantizeLinearOp op) {
  writeScaled(layer, op, layer.operandElements(2));
}

static void writeDequantize(Layer &layer, nn::DequantizeLinearOp op) {
  writeScaled(layer, op, layer.operandElements(0));
}

void addQuantizeExports(ExportTable &table) {
  table.onOp<nn::DequantizeLinearOp>("DequantizeLinear", writeDequantize);
  table.onOp<nn::QuantizeLinearOp>("QuantizeLinear", writeQuantize);
}

} // namespace parallax::onnx_export
