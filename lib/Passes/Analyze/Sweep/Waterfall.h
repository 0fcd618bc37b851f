//===- Waterfall.h - Which stage loses precision ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The sweep that compares layers has the outputs of most stages at hand; what
// it does not have is run beside it, on the first samples.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_ANALYZE_SWEEP_WATERFALL_H
#define PARALLAX_LIB_PASSES_ANALYZE_SWEEP_WATERFALL_H

#include "Combine.h"
#include "parallax/Support/Samples.h"

#include <array>

namespace parallax::analyze {

class Waterfall {
public:
  /// Runs the network as imported, and with codes for weights alone. Without
  /// an imported network there is nothing to compare with.
  Waterfall(const AnalyzedNetwork &views,
            const std::vector<Comparison> &comparisons,
            const Combination &combination, const Samples &samples,
            int threads);

  /// What the sweep sees, as values. Samples may come from different threads.
  void take(size_t sample, const Observation &observation,
            const Tensor &values);

  /// What was seen of a sample, for another rank.
  template <typename Archive> void transfer(size_t sample, Archive &archive) {
    if (sample < samples.size())
      for (Output &output : samples[sample])
        for (TensorComparison &stage : output.stages)
          archive(stage);
  }

  /// The outputs that all stages were asked for.
  std::vector<WaterfallRow> rows() const;

private:
  enum Stage { Optimization, Weights, Activations, Machine, stageCount };
  /// One output of one sample.
  struct Output {
    Tensor imported;
    std::array<TensorComparison, stageCount> stages;
  };

  void run(mlir::func::FuncOp view, Stage stage, const Samples &samples,
           int threads);
  static void compare(Output &output, Stage stage, const Tensor &values);

  const Combination &combination;
  bool hasMachine = false;
  /// By tensor of the combination: the output that it is, or -1.
  std::vector<int> outputs;
  std::vector<std::vector<Output>> samples;
};

} // namespace parallax::analyze

#endif // PARALLAX_LIB_PASSES_ANALYZE_SWEEP_WATERFALL_H
