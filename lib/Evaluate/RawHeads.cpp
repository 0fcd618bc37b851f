//===- RawHeads.cpp - Heads without their last layers ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Chips often run a detector only up to its last convolutions; what the layers
// behind them would compute is done here, in float.
//===----------------------------------------------------------------------===//
#include "DetectionDecoders.h"

#include <algorithm>
#include <cmath>

namespace parallax::tasks {
namespace {

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

/// Above the threshold of a score, its argument of the sigmoid.
float logitOf(double threshold) {
  return threshold <= 0   ? -INFINITY
         : threshold >= 1 ? INFINITY
                          : float(std::log(threshold / (1 - threshold)));
}

/// A raw output by position and channel.
Matrix rawMatrix(const Tensor &tensor, const RawScale &scale) {
  int64_t plane = scale.height * scale.width;
  return scale.channelsLast
             ? Matrix{tensor.data<float>(), tensor.size() / plane, 1}
             : Matrix{tensor.data<float>(), 1, plane};
}

class RawYoloV8 final : public DetectionDecoder {
public:
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
    for (int64_t k = 0; k < distanceBins; ++k)
      most = std::max(most, boxes.at(i, side * distanceBins + k));
    for (int64_t k = 0; k < distanceBins; ++k) {
      float weight = std::exp(boxes.at(i, side * distanceBins + k) - most);
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

} // namespace

std::unique_ptr<DetectionDecoder> makeRawYoloV8(std::vector<RawScale> scales,
                                                int64_t classes,
                                                InputSize input,
                                                double threshold) {
  return std::make_unique<RawYoloV8>(std::move(scales), classes, input,
                                     threshold);
}

std::unique_ptr<DetectionDecoder>
makeRawYoloV5(std::vector<RawScale> scales, int64_t classes, InputSize input,
              std::vector<double> anchors, double threshold) {
  return std::make_unique<RawYoloV5>(std::move(scales), classes, input,
                                     std::move(anchors), threshold);
}

} // namespace parallax::tasks
