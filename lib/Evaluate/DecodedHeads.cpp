//===- DecodedHeads.cpp - Heads that give boxes ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Center or corners of a box and its scores, in one output or in two.
//===----------------------------------------------------------------------===//
#include "DetectionDecoders.h"

#include <algorithm>
#include <cmath>

namespace parallax::tasks {
namespace {

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

  /// A side that is off by a part of the box costs as much of the overlap, at
  /// ten thresholds that are 0.05 apart; a score only changes an order. What
  /// nobody takes for an object matters little.
  bool weigh(std::span<const Tensor> outputs,
             std::span<const std::span<float>> weights) const override {
    constexpr double ofOverlap = 16, ofScore = 0.25, ofNothing = 0.0025;
    constexpr float something = 0.01f;
    Matrix boxes = matrixOf(outputs[form.boxes], form.boxesLast);
    Matrix scores = matrixOf(outputs[form.scores], form.scoresLast);
    auto weightAt = [&](size_t output, const Matrix &matrix, int64_t i,
                        int64_t channel) -> float & {
      return weights[output][size_t(i * matrix.rowStride +
                                    channel * matrix.columnStride)];
    };
    for (int64_t i = 0; i < form.count; ++i) {
      float object = form.objectness < 0 ? 1 : scores.at(i, form.objectness);
      float best = 0;
      for (int64_t c = 0; c < form.classes; ++c) {
        float score = object * scores.at(i, form.firstScore + c);
        best = std::max(best, score);
        weightAt(form.scores, scores, i, form.firstScore + c) =
            float((score > something ? ofScore : ofNothing) * object * object);
      }
      if (form.objectness >= 0)
        weightAt(form.scores, scores, i, form.objectness) =
            float(best > something ? ofScore : ofNothing);
      Candidate box = form.boxForm.make(boxes.at(i, 0), boxes.at(i, 1),
                                        boxes.at(i, 2), boxes.at(i, 3));
      double sizes[2] = {(box.right - box.left) / form.boxForm.scaleX,
                         (box.bottom - box.top) / form.boxForm.scaleY};
      if (form.boxForm.format == BoxFormat::CornersYX)
        std::swap(sizes[0], sizes[1]);
      for (int64_t k = 0; k < 4; ++k) {
        double size = sizes[k % 2];
        weightAt(form.boxes, boxes, i, k) =
            size > 0 ? float(ofOverlap * best * best / (size * size)) : 0;
      }
    }
    return true;
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

} // namespace

std::unique_ptr<DetectionDecoder> makeDecodedHead(const DecodedForm &form,
                                                  double threshold) {
  return std::make_unique<DecodedHead>(form, threshold);
}

std::unique_ptr<DetectionDecoder>
makeFinalBoxes(const BoxForm &boxForm, int64_t classes, double threshold) {
  return std::make_unique<FinalBoxes>(boxForm, classes, threshold);
}

} // namespace parallax::tasks
