//===- AnalyzedNetwork.h - What an analysis looks at -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The views of a network, what is compared, and who looks on.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_ANALYZE_ANALYZEDNETWORK_H
#define PARALLAX_PASSES_ANALYZE_ANALYZEDNETWORK_H

#include "parallax/Analysis/PrecisionReport.h"
#include "parallax/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>
#include <span>

namespace parallax {

/// The views of one network, with the same inputs.
struct AnalyzedNetwork {
  mlir::func::FuncOp network, quantized;
  /// Null if nothing is asked of the NPU.
  mlir::func::FuncOp machine;
  /// As the model has it, before it was optimized; null if nobody asks what
  /// each stage loses. It may be in another module.
  mlir::func::FuncOp imported = {};
};

/// What is to be compared with the float network.
struct Comparison {
  AnalysisMethod method = AnalysisMethod::PerLayer;
  AnalysisMode mode = AnalysisMode::Reference;

  bool operator==(const Comparison &) const = default;
};

/// The values of one tensor in one sample, as they were compared.
struct ComparedValues {
  size_t sample = 0;
  const std::string &tensor;
  /// None for the float network itself.
  std::optional<Comparison> comparison;
  const Tensor &values;
};

struct AnalysisOptions {
  int threads = 1;
  /// Called after each sample, in their order.
  std::function<void()> done = nullptr;
  /// Sees everything that is compared; may be called from any thread.
  std::function<void(const ComparedValues &)> look = nullptr;
  /// Sees the outputs of the float network, and with all errors accumulated,
  /// of samples that this rank runs; may be called from any thread.
  std::function<void(const ComparedValues &)> lookAtOutputs = nullptr;
  /// Whether the loss of outputs is shared out among layers.
  bool attributes = false;
  /// On so many samples, if there are as many.
  size_t attributedSamples = 2;
  /// What an error of each element of the outputs is worth, for what layers
  /// lose alone; see Task::weighErrors. By default all are alike.
  std::function<bool(std::span<const Tensor> outputs,
                     std::span<const std::span<float>> weights)>
      weigh = nullptr;
};

} // namespace parallax

#endif // PARALLAX_PASSES_ANALYZE_ANALYZEDNETWORK_H
