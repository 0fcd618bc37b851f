//===- ScoreMetric.cpp - A program judges the trials ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The program has samples and a metric of its own, of which nothing is known
// here but the number at the end. What layers lose is attributed on the samples
// of the analysis.
//===----------------------------------------------------------------------===//
#include "Metric.h"

#include "parallax/Backend/Core/ConcurrentRuns.h"
#include "parallax/Pipeline/AnalyzeStage.h"
#include "parallax/Support/Error.h"

#include <cmath>
#include <numeric>

namespace parallax {
namespace {

class ScoreMetric final : public TuneMetric {
public:
  ScoreMetric(BuildState &state, int threads, const ScoreFunction &score)
      : score(score), threads(threads),
        seconds(state.config.evaluation.timeout),
        isHigherBetter(state.config.tuning.accuracyCriterion.higherIsBetter),
        samples(analyzedSamples(state)),
        floatScore(scoreOf(state.network->prepare({}))) {
    // It judges all of them at once.
    split.tuning.resize(samples.count);
    std::iota(split.tuning.begin(), split.tuning.end(), size_t(0));
    if (!std::isfinite(floatScore))
      throw Error("the score of the float network is not a number, so there "
                  "is nothing to tune for");
  }

  std::string title() const override { return "score"; }
  bool higherIsBetter() const override { return isHigherBetter; }
  double floats() const override { return floatScore; }
  std::vector<Tensor> load(size_t sample) const override {
    return samples.load(sample);
  }

  Measured measure(const Executable &network, std::span<const size_t> all,
                   double) override {
    double found = scoreOf(network);
    if (!std::isfinite(found))
      throw Error("the score of a trial is not a number");
    double loss = isHigherBetter ? floatScore - found : found - floatScore;
    return {{found, found, found}, floatScore, {loss, loss, loss}, all.size()};
  }

private:
  double scoreOf(const Executable &network) const {
    ConcurrentRuns runs(network, threads);
    return score(runs, seconds);
  }

  const ScoreFunction &score;
  int threads;
  int64_t seconds;
  bool isHigherBetter;
  Samples samples;
  double floatScore;
};

} // namespace

std::unique_ptr<TuneMetric> makeScoreMetric(BuildState &state, int threads,
                                            const ScoreFunction &score) {
  return std::make_unique<ScoreMetric>(state, threads, score);
}

} // namespace parallax
