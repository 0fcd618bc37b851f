//===- Detection.cpp - Which objects are where ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The mean over classes of the average precision, as COCO computes it.
//===----------------------------------------------------------------------===//
#include "AveragePrecision.h"

#include "parallax/Support/Error.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace parallax::tasks {
namespace {

/// The numbers of a match in an answer.
constexpr size_t matchNumbers = 4;

class Detection final : public Task {
public:
  explicit Detection(const TaskContext &context)
      : config(context.config), data(context.data),
        decoder(makeDecoder(context)), input(*sizeOfInput(context)) {
    int64_t known = decoder->classCount();
    for (size_t i = 0; i < data.size(); ++i)
      for (const TruthBox &object : data.labels().boxes[i]) {
        if (known > 0 && object.label >= known)
          throw Error(fmt::format("'{}' has an object of class {}, but the "
                                  "network has the classes 0 to {}",
                                  data.name(i), object.label, known - 1));
        if (!object.isCrowd)
          ++objectCounts[object.label];
      }
    if (objectCounts.empty())
      throw Error("the labels have no objects to detect");
  }

  std::span<const MetricInfo> metrics() const override {
    return metricsOf(EvaluationTask::Detection);
  }

  Answer answer(size_t run, const Placement &placement,
                std::span<const Tensor> outputs) const override {
    std::vector<Candidate> detections =
        suppress(decoder->decode(outputs), config.nmsThreshold,
                 size_t(config.maxDetections));
    // From pixels of the input to those of the picture.
    for (Candidate &box : detections) {
      auto toX = [&](float x) {
        return float((double(x) - placement.offsetX) / placement.scaleX);
      };
      auto toY = [&](float y) {
        return float((double(y) - placement.offsetY) / placement.scaleY);
      };
      box = {toX(box.left),   toY(box.top), toX(box.right),
             toY(box.bottom), box.score,    box.label};
    }
    Answer numbers;
    for (const Match &match :
         matchDetections(detections, objectsOf(run, placement)))
      numbers.insert(numbers.end(),
                     {double(match.label), double(match.score),
                      double(match.hits), double(match.ignored)});
    return numbers;
  }

  std::unique_ptr<Scorer>
  scorer(std::span<const Answer> answers) const override {
    return makeScorer(
        [byClass = collect(answers)](std::span<const uint32_t> counts) {
          double all = 0, half = 0, present = 0;
          for (const auto &[label, own] : byClass) {
            double first = own.averagePrecision(0, counts);
            if (first < 0)
              continue;
            ++present;
            half += first;
            double sum = first;
            for (size_t t = 1; t < overlapThresholds; ++t)
              sum += own.averagePrecision(t, counts);
            all += sum / overlapThresholds;
          }
          return present > 0 ? std::vector{all / present, half / present}
                             : std::vector{0.0, 0.0};
        });
  }

  std::string describe(size_t, std::span<const Answer> answers) const override {
    return fmt::format("{} found", foundIn(answers[0]));
  }
  std::string expected(size_t sample) const override {
    return fmt::format("{} objects", data.labels().boxes[sample].size());
  }
  double quality(size_t sample,
                 std::span<const Answer> answers) const override {
    size_t objects = data.labels().boxes[sample].size();
    return objects > 0 ? double(foundIn(answers[0])) / double(objects) : 0;
  }
  bool isChanged(size_t, std::span<const Answer> before,
                 std::span<const Answer> after) const override {
    return foundIn(before[0]) != foundIn(after[0]);
  }

  bool weighErrors(std::span<const Tensor> outputs,
                   std::span<const std::span<float>> weights) const override {
    return decoder->weigh(outputs, weights);
  }

  std::vector<ClassAccuracy> classes() const override {
    std::vector<ClassAccuracy> result;
    for (auto [label, count] : objectCounts)
      result.push_back({data.labels().nameOf(label), count});
    return result;
  }
  std::vector<double>
  scoreClasses(std::span<const Answer> answers) const override {
    std::map<int64_t, ClassPrecision> byClass = collect(answers);
    std::vector<uint32_t> once(data.size(), 1);
    std::vector<double> result;
    for (auto [label, count] : objectCounts) {
      double sum = 0;
      for (size_t t = 0; t < overlapThresholds; ++t)
        sum += byClass[label].averagePrecision(t, once);
      result.push_back(sum / overlapThresholds);
    }
    return result;
  }

private:
  std::vector<TruthBox> objectsOf(size_t sample,
                                  const Placement &placement) const {
    std::vector<TruthBox> objects = data.labels().boxes[sample];
    // Of arrays, the input itself is the picture.
    bool isPicture = placement.width > 0;
    double width = isPicture ? double(placement.width) : input.width;
    double height = isPicture ? double(placement.height) : input.height;
    if (data.labels().areRelative)
      for (TruthBox &object : objects) {
        object.left *= width;
        object.right *= width;
        object.top *= height;
        object.bottom *= height;
      }
    return objects;
  }

  /// Objects that somebody who looks would call found: overlap 0.5, and a
  /// score that is shown.
  static int64_t foundIn(const Answer &answer) {
    constexpr double shown = 0.25;
    int64_t found = 0;
    for (size_t i = 0; i < answer.size(); i += matchNumbers)
      found += answer[i + 1] >= shown && (int64_t(answer[i + 2]) & 1) != 0;
    return found;
  }

  std::map<int64_t, ClassPrecision>
  collect(std::span<const Answer> answers) const {
    std::map<int64_t, ClassPrecision> byClass;
    for (size_t i = 0; i < answers.size(); ++i) {
      const Answer &answer = answers[i];
      for (size_t k = 0; k < answer.size(); k += matchNumbers)
        byClass[int64_t(answer[k])].add(
            i, {int32_t(answer[k]), float(answer[k + 1]),
                uint16_t(answer[k + 2]), uint16_t(answer[k + 3])});
      std::map<int64_t, int64_t> objects;
      for (const TruthBox &object : data.labels().boxes[i])
        objects[object.label] += !object.isCrowd;
      for (auto [label, count] : objects)
        byClass[label].addObjects(i, count);
    }
    for (auto &[label, own] : byClass)
      own.finish();
    return byClass;
  }

  const EvaluationConfig &config;
  const EvaluationData &data;
  std::unique_ptr<DetectionDecoder> decoder;
  InputSize input;
  /// How many objects of each class there are.
  std::map<int64_t, int64_t> objectCounts;
};

} // namespace

std::unique_ptr<Task> makeDetection(const TaskContext &context) {
  return std::make_unique<Detection>(context);
}

} // namespace parallax::tasks
