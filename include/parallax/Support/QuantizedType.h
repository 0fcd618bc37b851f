//===- QuantizedType.h - Parameters of MLIR's quantized types --*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The bridge between !quant.uniform types and the plain numbers that kernels
// and tables use.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_QUANTIZEDTYPE_H
#define PARALLAX_SUPPORT_QUANTIZEDTYPE_H

#include "parallax/Support/AffineParams.h"
#include "parallax/Support/DType.h"
#include "parallax/Support/LLVM.h"

#include "mlir/IR/Value.h"

#include <vector>

namespace parallax {

/// A scale and a zero point for each entry of dimension `axis`.
struct ChannelParams {
  std::vector<float> scales;
  std::vector<int64_t> zeroPoints;
  int64_t axis = 0;
};

/// The smallest and the greatest code.
struct CodeLimits {
  int64_t low = 0, high = 0;
};

/// All codes of an integer type.
CodeLimits codeLimitsOf(DType storage);

/// True for a type, or a tensor of a type, that stands for codes.
bool isQuantized(Type type);

/// The type of a tensor without the range that calibration has given it.
Type withoutRange(Type type);

/// One scale for all: `storage` is an integer type of 8, 16 or 32 bits.
Type quantizedType(MLIRContext *context, DType storage,
                   const AffineParams &params);

/// Symmetric, with one scale for each entry of dimension `axis`. The most
/// negative code is left out.
Type quantizedType(MLIRContext *context, DType storage,
                   const std::vector<float> &scales, int64_t axis);

/// The same with zero points, and any smallest and greatest code.
Type quantizedType(MLIRContext *context, DType storage,
                   const ChannelParams &params, CodeLimits limits);

/// The parameters of a type with one scale.
AffineParams affineParamsOf(Type type);

/// True for a type with one scale for each entry of a dimension.
bool isPerAxis(Type type);

/// The parameters of a type with one scale, as one entry, or with many.
ChannelParams channelParamsOf(Type type);

/// The integer type of the codes.
DType storageOf(Type type);

/// Notes on an npu operation what the codes of each of its results
/// stand for: a quantized element type, or null for results without codes.
void setCodeTypes(Operation *op, ArrayRef<Type> types);

/// The quantized type of a result, of its own or as noted by setCodeTypes; null
/// if it has no codes.
Type codeTypeOf(mlir::OpResult result);

} // namespace parallax

#endif // PARALLAX_SUPPORT_QUANTIZEDTYPE_H
