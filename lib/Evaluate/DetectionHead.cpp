//===- DetectionHead.cpp - From outputs of detectors to boxes -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Shapes tell most heads apart: YOLOv8 puts channels first, YOLOv5 last; raw
// heads have a picture for every scale.
//===----------------------------------------------------------------------===//
#include "DetectionHead.h"

#include "parallax/Support/Error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace parallax::tasks {
namespace {

/// Numbers of boxes and scores in a matrix that is stored by rows or by
/// columns.
struct Matrix {
  const float *data = nullptr;
  int64_t rowStride = 0, columnStride = 1;

  float at(int64_t row, int64_t column) const {
    return data[row * rowStride + column * columnStride];
  }
};

struct InputSize {
  double width = 0, height = 0;
};

InputSize sizeOfInput(const TaskContext &context) {
  for (const PortInfo &input : context.inputs)
    if (input.shape.size() == 4) {
      bool isLast = input.shape[1] != 1 && input.shape[1] != 3;
      return {double(input.shape[isLast ? 2 : 3]),
              double(input.shape[isLast ? 1 : 2])};
    }
  throw Error("a detector needs an input of pictures");
}

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

/// Above the threshold of a score, its argument of the sigmoid.
float logitOf(double threshold) {
  return threshold <= 0   ? -INFINITY
         : threshold >= 1 ? INFINITY
                          : float(std::log(threshold / (1 - threshold)));
}

/// How the four numbers of a box are meant.
struct BoxForm {
  BoxFormat format = BoxFormat::CenterSize;
  double scaleX = 1, scaleY = 1;

  Candidate make(float a, float b, float c, float d) const {
    if (format == BoxFormat::CornersYX) {
      std::swap(a, b);
      std::swap(c, d);
    }
    if (format == BoxFormat::CenterSize) {
      float x = a, y = b;
      a = x - c / 2;
      b = y - d / 2;
      c = x + c / 2;
      d = y + d / 2;
    }
    auto sx = float(scaleX), sy = float(scaleY);
    return {a * sx, b * sy, c * sx, d * sy};
  }
};

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

//===----------------------------------------------------------------------===//
// Decoded heads
//===----------------------------------------------------------------------===//

/// Where the parts of decoded boxes are.
struct DecodedForm {
  /// Outputs, and whether their last dimension is that of channels.
  size_t boxes = 0, scores = 0;
  bool boxesLast = false, scoresLast = false;
  /// The first channel of the scores, and of the score of any object; -1 if
  /// there is none.
  int64_t firstScore = 4, objectness = -1;
  int64_t count = 0, classes = 0;
  BoxForm boxForm;
};

class DecodedHead final : public DetectionDecoder {
public:
  DecodedHead(DecodedForm form, double threshold)
      : form(form), threshold(float(threshold)) {}

  int64_t classCount() const override { return form.classes; }

  std::vector<Candidate>
  decode(std::span<const Tensor> outputs) const override {
    Matrix boxes = matrixOf(outputs[form.boxes], form.boxesLast);
    Matrix scores = matrixOf(outputs[form.scores], form.scoresLast);
    std::vector<Candidate> candidates;
    auto add = [&](int64_t i, int64_t c, float score) {
      Candidate box = form.boxForm.make(boxes.at(i, 0), boxes.at(i, 1),
                                        boxes.at(i, 2), boxes.at(i, 3));
      box.score = score;
      box.label = int32_t(c);
      box.place = int32_t(i);
      candidates.push_back(box);
    };
    // By channel where channels are stored one after the other.
    if (!form.scoresLast && form.objectness < 0) {
      for (int64_t c = 0; c < form.classes; ++c)
        for (int64_t i = 0; i < form.count; ++i)
          if (float score = scores.at(i, form.firstScore + c);
              score > threshold)
            add(i, c, score);
      return candidates;
    }
    for (int64_t i = 0; i < form.count; ++i) {
      float object = form.objectness < 0 ? 1 : scores.at(i, form.objectness);
      if (!(object > threshold))
        continue;
      for (int64_t c = 0; c < form.classes; ++c)
        if (float score = object * scores.at(i, form.firstScore + c);
            score > threshold)
          add(i, c, score);
    }
    return candidates;
  }

private:
  Matrix matrixOf(const Tensor &tensor, bool isLast) const {
    int64_t channels = tensor.size() / form.count;
    return isLast ? Matrix{tensor.data<float>(), channels, 1}
                  : Matrix{tensor.data<float>(), 1, form.count};
  }

  DecodedForm form;
  float threshold;
};

/// Boxes that the network has chosen itself: corners, score and class.
class FinalBoxes final : public DetectionDecoder {
public:
  FinalBoxes(BoxForm boxForm, int64_t classes, double threshold)
      : boxForm(boxForm), classes(classes), threshold(float(threshold)) {}

  int64_t classCount() const override { return classes; }

  std::vector<Candidate>
  decode(std::span<const Tensor> outputs) const override {
    std::vector<Candidate> candidates;
    std::span<const float> values = outputs[0].values<float>();
    for (size_t at = 0; at + 6 <= values.size(); at += 6) {
      const float *box = values.data() + at;
      if (!(box[4] > threshold))
        continue;
      Candidate candidate = boxForm.make(box[0], box[1], box[2], box[3]);
      candidate.score = box[4];
      candidate.label = int32_t(std::lround(box[5]));
      candidate.place = int32_t(at);
      candidates.push_back(candidate);
    }
    return candidates;
  }

private:
  BoxForm boxForm;
  int64_t classes;
  float threshold;
};

//===----------------------------------------------------------------------===//
// Raw heads
//===----------------------------------------------------------------------===//

/// The outputs of one scale.
struct RawScale {
  size_t boxes = 0, scores = 0;
  bool channelsLast = false;
  int64_t height = 0, width = 0;
  /// The first channel of scores in their output.
  int64_t firstScore = 0;
};

/// A raw output by position and channel.
Matrix rawMatrix(const Tensor &tensor, const RawScale &scale) {
  int64_t plane = scale.height * scale.width;
  return scale.channelsLast
             ? Matrix{tensor.data<float>(), tensor.size() / plane, 1}
             : Matrix{tensor.data<float>(), 1, plane};
}

/// YOLOv8 without its last layers: distances to the four sides as distributions
/// over 16 numbers, and scores before their sigmoid.
class RawYoloV8 final : public DetectionDecoder {
public:
  static constexpr int64_t bins = 16;

  RawYoloV8(std::vector<RawScale> scales, int64_t classes, InputSize input,
            double threshold)
      : scales(std::move(scales)), classes(classes), input(input),
        logit(logitOf(threshold)) {}

  int64_t classCount() const override { return classes; }

  std::vector<Candidate>
  decode(std::span<const Tensor> outputs) const override {
    std::vector<Candidate> candidates;
    int64_t first = 0;
    for (const RawScale &scale : scales) {
      Matrix boxes = rawMatrix(outputs[scale.boxes], scale);
      Matrix scores = rawMatrix(outputs[scale.scores], scale);
      for (int64_t i = 0; i < scale.height * scale.width; ++i)
        for (int64_t c = 0; c < classes; ++c)
          if (float score = scores.at(i, scale.firstScore + c); score > logit) {
            Candidate box = boxAt(boxes, scale, i);
            box.score = sigmoid(score);
            box.label = int32_t(c);
            box.place = int32_t(first + i);
            candidates.push_back(box);
          }
      first += scale.height * scale.width;
    }
    return candidates;
  }

private:
  static float distance(const Matrix &boxes, int64_t i, int64_t side) {
    float most = -INFINITY, sum = 0, mean = 0;
    for (int64_t k = 0; k < bins; ++k)
      most = std::max(most, boxes.at(i, side * bins + k));
    for (int64_t k = 0; k < bins; ++k) {
      float weight = std::exp(boxes.at(i, side * bins + k) - most);
      sum += weight;
      mean += weight * float(k);
    }
    return mean / sum;
  }

  Candidate boxAt(const Matrix &boxes, const RawScale &scale, int64_t i) const {
    float x = float(i % scale.width) + 0.5f, y = float(i / scale.width) + 0.5f;
    auto strideX = float(input.width / double(scale.width));
    auto strideY = float(input.height / double(scale.height));
    return {(x - distance(boxes, i, 0)) * strideX,
            (y - distance(boxes, i, 1)) * strideY,
            (x + distance(boxes, i, 2)) * strideX,
            (y + distance(boxes, i, 3)) * strideY};
  }

  std::vector<RawScale> scales;
  int64_t classes;
  InputSize input;
  float logit;
};

/// YOLOv5 without its last layers: three anchors at each position.
class RawYoloV5 final : public DetectionDecoder {
public:
  RawYoloV5(std::vector<RawScale> scales, int64_t classes, InputSize input,
            std::vector<double> anchors, double threshold)
      : scales(std::move(scales)), classes(classes), input(input),
        anchors(std::move(anchors)), threshold(float(threshold)) {}

  int64_t classCount() const override { return classes; }

  std::vector<Candidate>
  decode(std::span<const Tensor> outputs) const override {
    std::vector<Candidate> candidates;
    for (size_t s = 0; s < scales.size(); ++s)
      for (int64_t anchor = 0; anchor < 3; ++anchor)
        decodeAnchor(outputs[scales[s].boxes], s, anchor, candidates);
    return candidates;
  }

private:
  void decodeAnchor(const Tensor &output, size_t s, int64_t anchor,
                    std::vector<Candidate> &candidates) const {
    const RawScale &scale = scales[s];
    int64_t plane = scale.height * scale.width, channels = 5 + classes;
    Matrix numbers = rawMatrix(output, scale);
    int64_t first = anchor * channels;
    if (output.rank() == 5) { // Anchors are a dimension of their own.
      numbers = {output.data<float>() + anchor * plane * channels, channels, 1};
      first = 0;
    }
    auto strideX = float(input.width / double(scale.width));
    auto strideY = float(input.height / double(scale.height));
    const double *size = anchors.data() + s * 6 + size_t(anchor) * 2;
    for (int64_t i = 0; i < plane; ++i) {
      float object = sigmoid(numbers.at(i, first + 4));
      if (!(object > threshold))
        continue;
      for (int64_t c = 0; c < classes; ++c) {
        float score = object * sigmoid(numbers.at(i, first + 5 + c));
        if (!(score > threshold))
          continue;
        auto part = [&](int64_t k) {
          return 2 * sigmoid(numbers.at(i, first + k));
        };
        float x = (part(0) - 0.5f + float(i % scale.width)) * strideX;
        float y = (part(1) - 0.5f + float(i / scale.width)) * strideY;
        float width = part(2) * part(2) * float(size[0]);
        float height = part(3) * part(3) * float(size[1]);
        candidates.push_back({x - width / 2, y - height / 2, x + width / 2,
                              y + height / 2, score, int32_t(c),
                              int32_t((anchor * plane + i) * 4 + int64_t(s))});
      }
    }
  }

  std::vector<RawScale> scales;
  int64_t classes;
  InputSize input;
  std::vector<double> anchors;
  float threshold;
};

//===----------------------------------------------------------------------===//
// Which one it is
//===----------------------------------------------------------------------===//

class HeadFinder {
public:
  explicit HeadFinder(const TaskContext &context)
      : config(context.config), outputs(context.outputs),
        input(sizeOfInput(context)),
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
      return std::make_unique<FinalBoxes>(
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
    return std::make_unique<DecodedHead>(form, config.scoreThreshold);
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
    return std::make_unique<DecodedHead>(form, config.scoreThreshold);
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
    constexpr int64_t boxChannels = 4 * RawYoloV8::bins;
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
      return std::make_unique<RawYoloV8>(scales, classes, input,
                                         config.scoreThreshold);
    std::vector<double> anchors = config.anchors;
    if (anchors.empty())
      anchors = {10, 13, 16,  30,  33, 23,  30,  61,  62,
                 45, 59, 119, 116, 90, 156, 198, 373, 326};
    if (anchors.size() != 6 * scales.size())
      fail(fmt::format("there are {} scales, but anchors for {}", scales.size(),
                       anchors.size() / 6));
    return std::make_unique<RawYoloV5>(scales, classes, input, anchors,
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
