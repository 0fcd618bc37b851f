//===- LiteralResize.cpp - The second version of C39a ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Where the outputs of a Resize lie, and which inputs with which weights make
// them: all inputs are asked, however far away they are.
//===----------------------------------------------------------------------===//
#include "LiteralDetail.h"
#include "LiteralMovement.h"

#include <algorithm>
#include <cmath>

namespace parallax::literal {

double position(const Sampling &axis, int64_t output) {
  auto n = double(axis.in), m = double(axis.out), o = double(output);
  bool isRatio = axis.scale == float(m / n);
  double length = isRatio ? m : double(axis.scale) * n;
  auto unscaled = [&](double v) {
    return isRatio ? v * n / m : v / double(axis.scale);
  };
  const std::string &mode = axis.coordinates;
  if (misread("C47.position"))
    return unscaled(o);
  if (mode == "asymmetric")
    return unscaled(o);
  if (mode == "tf_half_pixel_for_nn")
    return unscaled(o + 0.5);
  if (mode == "align_corners")
    return axis.out == 1 ? 0 : o * (n - 1) / (length - 1);
  if (mode == "pytorch_half_pixel" && axis.out == 1)
    return 0;
  double moved = mode == "half_pixel_symmetric" ? n / 2 * (1 - m / length) : 0;
  return moved + unscaled(o + 0.5) - 0.5;
}

Dims nearestInputs(const Sampling &axis) {
  Dims inputs;
  for (int64_t o = 0; o < axis.out; ++o) {
    double p = position(axis, o), below = std::floor(p), rest = p - below;
    if (misread("C47.nearest")) {
      inputs.push_back(std::clamp<int64_t>(std::llround(p), 0, axis.in - 1));
      continue;
    }
    bool up = axis.nearest == "ceil"                ? rest > 0
              : axis.nearest == "round_prefer_ceil" ? rest >= 0.5
              : axis.nearest == "floor"             ? false
                                                    : rest > 0.5;
    inputs.push_back(
        std::clamp<int64_t>(int64_t(below) + (up ? 1 : 0), 0, axis.in - 1));
  }
  return inputs;
}

/// k(t) of linear interpolation or of Keys' cubic one.
static double kernel(const Sampling &axis, double t) {
  double d = std::fabs(t), a = axis.cubic;
  if (axis.mode == "linear")
    return std::max(1 - d, 0.0);
  if (d >= 2)
    return 0;
  return d <= 1 ? (a + 2) * d * d * d - (a + 3) * d * d + 1
                : a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a;
}

std::vector<Taps> weightedInputs(const Sampling &axis, int bits) {
  bool isRatio = axis.scale == float(double(axis.out) / double(axis.in));
  double scale =
      isRatio ? double(axis.out) / double(axis.in) : double(axis.scale);
  double stretch = axis.antialias ? std::min(scale, 1.0) : 1.0;
  std::vector<Taps> all;
  for (int64_t o = 0; o < axis.out; ++o) {
    double p = position(axis, o);
    // No kernel reaches further than this.
    auto reach = int64_t(std::ceil(2 / stretch)) + 1;
    int64_t middle = int64_t(std::floor(p));
    std::vector<int64_t> inputs;
    std::vector<double> weights;
    for (int64_t j = middle - reach; j <= middle + reach; ++j) {
      bool isOutside = j < 0 || j >= axis.in;
      double k = kernel(axis, (double(j) - p) * stretch);
      if (k == 0 || (isOutside && axis.excludeOutside))
        continue;
      inputs.push_back(std::clamp<int64_t>(j, 0, axis.in - 1));
      weights.push_back(k);
    }
    double sum = 0;
    for (double w : weights)
      sum += w;
    std::vector<float> real;
    for (double w : weights)
      real.push_back(float(w / sum));
    std::vector<Wide> integers = resizeWeights(real, bits);
    Taps taps;
    for (size_t i = 0; i < inputs.size(); ++i)
      taps.push_back({inputs[i], integers[i]});
    all.push_back(taps);
  }
  return all;
}

void resizeNearest(const Codes &x, const std::vector<Dims> &inputs, Codes &y) {
  move(x, y, [&](Dims at) {
    for (size_t i = 0; i < at.size(); ++i)
      at[i] = inputs[i][at[i]];
    return at;
  });
}

} // namespace parallax::literal
