//===- Embedding.cpp - Vectors that are near if what they mean is ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// With pairs and scores: how well the order of the cosines follows that of the
// scores. With classes: how often a sample's nearest neighbours share its
// class.
//===----------------------------------------------------------------------===//
#include "Tasks.h"

#include "parallax/Analysis/Correlation.h"
#include "parallax/Support/Error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace parallax::tasks {

namespace {

double dotOf(const Answer &a, const Answer &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// What pairs and classes have in common: the vector of a run.
class Embedding : public Task {
public:
  explicit Embedding(const TaskContext &context)
      : config(context.config), data(context.data),
        output(answerOutput(context)), shape(context.outputs[output].shape) {
    pooling = config.pooling;
    // Tokens are the middle one of three dimensions.
    bool hasTokens = shape.size() == 3 && shape[0] == 1;
    if (pooling == Pooling::Default)
      pooling = hasTokens ? Pooling::Mean : Pooling::None;
    if (pooling != Pooling::None && !hasTokens)
      throw Error(fmt::format("evaluation.pooling {} needs an output of "
                              "1xTokensxFeatures, but '{}' is {}",
                              configName(pooling), context.outputs[output].name,
                              toString(shape)));
    for (const PortInfo &input : context.inputs)
      if (input.name == config.maskInput)
        mask = input;
  }

  Answer answer(size_t run, const Placement &,
                std::span<const Tensor> outputs) const override {
    std::vector<float> values = floatsOf(outputs[output]);
    Answer vector;
    if (pooling == Pooling::None) {
      vector.assign(values.begin(), values.end());
    } else {
      auto features = size_t(shape[2]);
      vector.resize(features);
      std::vector<float> counts = tokenWeights(run);
      for (size_t token = 0; token < size_t(shape[1]); ++token)
        for (size_t k = 0; counts[token] != 0 && k < features; ++k)
          vector[k] +=
              double(counts[token]) * double(values[token * features + k]);
    }
    double length = std::sqrt(dotOf(vector, vector));
    for (double &value : vector)
      value = length > 0 ? value / length : 0;
    return vector;
  }

protected:
  /// How much each token counts: as the mask says, or only the first.
  std::vector<float> tokenWeights(size_t run) const {
    std::vector<float> counts(size_t(shape[1]), pooling == Pooling::Mean);
    if (pooling == Pooling::First)
      counts[0] = 1;
    if (pooling != Pooling::Mean || mask.name.empty())
      return counts;
    Placement ignored;
    std::vector<Tensor> rows =
        data.load(run, {{mask}, {std::nullopt}}, ignored);
    std::vector<float> given = floatsOf(rows[0]);
    if (given.size() != counts.size())
      throw Error(fmt::format("the mask '{}' has {} tokens, but output has {}",
                              mask.name, given.size(), counts.size()));
    return given;
  }

  const EvaluationConfig &config;
  const EvaluationData &data;
  size_t output;
  Shape shape;
  Pooling pooling = Pooling::None;
  /// Has no name if the network has no such input.
  PortInfo mask;
};

class PairSimilarity final : public Embedding {
public:
  using Embedding::Embedding;

  std::span<const MetricInfo> metrics() const override {
    return metricsOf(EvaluationTask::Embedding);
  }

  std::unique_ptr<Scorer>
  scorer(std::span<const Answer> answers) const override {
    std::vector<double> cosines;
    for (size_t i = 0; i < data.size(); ++i)
      cosines.push_back(dotOf(answers[2 * i], answers[2 * i + 1]));
    return makeScorer([this, cosines](std::span<const uint32_t> counts) {
      std::vector<double> a, b;
      for (size_t i = 0; i < counts.size(); ++i)
        for (uint32_t k = 0; k < counts[i]; ++k) {
          a.push_back(cosines[i]);
          b.push_back(data.labels().numbers[i]);
        }
      return std::vector{correlationOf(ranksOf(a), ranksOf(b))};
    });
  }

  std::string describe(size_t sample,
                       std::span<const Answer> answers) const override {
    return fmt::format("cosine {:.4f}", quality(sample, answers));
  }
  std::string expected(size_t sample) const override {
    return fmt::format("score {}", data.labels().numbers[sample]);
  }
  /// No pair is right or wrong by itself: what changes is the cosine.
  double quality(size_t, std::span<const Answer> answers) const override {
    return dotOf(answers[0], answers[1]);
  }
  bool isChanged(size_t sample, std::span<const Answer> before,
                 std::span<const Answer> after) const override {
    constexpr double visible = 0.05;
    return std::abs(quality(sample, before) - quality(sample, after)) > visible;
  }
};

class Retrieval final : public Embedding {
public:
  using Embedding::Embedding;

  std::span<const MetricInfo> metrics() const override {
    return retrievalMetrics();
  }

  std::unique_ptr<Scorer>
  scorer(std::span<const Answer> answers) const override {
    // A sample drawn twice would find itself, so neighbours are looked for in
    // the whole set once, and only queries are drawn.
    std::vector<size_t> places;
    for (size_t i = 0; i < answers.size(); ++i)
      places.push_back(firstOfClass(answers, i));
    return makeScorer([places](std::span<const uint32_t> counts) {
      double all = sumOver(counts, [](size_t) { return 1.0; });
      std::vector<double> result;
      for (size_t k : {size_t(1), size_t(5), size_t(10)})
        result.push_back(
            sumOver(counts, [&](size_t i) { return double(places[i] < k); }) /
            all);
      return result;
    });
  }

  std::string describe(size_t, std::span<const Answer>) const override {
    return "";
  }
  std::string expected(size_t sample) const override {
    return data.labels().nameOf(int64_t(data.labels().numbers[sample]));
  }
  double quality(size_t, std::span<const Answer>) const override { return 0; }
  /// Whether a neighbour is found depends on all other samples.
  bool isChanged(size_t, std::span<const Answer>,
                 std::span<const Answer>) const override {
    return false;
  }
  bool isShareOfSamples() const override { return true; }

private:
  /// How many samples of other classes are nearer than the nearest one of the
  /// same.
  size_t firstOfClass(std::span<const Answer> answers, size_t query) const {
    const std::vector<double> &labels = data.labels().numbers;
    std::vector<double> cosines(answers.size());
    double best = -INFINITY;
    for (size_t i = 0; i < answers.size(); ++i) {
      cosines[i] = dotOf(answers[query], answers[i]);
      if (i != query && labels[i] == labels[query])
        best = std::max(best, cosines[i]);
    }
    size_t nearer = 0;
    for (size_t i = 0; i < answers.size(); ++i)
      nearer += labels[i] != labels[query] && cosines[i] >= best;
    return nearer;
  }
};

} // namespace

std::unique_ptr<Task> makeEmbedding(const TaskContext &context) {
  const EvaluationData &data = context.data;
  bool asksForPairs = context.config.metric == "spearman";
  if (data.size() > 0 && !context.config.metric.empty() &&
      asksForPairs != data.hasPairs())
    throw Error(
        fmt::format("evaluation.metric {} needs {}", context.config.metric,
                    asksForPairs ? "pairs: give pair_data, or two paths and a "
                                   "score in each line"
                                 : "samples with a class, not pairs"));
  if (data.hasPairs())
    return std::make_unique<PairSimilarity>(context);
  return std::make_unique<Retrieval>(context);
}

} // namespace parallax::tasks
