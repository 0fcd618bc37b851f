//===- NonMaxSuppression.cpp - Reference kernels: NonMaxSuppression -------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Greedy selection of boxes. Most boxes fall at the score threshold, so only
// the candidates that pass it are sorted and compared.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/KernelSupport.h"
#include "parallax/Backend/Kernels/Vision.h"

namespace parallax::kernels {
namespace {

struct Box {
  float left, top, right, bottom, area;

  /// Corners may come in any order.
  Box(const float *v, bool isCenter) {
    if (isCenter) {
      left = v[0] - v[2] / 2, right = v[0] + v[2] / 2;
      top = v[1] - v[3] / 2, bottom = v[1] + v[3] / 2;
    } else {
      top = std::min(v[0], v[2]), bottom = std::max(v[0], v[2]);
      left = std::min(v[1], v[3]), right = std::max(v[1], v[3]);
    }
    area = (right - left) * (bottom - top);
  }
};

bool overlaps(const Box &a, const Box &b, float iouThreshold) {
  float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (!(width > 0 && height > 0) || a.area <= 0 || b.area <= 0)
    return false;
  float intersection = width * height;
  float both = a.area + b.area - intersection;
  return both > 0 && intersection / both > iouThreshold;
}

} // namespace

void nonMaxSuppression(const Tensor &boxes, const Tensor &scores, Tensor &y,
                       const NonMaxSuppressionParams &params) {
  requireFloat("NonMaxSuppression", boxes);
  requireFloat("NonMaxSuppression", scores);
  int64_t batches = scores.dim(0), classes = scores.dim(1),
          count = scores.dim(2);
  int64_t capacity = y.dim(0), found = 0;
  int64_t *out = y.data<int64_t>();
  std::vector<int64_t> candidates;
  std::vector<Box> selected;
  for (int64_t item = 0; item < batches * classes; ++item) {
    const float *score = scores.data<float>() + item * count;
    const float *box = boxes.data<float>() + item / classes * count * 4;
    candidates.clear();
    // A NaN compares false and is never chosen.
    for (int64_t i = 0; i < count; ++i)
      if (params.scoreThreshold ? score[i] > *params.scoreThreshold
                                : score[i] == score[i])
        candidates.push_back(i);
    std::sort(candidates.begin(), candidates.end(), [&](int64_t a, int64_t b) {
      return score[a] != score[b] ? score[a] > score[b] : a < b;
    });
    selected.clear();
    for (int64_t i : candidates) {
      if (int64_t(selected.size()) >= params.maxPerClass)
        break;
      Box candidate(box + 4 * i, params.centerPointBox);
      if (std::any_of(selected.begin(), selected.end(), [&](const Box &b) {
            return overlaps(candidate, b, params.iouThreshold);
          }))
        continue;
      if (found == capacity)
        throw Error(fmt::format(
            "NonMaxSuppression selects more than the {} boxes that its result "
            "has room for; lower max_output_boxes_per_class",
            capacity));
      selected.push_back(candidate);
      out[3 * found] = item / classes;
      out[3 * found + 1] = item % classes;
      out[3 * found + 2] = i;
      ++found;
    }
  }
  y.setShape({found, 3});
}

} // namespace parallax::kernels
