//===- WeightPlace.h - Where operators have their weights ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Asked by the rules about precision, and by what turns weights into codes.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_QUANTIZE_WEIGHTPLACE_H
#define PARALLAX_LIB_PASSES_QUANTIZE_WEIGHTPLACE_H

#include "parallax/Support/LLVM.h"

namespace parallax::quantize {

/// Numbers of operands, or -1.
struct WeightPlace {
  int input = 0;
  /// A constant, as floats or as codes.
  int weight = -1;
  /// What is added to the products as they are.
  int bias = -1;
  /// The dimension of the weight's output channels; -1 for one scale.
  int64_t axis = -1;
};

WeightPlace weightPlaceOf(Operation *op);

} // namespace parallax::quantize

#endif // PARALLAX_LIB_PASSES_QUANTIZE_WEIGHTPLACE_H
