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

/// An answer begins with the size of the picture and the number of matches.
/// Then come the matches, and last the boxes that people would be shown.
constexpr size_t headNumbers = 3, matchNumbers = 4, boxNumbers = 6;
/// The least score of those.
constexpr double shownScore = 0.25;

std::span<const double> matchesIn(const Answer &answer) {
  if (answer.empty())
    return {};
  return std::span(answer).subspan(headNumbers,
                                   size_t(answer[2]) * matchNumbers);
}
std::span<const double> boxesIn(const Answer &answer) {
  if (answer.empty())
    return {};
  return std::span(answer).subspan(headNumbers +
                                   size_t(answer[2]) * matchNumbers);
}

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
    // Of arrays, the input itself is the picture.
    bool isPicture = placement.width > 0;
    double width = isPicture ? double(placement.width) : input.width;
    double height = isPicture ? double(placement.height) : input.height;
    std::vector<Match> matches =
        matchDetections(detections, objectsOf(run, width, height));
    Answer numbers = {width, height, double(matches.size())};
    for (const Match &match : matches)
      numbers.insert(numbers.end(),
                     {double(match.label), double(match.score),
                      double(match.hits), double(match.ignored)});
    for (const Candidate &box : detections)
      if (box.score >= shownScore)
        numbers.insert(numbers.end(),
                       {double(box.label), double(box.score), double(box.left),
                        double(box.top), double(box.right) - box.left,
                        double(box.bottom) - box.top});
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

  std::vector<ShownBox> boxes(const Answer &answer) const override {
    std::vector<ShownBox> result;
    std::span<const double> numbers = boxesIn(answer);
    for (; !numbers.empty(); numbers = numbers.subspan(boxNumbers))
      result.push_back({shownName(int64_t(numbers[0])), numbers[1], numbers[2],
                        numbers[3], numbers[4], numbers[5]});
    return result;
  }
  std::vector<ShownBox> expectedBoxes(size_t sample,
                                      const Answer &answer) const override {
    std::vector<ShownBox> result;
    for (const TruthBox &object : objectsOf(sample, answer[0], answer[1]))
      result.push_back({shownName(object.label), 1, object.left, object.top,
                        object.right - object.left,
                        object.bottom - object.top});
    return result;
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
  /// In a picture there is no room for numbers beside names.
  std::string shownName(int64_t label) const {
    const std::vector<std::string> &names = data.labels().classNames;
    return label >= 0 && size_t(label) < names.size()
               ? names[size_t(label)]
               : fmt::format("class {}", label);
  }

  std::vector<TruthBox> objectsOf(size_t sample, double width,
                                  double height) const {
    std::vector<TruthBox> objects = data.labels().boxes[sample];
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
    int64_t found = 0;
    std::span<const double> matches = matchesIn(answer);
    for (size_t i = 0; i < matches.size(); i += matchNumbers)
      found +=
          matches[i + 1] >= shownScore && (int64_t(matches[i + 2]) & 1) != 0;
    return found;
  }

  std::map<int64_t, ClassPrecision>
  collect(std::span<const Answer> answers) const {
    std::map<int64_t, ClassPrecision> byClass;
    for (size_t i = 0; i < answers.size(); ++i) {
      std::span<const double> match = matchesIn(answers[i]);
      for (; !match.empty(); match = match.subspan(matchNumbers))
        byClass[int64_t(match[0])].add(i, {int32_t(match[0]), float(match[1]),
                                           uint16_t(match[2]),
                                           uint16_t(match[3])});
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
