//===- Qdq.h - Quantized networks as ONNX spells them ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// ONNX has no quantized types. It writes a tensor of codes as a float tensor
// that goes through QuantizeLinear and DequantizeLinear, which runtimes execute
// each in their own way.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_QUANTIZE_QDQ_H
#define PARALLAX_PASSES_QUANTIZE_QDQ_H

#include "parallax/Config/Enums.h"
#include "parallax/Support/LLVM.h"

#include <string>
#include <vector>

namespace parallax {

/// Adds a function called "qdq" that computes what `quantized` does, without
/// quantized types. A tensor of codes t becomes t (float), t_QuantizeLinear
/// (the codes) and t_DequantizeLinear. U8U8 writes 8-bit weights as codes with
/// the zero point 128, which stand for the same values.
FailureOr<mlir::func::FuncOp> addQdqView(mlir::func::FuncOp quantized,
                                         QdqFormat format = QdqFormat::U8S8);

struct QdqReport {
  int64_t tensors = 0, weights = 0;
  /// Layers of quantization that no type can express, such as scales per block,
  /// and that stay as they are.
  std::vector<std::string> remaining;
};

/// Adds a function called "quantized" for a network that was quantized by
/// others: the parameters of its QuantizeLinear and DequantizeLinear become
/// types, as they are.
FailureOr<mlir::func::FuncOp>
addQuantizedViewOfQdq(mlir::func::FuncOp network, QdqReport *report = nullptr);

} // namespace parallax

#endif // PARALLAX_PASSES_QUANTIZE_QDQ_H
