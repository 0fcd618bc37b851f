//===- Regression.cpp - Numbers that should come out ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The root of the mean squared error, and for pictures also the ratio of their
// peak to it.
//===----------------------------------------------------------------------===//
#include "Tasks.h"

#include "parallax/Support/Error.h"
#include "parallax/Support/MappedFile.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace parallax::tasks {
namespace {

/// Pictures without any difference have no ratio; this is more than any has.
constexpr double bestPsnr = 100;

class Regression final : public Task {
public:
  explicit Regression(const TaskContext &context)
      : config(context.config), data(context.data),
        output(answerOutput(context)), port(context.outputs[output]) {
    hasPictures = !data.labels().files.empty();
    if (hasPictures && config.std.size() > 1 &&
        !std::all_of(config.std.begin(), config.std.end(),
                     [&](double value) { return value == config.std[0]; }))
      throw Error("evaluation.std must be the same for all channels, because "
                  "it gives the peak of pictures");
    const Tensor &stack = data.labels().stack;
    if (!stack.isNull() &&
        stack.size() / stack.dim(0) != elementCount(port.shape))
      throw Error(fmt::format("{} holds {}, but output '{}' gives {} for each "
                              "sample",
                              config.labels, toString(stack.shape()), port.name,
                              toString(port.shape)));
    if (!data.labels().numbers.empty() && elementCount(port.shape) != 1)
      throw Error(fmt::format("there is one number for each sample, but output "
                              "'{}' gives {}",
                              port.name, toString(port.shape)));
  }

  std::span<const MetricInfo> metrics() const override {
    std::span<const MetricInfo> all = metricsOf(EvaluationTask::Regression);
    return hasPictures ? all : all.first(1);
  }

  /// The sum of squared errors, and their number.
  Answer answer(size_t run, const Placement &,
                std::span<const Tensor> outputs) const override {
    std::vector<float> values = floatsOf(outputs[output]), wanted = target(run);
    double sum = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      double error = double(values[i]) - double(wanted[i]);
      sum += error * error;
    }
    return {sum, double(values.size())};
  }

  std::unique_ptr<Scorer>
  scorer(std::span<const Answer> answers) const override {
    return makeScorer([this, answers](std::span<const uint32_t> counts) {
      double errors = sumOver(counts, [&](size_t i) { return answers[i][0]; });
      double values = sumOver(counts, [&](size_t i) { return answers[i][1]; });
      std::vector<double> result{std::sqrt(errors / values)};
      if (hasPictures)
        result.push_back(
            sumOver(counts, [&](size_t i) { return psnrOf(answers[i]); }) /
            sumOver(counts, [](size_t) { return 1.0; }));
      return result;
    });
  }

  std::string describe(size_t, std::span<const Answer> answers) const override {
    return hasPictures ? fmt::format("PSNR {:.2f} dB", psnrOf(answers[0]))
                       : fmt::format("RMSE {:.5g}", rmseOf(answers[0]));
  }
  std::string expected(size_t) const override { return ""; }
  double quality(size_t, std::span<const Answer> answers) const override {
    return -rmseOf(answers[0]);
  }
  bool isChanged(size_t, std::span<const Answer> before,
                 std::span<const Answer> after) const override {
    double a = rmseOf(before[0]), b = rmseOf(after[0]);
    constexpr double visible = 0.1;
    return std::abs(a - b) > visible * std::max(a, b);
  }

private:
  static double rmseOf(const Answer &answer) {
    return std::sqrt(answer[0] / answer[1]);
  }

  double peak() const { return 255 / (config.std.empty() ? 1 : config.std[0]); }

  double psnrOf(const Answer &answer) const {
    double rmse = rmseOf(answer);
    return rmse > 0 ? std::min(bestPsnr, 20 * std::log10(peak() / rmse))
                    : bestPsnr;
  }

  std::vector<float> target(size_t sample) const {
    const Labels &labels = data.labels();
    if (hasPictures) {
      const std::filesystem::path &file = labels.files[sample];
      std::vector<float> mean(config.mean.begin(), config.mean.end());
      std::vector<float> std(config.std.begin(), config.std.end());
      ImageForm form =
          imageFormOf(port.name, DType::F32, port.shape, ColorSpace::Auto,
                      TensorLayout::Default, mean, std);
      if (config.tensorFormat == ColorSpace::Rgb && form.channels == 3)
        form.order = ColorSpace::Rgb;
      return floatsOf(
          readImage(MappedFile::open(file)->bytes(), file.string(), form));
    }
    if (!labels.numbers.empty())
      return {float(labels.numbers[sample])};
    return floatsOf(rowOfStack(labels.stack, data.row(sample)));
  }

  const EvaluationConfig &config;
  const EvaluationData &data;
  size_t output;
  PortInfo port;
  bool hasPictures = false;
};

} // namespace

std::unique_ptr<Task> makeRegression(const TaskContext &context) {
  return std::make_unique<Regression>(context);
}

} // namespace parallax::tasks
