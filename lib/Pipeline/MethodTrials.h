//===- MethodTrials.h - Other calibration methods, executed ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Cut values all err in one direction, and whether that hurts depends on who
// reads them: no histogram tells. So networks with the ranges of other methods
// are built in memory and run bit by bit on a few samples.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PIPELINE_METHODTRIALS_H
#define PARALLAX_LIB_PIPELINE_METHODTRIALS_H

#include "parallax/Passes/Analyze/Analyze.h"
#include "parallax/Pipeline/CompareOutputs.h"
#include "parallax/Pipeline/MethodNetworks.h"

namespace parallax {

/// The outputs of the first samples, in float and on the NPU, as an analysis
/// sees them.
class SeenOutputs {
public:
  SeenOutputs(const std::vector<PortInfo> &outputs, size_t samples);

  void take(const ComparedValues &compared);

  /// Whether there are all outputs of as many samples.
  bool areComplete(size_t samples) const;

  SampleOutputs floats, machine;

private:
  std::vector<std::string> names;
};

class MethodTrials {
public:
  /// Each costs an inference for each method.
  static constexpr size_t mostSamples = 4;

  /// `samples` are those of the analysis, which has seen some outputs; the
  /// first of them are used. Nothing runs before something is asked.
  MethodTrials(BuildState &state, Samples samples, const SeenOutputs &seen);

  size_t sampleCount() const { return samples.count; }

  /// The part of the loss of the outputs that the ranges of another method
  /// leave. Nothing if there is no loss, or if it can't be built.
  std::optional<double> partLeft(QuantMethod method);

private:
  void begin();
  std::vector<ComparedOutput> run(mlir::func::FuncOp machine) const;

  BuildState &state;
  Samples samples;
  const SeenOutputs &seen;
  SampleOutputs floats;
  std::optional<MethodNetworks> networks;
  double loss = 0;
};

} // namespace parallax

#endif // PARALLAX_LIB_PIPELINE_METHODTRIALS_H
