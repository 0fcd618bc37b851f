//===- Reasons.cpp - Why operators compute in float -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Operators without a rule are few, and each has a reason that a user can read
// in the report of a lowering.
//===----------------------------------------------------------------------===//
#include "Lowering.h"

#include "llvm/ADT/TypeSwitch.h"

namespace parallax::lower {

Refusal orFloat(llvm::function_ref<Refusal()> rule) {
  try {
    return rule();
  } catch (const OverflowError &error) {
    return error.what();
  }
}

std::string reasonForFloat(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case<nn::GridSampleOp, nn::RoiAlignOp>([](auto) {
        return "it takes samples at positions that are computed in float";
      })
      .Case([](nn::LRNOp) {
        return "it divides by a power of a sum of squares, for which there is "
               "neither a table nor a root";
      })
      .Case<nn::ScatterNDOp, nn::ScatterElementsOp>([](auto) {
        return "it adds or multiplies where elements meet, and codes have no "
               "room for that";
      })
      .Case([](nn::ReduceProdOp) {
        return "a product of many elements has a range that no scale covers";
      })
      .Case<nn::IsNaNOp, nn::IsInfOp>(
          [](auto) { return "it asks for numbers that codes never stand for"; })
      .Case([](nn::ColorConvertOp) {
        return "it converts pixels, which come before codes";
      })
      .Case<nn::NonMaxSuppressionOp, nn::NonZeroOp, nn::OneHotOp, nn::HardmaxOp,
            nn::MaxPoolWithIndicesOp>([](auto) {
        return "it makes decisions or positions, which the processor computes";
      })
      .Case<nn::CastOp, nn::ModOp, nn::BitShiftOp, nn::QuantizeLinearOp,
            nn::DequantizeLinearOp>(
          [](auto) { return "it is arithmetic of other numbers than codes"; })
      .Default(std::string("the NPU has no integer operation for it"));
}

} // namespace parallax::lower
