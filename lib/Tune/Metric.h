//===- Metric.h - What a tuning judges by ----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The metric of the task, or without labels the similarity of the outputs. The
// samples have two parts: one to tune on, and one for the final figure.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_TUNE_METRIC_H
#define PARALLAX_LIB_TUNE_METRIC_H

#include "parallax/Analysis/Accuracy.h"
#include "parallax/Passes/Analyze/AnalyzedNetwork.h"
#include "parallax/Pipeline/Phases.h"
#include "parallax/Support/RunnableNetwork.h"
#include "parallax/Support/Samples.h"

namespace parallax {

struct Measured {
  /// Of the network, and of the float network on the same samples.
  Estimate metric;
  double floats = 0;
  /// How much worse than float it is.
  Estimate loss;
  /// It was measured on so many samples.
  size_t samples = 0;
};

/// Samples to tune on and samples to validate on.
struct SampleSplit {
  std::vector<size_t> tuning, validation;
};
/// A split by chance. The first samples may be `seen`: ranges were chosen on
/// them, so they tell nothing about others and are not validated on.
SampleSplit splitSamples(size_t count, const TuningConfig &config,
                         size_t seen = 0);

class TuneMetric {
public:
  virtual ~TuneMetric() = default;

  virtual std::string title() const = 0;
  virtual bool higherIsBetter() const { return true; }
  /// The float network on the samples to tune on.
  virtual double floats() const = 0;
  /// A network on one part of the split. A loss that is clearly above
  /// `hopeless` after some of its samples needs no more. Throws Error if it
  /// can't be measured.
  virtual Measured measure(const Executable &network,
                           std::span<const size_t> samples,
                           double hopeless) = 0;
  /// Inputs of the network for a sample.
  virtual std::vector<Tensor> load(size_t sample) const = 0;
  /// What errors of outputs are worth: to the task, or else to groups of
  /// channels that count alike. False if nothing better is known than their
  /// size.
  bool weigh(std::span<const Tensor> outputs,
             std::span<const std::span<float>> weights) const;

  SampleSplit split;

protected:
  /// See Task::weighErrors.
  virtual bool weighForTask(std::span<const Tensor>,
                            std::span<const std::span<float>>) const {
    return false;
  }
};

/// The float network of `state` is what others are measured against. `score`
/// judges them if it is there.
std::unique_ptr<TuneMetric> makeMetric(BuildState &state, int threads,
                                       const ScoreFunction &score);
std::unique_ptr<TuneMetric> makeScoreMetric(BuildState &state, int threads,
                                            const ScoreFunction &score);

} // namespace parallax

#endif // PARALLAX_LIB_TUNE_METRIC_H
