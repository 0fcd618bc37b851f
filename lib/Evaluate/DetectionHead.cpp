//===- DetectionHead.cpp - Which head a detector has ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Shapes tell most heads apart: YOLOv8 puts channels first, YOLOv5 last; raw
// heads have a picture for every scale.
//===----------------------------------------------------------------------===//
#include "DetectionDecoders.h"

#include "parallax/Support/Error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace parallax::tasks {
namespace {

InputSize requiredSize(const TaskContext &context) {
  std::optional<InputSize> size = sizeOfInput(context);
  if (!size)
    throw Error("a detector needs an input of pictures");
  return *size;
}

BoxForm boxFormOf(const EvaluationConfig &config, InputSize input,
                  BoxFormat format, BoxUnit unit) {
  if (config.boxFormat != BoxFormat::Default)
    format = config.boxFormat;
  if (config.boxUnit != BoxUnit::Default)
    unit = config.boxUnit;
  if (unit == BoxUnit::Relative)
    return {format, input.width, input.height};
  return {format};
}

class HeadFinder {
public:
  explicit HeadFinder(const TaskContext &context)
      : config(context.config), outputs(context.outputs),
        input(requiredSize(context)),
        known(int64_t(context.data.labels().classNames.size())) {}

  std::unique_ptr<DetectionDecoder> find() const {
    for (const PortInfo &port : outputs)
      if (port.dtype != DType::F32)
        fail(fmt::format("'{}' is not float32", port.name));
    if (outputs.size() == 1 && rankOf(0) == 3)
      return findMerged();
    if (outputs.size() == 2 && rankOf(0) <= 3 && rankOf(1) <= 3)
      return findBoxesAndScores();
    if (std::all_of(outputs.begin(), outputs.end(), [](const PortInfo &port) {
          return port.shape.size() == 4 || port.shape.size() == 5;
        }))
      return findRaw();
    fail("there is no head with such outputs");
  }

private:
  size_t rankOf(size_t output) const { return outputs[output].shape.size(); }

  [[noreturn]] void fail(const std::string &reason) const {
    throw Error(fmt::format(
        "the outputs are not those of a detector that is known: {} ({}). Known "
        "are 1x(4+classes)xN (YOLOv8), 1xNx(5+classes) (YOLOv5), boxes and "
        "scores as two outputs (SSD), 1xNx6 (final boxes), and raw heads with "
        "an output for each scale; choose outputs with compiler or "
        "evaluation.head, or use the task Custom",
        reason, describePorts(outputs)));
  }

  std::unique_ptr<DetectionDecoder> findMerged() const {
    int64_t a = outputs[0].shape[1], b = outputs[0].shape[2];
    bool isLast = b < a;
    int64_t channels = std::min(a, b), count = std::max(a, b);
    bool fitsV8 = known > 0 && channels == 4 + known;
    bool fitsV5 = known > 0 && channels == 5 + known;
    bool isV5 =
        config.head == DetectionHead::YoloV5 ||
        (config.head == DetectionHead::Auto && !fitsV8 && (fitsV5 || isLast));
    if (config.head == DetectionHead::Auto && b == 6 && !fitsV8 && !fitsV5)
      return makeFinalBoxes(
          boxFormOf(config, input, BoxFormat::Corners, BoxUnit::Pixels), known,
          config.scoreThreshold);
    DecodedForm form;
    form.boxesLast = form.scoresLast = isLast;
    form.objectness = isV5 ? 4 : -1;
    form.firstScore = isV5 ? 5 : 4;
    form.count = count;
    form.classes = channels - form.firstScore;
    if (form.classes < 1)
      fail(fmt::format("{} channels hold no box and no scores", channels));
    form.boxForm =
        boxFormOf(config, input, BoxFormat::CenterSize, BoxUnit::Pixels);
    return makeDecodedHead(form, config.scoreThreshold);
  }

  std::unique_ptr<DetectionDecoder> findBoxesAndScores() const {
    auto dimsOf = [&](size_t i) {
      const Shape &shape = outputs[i].shape;
      return std::pair(shape[shape.size() - 2], shape[shape.size() - 1]);
    };
    if (rankOf(0) < 2 || rankOf(1) < 2)
      fail("boxes and scores have two dimensions or more");
    auto isBoxes = [&](size_t i) {
      return dimsOf(i).first == 4 || dimsOf(i).second == 4;
    };
    DecodedForm form;
    form.boxes = isBoxes(0) ? 0 : 1;
    form.scores = 1 - form.boxes;
    if (!isBoxes(form.boxes))
      fail("neither of the outputs holds four numbers for each box");
    auto [a, b] = dimsOf(form.boxes);
    form.boxesLast = b == 4;
    form.count = form.boxesLast ? a : b;
    auto [c, d] = dimsOf(form.scores);
    form.scoresLast = c == form.count;
    if (!form.scoresLast && d != form.count)
      fail(fmt::format("there are {} boxes, but no scores for as many",
                       form.count));
    int64_t channels = form.scoresLast ? d : c;
    bool hasBackground =
        config.backgroundClass || (known > 0 && channels == known + 1);
    form.firstScore = hasBackground;
    form.classes = channels - form.firstScore;
    bool isYolo = config.head == DetectionHead::YoloV8 ||
                  (config.head == DetectionHead::Auto && !form.boxesLast);
    form.boxForm =
        isYolo
            ? boxFormOf(config, input, BoxFormat::CenterSize, BoxUnit::Pixels)
            : boxFormOf(config, input, BoxFormat::Corners, BoxUnit::Relative);
    return makeDecodedHead(form, config.scoreThreshold);
  }

  /// Width and height of an output, and its channels for a position.
  struct RawOutput {
    RawScale scale;
    int64_t channels = 0;
  };

  RawOutput rawOutputOf(size_t i) const {
    const Shape &shape = outputs[i].shape;
    RawOutput raw;
    raw.scale.boxes = raw.scale.scores = i;
    if (shape.size() == 5) { // 1 x anchors x height x width x channels
      raw.scale.height = shape[2];
      raw.scale.width = shape[3];
      raw.channels = shape[1] * shape[4];
      return raw;
    }
    // A picture has the proportions of the input; channels have not.
    double first = double(shape[2]) / double(shape[3]);
    double last = double(shape[1]) / double(shape[2]);
    double wanted = input.height / input.width;
    raw.scale.channelsLast = std::abs(last - wanted) < std::abs(first - wanted);
    bool isLast = raw.scale.channelsLast;
    raw.scale.height = shape[isLast ? 1 : 2];
    raw.scale.width = shape[isLast ? 2 : 3];
    raw.channels = shape[isLast ? 3 : 1];
    return raw;
  }

  std::unique_ptr<DetectionDecoder> findRaw() const {
    constexpr int64_t boxChannels = 4 * distanceBins;
    // The finest scale first, as anchors are listed.
    std::map<int64_t, std::vector<RawOutput>, std::greater<>> bySize;
    for (size_t i = 0; i < outputs.size(); ++i) {
      RawOutput raw = rawOutputOf(i);
      bySize[raw.scale.height * raw.scale.width].push_back(raw);
    }
    std::vector<RawScale> scales;
    int64_t classes = 0;
    bool isV5 = false;
    for (auto &[size, parts] : bySize) {
      RawScale scale = parts[0].scale;
      int64_t channels = parts[0].channels;
      if (parts.size() == 2) {
        bool isSecond = parts[1].channels == boxChannels;
        scale.boxes = parts[isSecond].scale.boxes;
        scale.scores = parts[!isSecond].scale.scores;
        scale.firstScore = 0;
        if (parts[isSecond].channels != boxChannels)
          fail(fmt::format("no output of {} positions has {} channels for "
                           "boxes",
                           size, boxChannels));
        classes = parts[!isSecond].channels;
      } else if (parts.size() != 1) {
        fail(fmt::format("{} outputs have {} positions", parts.size(), size));
      } else if (isV5 = isRawV5(channels); isV5) {
        classes = channels / 3 - 5;
      } else {
        scale.firstScore = boxChannels;
        classes = channels - boxChannels;
      }
      if (classes < 1)
        fail(fmt::format("{} channels hold no box and no scores", channels));
      scales.push_back(scale);
    }
    if (!isV5)
      return makeRawYoloV8(scales, classes, input, config.scoreThreshold);
    std::vector<double> anchors = config.anchors;
    if (anchors.empty())
      anchors = {10, 13, 16,  30,  33, 23,  30,  61,  62,
                 45, 59, 119, 116, 90, 156, 198, 373, 326};
    if (anchors.size() != 6 * scales.size())
      fail(fmt::format("there are {} scales, but anchors for {}", scales.size(),
                       anchors.size() / 6));
    return makeRawYoloV5(scales, classes, input, anchors,
                         config.scoreThreshold);
  }

  bool isRawV5(int64_t channels) const {
    if (config.head != DetectionHead::Auto)
      return config.head == DetectionHead::YoloV5;
    return channels % 3 == 0 && (known == 0 || channels == 3 * (5 + known));
  }

  const EvaluationConfig &config;
  std::span<const PortInfo> outputs;
  InputSize input;
  int64_t known;
};

} // namespace

double overlapOf(const Candidate &a, const Candidate &b) {
  double width = std::min(double(a.right), double(b.right)) -
                 std::max(double(a.left), double(b.left));
  double height = std::min(double(a.bottom), double(b.bottom)) -
                  std::max(double(a.top), double(b.top));
  if (!(width > 0) || !(height > 0))
    return 0;
  auto areaOf = [](const Candidate &box) {
    return (double(box.right) - double(box.left)) *
           (double(box.bottom) - double(box.top));
  };
  double both = width * height;
  return both / (areaOf(a) + areaOf(b) - both);
}

std::unique_ptr<DetectionDecoder> makeDecoder(const TaskContext &context) {
  return HeadFinder(context).find();
}

std::vector<Candidate> suppress(std::vector<Candidate> candidates,
                                double threshold, size_t most) {
  // More than these never reach the first hundred.
  constexpr size_t mostCandidates = 3000;
  auto comesFirst = [](const Candidate &a, const Candidate &b) {
    return std::tuple(-a.score, a.place, a.label) <
           std::tuple(-b.score, b.place, b.label);
  };
  size_t count = std::min(candidates.size(), mostCandidates);
  std::partial_sort(candidates.begin(), candidates.begin() + long(count),
                    candidates.end(), comesFirst);
  candidates.resize(count);
  std::vector<Candidate> kept;
  for (const Candidate &candidate : candidates) {
    if (kept.size() == most)
      break;
    bool isHidden =
        std::any_of(kept.begin(), kept.end(), [&](const Candidate &better) {
          return better.label == candidate.label &&
                 overlapOf(better, candidate) > threshold;
        });
    if (!isHidden)
      kept.push_back(candidate);
  }
  return kept;
}

} // namespace parallax::tasks
