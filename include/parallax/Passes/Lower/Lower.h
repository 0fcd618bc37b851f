//===- Lower.h - The view npu of a network ----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The last view of a network: integers in place of quantized types, and in
// place of each operator the formula of docs/numerics.md with its multipliers,
// shifts and tables.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_LOWER_LOWER_H
#define PARALLAX_PASSES_LOWER_LOWER_H

#include "parallax/Config/Target.h"
#include "parallax/Support/LLVM.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parallax {

struct LowerReport {
  /// A layer that reads or gives codes, but computes in float.
  struct Island {
    std::string layer, op, why;
  };
  /// How far a sum of products stays within its accumulator (C27).
  struct Margin {
    std::string layer;
    int accumulatorBits = 0, bits = 0;
    /// The least and the greatest of its channels (C12); none for a layer that
    /// rounds in another way.
    std::optional<std::pair<int64_t, int64_t>> multiplier = {}, shift = {};
  };

  /// Layers in integer arithmetic, layers that move codes, clamps that became
  /// limits of another layer, and all layers that compute in float: the
  /// islands, and those that neither read nor give codes.
  int64_t integerLayers = 0, movements = 0, clamps = 0, floatLayers = 0;
  std::vector<Island> islands;
  std::vector<Margin> margins;
};

/// Adds a function called "npu" beside `quantized`, with the same inputs,
/// outputs and layer names. A Relu or Clip on codes of its own type has no
/// layer of its own: the layer before it gives its result. The function
/// has an attribute that says which arithmetic of the target it relies on.
/// Fails with an error if an accumulator could overflow.
FailureOr<mlir::func::FuncOp> lowerNetwork(mlir::func::FuncOp quantized,
                                           const Target &target,
                                           LowerReport *report = nullptr);

} // namespace parallax

#endif // PARALLAX_PASSES_LOWER_LOWER_H
