//===- LiteralProducts.cpp - A literal reading of float products ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and products with `data_type: FP32`: C91 of docs/numerics.md,
// the same in the quantized view and in that of the NPU.
//===----------------------------------------------------------------------===//
#include "LiteralAttributes.h"

#include "parallax/Dialect/NN/NNOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <bit>

namespace parallax::literal {
namespace {

Array transposedOf(const Array &x) {
  Array result(Dims{x.dims[1], x.dims[0]});
  for (int64_t i = 0; i < x.dims[0]; ++i)
    for (int64_t j = 0; j < x.dims[1]; ++j)
      result.at({j, i}) = x.at({i, j});
  return result;
}

template <typename OpTy>
Floats convolved(OpTy op, const Items &x, const Dims &y, bool isTransposed) {
  ArrayRef<int64_t> pads = op.getPads();
  return floatConv(floatsOf(x[0]), floatsOf(x[1]),
                   x.size() > 2 ? x[2].floats : Floats(), y,
                   op.getStrides().vec(), op.getDilations().vec(),
                   pads.take_front(pads.size() / 2).vec(),
                   int64_t(op.getGroup()), isTransposed)
      .values;
}

Floats fullyConnectedOf(const Items &x, const Dims &y) {
  Floats result =
      floatMatmul(floatsOf(x[0]), transposedOf(floatsOf(x[1])), y).values;
  if (x.size() > 2)
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = result[i] + x[2].floats[i % x[2].floats.size()];
  return result;
}

/// For a C of one number per column.
Floats gemmOf(nn::GemmOp op, const Items &x, const Dims &y) {
  Array a = floatsOf(x[0]), b = floatsOf(x[1]);
  Floats result = floatMatmul(op.getTransA() ? transposedOf(a) : a,
                              op.getTransB() ? transposedOf(b) : b, y)
                      .values;
  float alpha = op.getAlpha().convertToFloat();
  float beta = op.getBeta().convertToFloat();
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = alpha * result[i];
    if (x.size() > 2 && beta != 0) {
      float scaled = beta * x[2].floats[i % x[2].floats.size()];
      result[i] = result[i] + scaled;
    }
  }
  return result;
}

} // namespace

bool multiplyLiterally(Operation *op, const Items &x, Items &results) {
  if (x.empty() || !x[0].isFloat)
    return false;
  const Dims &y = results[0].codes.dims;
  Floats found =
      llvm::TypeSwitch<Operation *, Floats>(op)
          .Case([&](nn::ConvOp op) { return convolved(op, x, y, false); })
          .Case(
              [&](nn::ConvTransposeOp op) { return convolved(op, x, y, true); })
          .Case([&](nn::FullyConnectedOp) { return fullyConnectedOf(x, y); })
          .Case([&](nn::MatMulOp) {
            return floatMatmul(floatsOf(x[0]), floatsOf(x[1]), y).values;
          })
          .Case([&](nn::GemmOp op) { return gemmOf(op, x, y); })
          .Default(Floats());
  // C90: one NaN for all.
  for (float &value : found)
    if (value != value)
      value = std::bit_cast<float>(uint32_t(0x7FC00000));
  results[0].floats = found;
  return !found.empty();
}

} // namespace parallax::literal
