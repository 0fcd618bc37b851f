//===- Segmentation.cpp - The class of every pixel ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Masks are compared in their own size: each of their pixels looks up the class
// at its place in the output.
//===----------------------------------------------------------------------===//
#include "Tasks.h"

#include "parallax/Support/Error.h"
#include "parallax/Support/MappedFile.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace parallax::tasks {
namespace {

/// The classes of an output, as a picture.
struct ClassMap {
  int64_t height = 0, width = 0;
  std::vector<int64_t> classes;
};

class Segmentation final : public Task {
public:
  explicit Segmentation(const TaskContext &context)
      : config(context.config), data(context.data),
        output(answerOutput(context)) {
    const PortInfo &port = context.outputs[output];
    Shape shape = port.shape;
    // Without channels, the output holds the classes themselves.
    holdsClasses = shape.size() == 3;
    if (holdsClasses)
      shape.insert(shape.begin() + 1, 1);
    if (shape.size() != 4 || shape[0] != 1)
      throw Error(fmt::format("output '{}' is {}, but segmentation needs "
                              "1xClassesxHeightxWidth, or 1xHeightxWidth with "
                              "the number of a class in every pixel",
                              port.name, toString(port.shape)));
    // Classes are fewer than lines and columns.
    channelsLast = !holdsClasses && shape[3] < shape[1];
    channels = shape[channelsLast ? 3 : 1];
    height = shape[channelsLast ? 1 : 2];
    width = shape[channelsLast ? 2 : 3];
    if (std::optional<InputSize> size = sizeOfInput(context))
      input = *size;
    classCount = channels > 1 ? channels
                 : !data.labels().classNames.empty()
                     ? int64_t(data.labels().classNames.size())
                 : holdsClasses ? 256
                                : 2;
  }

  std::span<const MetricInfo> metrics() const override {
    return metricsOf(EvaluationTask::Segmentation);
  }

  /// For each class: pixels that are right, that were given it, that have it.
  Answer answer(size_t run, const Placement &placement,
                std::span<const Tensor> outputs) const override {
    ClassMap map = classesOf(outputs[output]);
    Tensor mask = maskOf(run);
    Answer counts(size_t(3 * classCount));
    int64_t lines = mask.dim(0), columns = mask.dim(1);
    Placement place = placement;
    if (place.width == 0) {
      // Arrays: the mask has the place of the whole input.
      place.scaleX = input.width / double(columns);
      place.scaleY = input.height / double(lines);
    }
    const uint8_t *truth = mask.data<uint8_t>();
    for (int64_t y = 0; y < lines; ++y) {
      int64_t line = lookUp((double(y) + 0.5) * place.scaleY + place.offsetY,
                            input.height, map.height);
      for (int64_t x = 0; x < columns; ++x) {
        int64_t label = truth[y * columns + x];
        if (label == config.ignoreLabel)
          continue;
        if (label >= classCount)
          throw Error(fmt::format("the mask of '{}' has class {} at ({}, {}), "
                                  "but the network has the classes 0 to {}",
                                  data.name(run), label, x, y, classCount - 1));
        int64_t column =
            lookUp((double(x) + 0.5) * place.scaleX + place.offsetX,
                   input.width, map.width);
        // What was cut off has no answer.
        int64_t given = line < 0 || column < 0
                            ? -1
                            : map.classes[size_t(line * map.width + column)];
        counts[size_t(3 * label)] += given == label;
        if (given >= 0 && given < classCount)
          ++counts[size_t(3 * given + 1)];
        ++counts[size_t(3 * label + 2)];
      }
    }
    return counts;
  }

  std::unique_ptr<Scorer>
  scorer(std::span<const Answer> answers) const override {
    return makeScorer([this, answers](std::span<const uint32_t> counts) {
      Answer sum(size_t(3 * classCount));
      for (size_t i = 0; i < counts.size(); ++i)
        for (size_t k = 0; counts[i] > 0 && k < sum.size(); ++k)
          sum[k] += counts[i] * answers[i][k];
      return scoreOf(sum);
    });
  }

  std::string describe(size_t sample,
                       std::span<const Answer> answers) const override {
    return fmt::format("mIoU {:.3f}", quality(sample, answers));
  }
  std::string expected(size_t) const override { return ""; }
  double quality(size_t, std::span<const Answer> answers) const override {
    return scoreOf(answers[0])[0];
  }
  bool isChanged(size_t sample, std::span<const Answer> before,
                 std::span<const Answer> after) const override {
    constexpr double visible = 0.01;
    return std::abs(quality(sample, before) - quality(sample, after)) > visible;
  }

  std::vector<ClassAccuracy> classes() const override {
    std::vector<ClassAccuracy> result;
    for (int64_t c = 0; c < classCount; ++c)
      result.push_back({data.labels().nameOf(c)});
    return result;
  }
  std::vector<double>
  scoreClasses(std::span<const Answer> answers) const override {
    Answer sum(size_t(3 * classCount));
    for (const Answer &answer : answers)
      for (size_t k = 0; k < sum.size(); ++k)
        sum[k] += answer[k];
    std::vector<double> result;
    for (int64_t c = 0; c < classCount; ++c)
      result.push_back(iouOf(sum, c));
    return result;
  }

private:
  /// NaN if nobody has or was given the class.
  static double iouOf(const Answer &counts, int64_t c) {
    const double *own = counts.data() + 3 * c;
    return own[0] / (own[1] + own[2] - own[0]);
  }

  std::vector<double> scoreOf(const Answer &counts) const {
    double sum = 0, present = 0, right = 0, all = 0;
    for (int64_t c = 0; c < classCount; ++c) {
      double iou = iouOf(counts, c);
      if (!std::isnan(iou)) {
        sum += iou;
        ++present;
      }
      right += counts[size_t(3 * c)];
      all += counts[size_t(3 * c + 2)];
    }
    return {present > 0 ? sum / present : 1, all > 0 ? right / all : 1};
  }

  static int64_t lookUp(double place, double extent, int64_t cells) {
    auto cell = int64_t(std::floor(place * double(cells) / extent));
    return cell < 0 || cell >= cells ? -1 : cell;
  }

  ClassMap classesOf(const Tensor &tensor) const {
    ClassMap map{height, width, std::vector<int64_t>(size_t(height * width))};
    std::vector<float> values = floatsOf(tensor);
    int64_t plane = height * width;
    for (int64_t i = 0; i < plane; ++i) {
      if (channels == 1) {
        map.classes[size_t(i)] =
            holdsClasses ? std::llround(values[size_t(i)])
                         : double(values[size_t(i)]) > config.maskThreshold;
        continue;
      }
      int64_t best = 0;
      float most = -INFINITY;
      for (int64_t c = 0; c < channels; ++c) {
        float value =
            values[size_t(channelsLast ? i * channels + c : c * plane + i)];
        if (value > most) {
          most = value;
          best = c;
        }
      }
      map.classes[size_t(i)] = best;
    }
    return map;
  }

  Tensor maskOf(size_t sample) const {
    const Labels &labels = data.labels();
    if (!labels.files.empty())
      return readMask(MappedFile::open(labels.files[sample])->bytes(),
                      labels.files[sample].string());
    const Tensor &stack = labels.stack;
    if (stack.dtype() != DType::U8 || stack.rank() != 3)
      throw Error(fmt::format("the masks in {} must be uint8 of "
                              "NxHeightxWidth, not {} of {}",
                              config.labels, nameOf(stack.dtype()),
                              toString(stack.shape())));
    return rowOfStack(stack, data.row(sample));
  }

  const EvaluationConfig &config;
  const EvaluationData &data;
  size_t output;
  bool holdsClasses = false, channelsLast = false;
  int64_t channels = 1, height = 0, width = 0, classCount = 2;
  InputSize input{1, 1};
};

} // namespace

std::unique_ptr<Task> makeSegmentation(const TaskContext &context) {
  return std::make_unique<Segmentation>(context);
}

} // namespace parallax::tasks
