//===- Classification.cpp - Which class has the highest score -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Top-1 and top-5. A network that gives NaN has no answer.
//===----------------------------------------------------------------------===//
#include "Tasks.h"

#include "parallax/Support/Error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace parallax::tasks {
namespace {

class Classification final : public Task {
public:
  explicit Classification(const TaskContext &context)
      : data(context.data), output(answerOutput(context)),
        classCount(elementCount(context.outputs[output].shape)) {
    const PortInfo &port = context.outputs[output];
    for (size_t i = 0; i < data.size(); ++i) {
      double label = labelOf(i);
      if (label < 0 || label != std::floor(label) ||
          label >= double(classCount))
        throw Error(fmt::format("the label of '{}' is {}, but output '{}' has "
                                "scores for the classes 0 to {}",
                                data.name(i), label, port.name,
                                classCount - 1));
    }
    counts.resize(size_t(classCount));
    for (size_t i = 0; i < data.size(); ++i)
      ++counts[size_t(labelOf(i))];
  }

  std::span<const MetricInfo> metrics() const override {
    return metricsOf(EvaluationTask::Classification);
  }

  Answer answer(size_t run, const Placement &,
                std::span<const Tensor> outputs) const override {
    std::vector<float> scores = floatsOf(outputs[output]);
    if (std::any_of(scores.begin(), scores.end(),
                    [](float score) { return std::isnan(score); }))
      return {-1, double(classCount)};
    auto best = std::max_element(scores.begin(), scores.end());
    auto label = size_t(labelOf(run));
    // How many classes come before the right one.
    int64_t rank = 0;
    for (size_t i = 0; i < scores.size(); ++i)
      rank += scores[i] > scores[label] ||
              (scores[i] == scores[label] && i < label);
    return {double(best - scores.begin()), double(rank)};
  }

  std::unique_ptr<Scorer>
  scorer(std::span<const Answer> answers) const override {
    return makeScorer([answers](std::span<const uint32_t> counts) {
      auto shareBelow = [&](double rank) {
        double all = sumOver(counts, [](size_t) { return 1.0; });
        return sumOver(counts,
                       [&](size_t i) { return double(answers[i][1] < rank); }) /
               all;
      };
      return std::vector{shareBelow(1), shareBelow(5)};
    });
  }

  std::string describe(size_t, std::span<const Answer> answers) const override {
    auto best = int64_t(answers[0][0]);
    return best < 0 ? "NaN" : data.labels().nameOf(best);
  }
  std::string expected(size_t sample) const override {
    return data.labels().nameOf(int64_t(labelOf(sample)));
  }
  double quality(size_t, std::span<const Answer> answers) const override {
    return answers[0][1] == 0;
  }
  bool isChanged(size_t, std::span<const Answer> before,
                 std::span<const Answer> after) const override {
    return before[0][0] != after[0][0];
  }

  std::vector<ClassAccuracy> classes() const override {
    std::vector<ClassAccuracy> result;
    for (size_t c = 0; c < counts.size(); ++c)
      if (counts[c] > 0)
        result.push_back({data.labels().nameOf(int64_t(c)), counts[c]});
    return result;
  }
  std::vector<double>
  scoreClasses(std::span<const Answer> answers) const override {
    std::vector<double> right(counts.size()), result;
    for (size_t i = 0; i < answers.size(); ++i)
      right[size_t(labelOf(i))] += answers[i][1] == 0;
    for (size_t c = 0; c < counts.size(); ++c)
      if (counts[c] > 0)
        result.push_back(right[c] / double(counts[c]));
    return result;
  }
  bool isShareOfSamples() const override { return true; }

private:
  double labelOf(size_t sample) const { return data.labels().numbers[sample]; }

  const EvaluationData &data;
  size_t output;
  int64_t classCount;
  /// How often each class is expected.
  std::vector<int64_t> counts;
};

} // namespace

std::unique_ptr<Task> makeClassification(const TaskContext &context) {
  return std::make_unique<Classification>(context);
}

} // namespace parallax::tasks
