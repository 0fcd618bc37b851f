//===- TensorMethods.h - Tensors with a method of their own ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Finds the tensors that the entries of tensor_configs select.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_CALIBRATE_TENSORMETHODS_H
#define PARALLAX_PASSES_CALIBRATE_TENSORMETHODS_H

#include "parallax/Config/BuildConfig.h"
#include "parallax/Passes/Calibrate/Statistics.h"
#include "parallax/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <span>

namespace parallax {

struct TensorMethods {
  decltype(CalibrationOptions::methodOf) byName;
  /// Sentences about entries, and parts of them, that select nothing.
  std::vector<std::string> unmatched;
};

/// Later entries win. What only a clamp reads is never observed itself, so what
/// selects it is for the clamped values. `percentile` is that of all tensors.
TensorMethods methodsOfTensors(mlir::func::FuncOp network,
                               std::span<const TensorConfig> configs,
                               double percentile);

} // namespace parallax

#endif // PARALLAX_PASSES_CALIBRATE_TENSORMETHODS_H
