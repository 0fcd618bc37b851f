//===- Combine.h - All views in one function -------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The views of a network become one function, in which each layer of the float
// network is followed by what is compared with it. The executor then runs all
// of them in one sweep, and its memory plan keeps a tensor just as long as
// somebody still needs it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_ANALYZE_SWEEP_COMBINE_H
#define PARALLAX_LIB_PASSES_ANALYZE_SWEEP_COMBINE_H

#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Passes/Analyze/AnalyzedNetwork.h"

#include "mlir/IR/IRMapping.h"

namespace parallax::analyze {

/// True for results of operations without operands.
bool isKnown(Value value);

/// A tensor of the combined function that somebody looks at.
struct Observation {
  /// The tensor of the float network that it stands for.
  size_t tensor = 0;
  /// None for the float network itself.
  std::optional<Comparison> comparison;
};

/// A tensor of the float network.
struct FloatTensor {
  std::string node, name, type;
  Shape shape;
  DType dtype = DType::F32;
  int64_t channelAxis = 1;
  /// The tensors that its layer reads, without weights.
  std::vector<std::string> inputs = {};
  bool isOutput = false;
  /// Whether its layer only moves elements.
  bool moves = false;
  /// Whether somebody will ask for the largest element of its rows.
  bool choosesClasses = false;
  /// Of an output whose shape leaves it open, where channels may be instead.
  std::optional<int64_t> otherAxis = {};
};

struct Combination {
  mlir::func::FuncOp function;
  std::vector<FloatTensor> tensors;
  std::vector<Observation> observations;
  /// What the codes of each observation stand for; none for floats and
  /// integers.
  std::vector<Type> codeTypes;
  /// The value of each observation, codes or floats.
  std::vector<Value> values;
  /// From values of the float network to those of its copy.
  mlir::IRMapping floats;
};

/// Operations with this attribute belong to the NPU.
inline constexpr const char *machineAttr = "analyze.machine";
/// Operations with this attribute are looked at.
inline constexpr const char *observedAttr = "analyze.observed";

/// Whether the rows of an output are scores of classes, and not too many.
bool choosesClasses(Value output);

/// Adds a function called "analysis" to the module.
Combination combine(const AnalyzedNetwork &views,
                    const std::vector<Comparison> &comparisons);

/// Float and quantized layers as the Reference engine computes them, those of
/// the NPU as the simulator does.
const KernelSet &combinedKernels();

/// How the combined function, and excerpts of it, are prepared.
PrepareOptions sweepOptions();

} // namespace parallax::analyze

#endif // PARALLAX_LIB_PASSES_ANALYZE_SWEEP_COMBINE_H
