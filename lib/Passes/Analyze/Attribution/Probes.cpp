//===- Probes.cpp - What errors of outputs are worth ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The loss of an output as an inner product with its error, and random vectors
// that stand for one small error that comes alone.
//===----------------------------------------------------------------------===//
#include "SecantKernels.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace parallax::analyze {

double cosineLoss(Values q, Values f, Results gradient) {
  std::ranges::fill(gradient, 0.0f);
  double squareQ = 0, squareF = 0, squareE = 0;
  for (size_t i = 0; i < q.size(); ++i) {
    double e = double(q[i]) - f[i];
    squareQ += double(q[i]) * q[i];
    squareF += double(f[i]) * f[i];
    squareE += e * e;
  }
  if (squareE == 0)
    return 0;
  double normQ = std::sqrt(squareQ), normF = std::sqrt(squareF);
  if (!(normQ > 0 && normF > 0) || !std::isfinite(normQ * normF))
    return std::numeric_limits<double>::quiet_NaN();
  // With unit vectors u and v the loss is |u - v|^2 / 2, and u - v is a secant
  // of q - f: mid(1 / norm) (q - f) + mid(x) (1 / |q| - 1 / |f|).
  double middleScale = (1 / normQ + 1 / normF) / 2;
  double loss = 0, along = 0;
  for (size_t i = 0; i < q.size(); ++i) {
    double d = q[i] / normQ - f[i] / normF;
    loss += d * d / 2;
    along += d * (double(q[i]) + f[i]) / 2;
  }
  double back = -along / (normQ * normF * (normQ + normF));
  for (size_t i = 0; i < q.size(); ++i) {
    double d = q[i] / normQ - f[i] / normF;
    gradient[i] = float((middleScale * d + back * (double(q[i]) + f[i])) / 2);
  }
  return loss;
}

/// Which of 64 pairs of elements have the larger one in front: other samples
/// have other answers, and rounding hardly ever does.
static uint64_t patternOf(Values f) {
  uint64_t pattern = 0;
  for (size_t i = 0; i < 64 && !f.empty(); ++i) {
    size_t first = i * f.size() / 64,
           second = (first + f.size() / 2) % f.size();
    pattern = pattern << 1 | uint64_t(f[first] > f[second]);
  }
  return pattern;
}

void randomSigns(float size, uint64_t seed, Results result) {
  std::mt19937_64 generator(seed);
  uint64_t bits = 0;
  for (size_t i = 0; i < result.size(); ++i, bits >>= 1) {
    if (i % 64 == 0)
      bits = generator();
    result[i] = bits & 1 ? size : -size;
  }
}

void weightedProbe(Values f, Values weights, uint64_t seed, Results result) {
  double square = 0;
  for (size_t i = 0; i < f.size(); ++i)
    square += double(weights[i]) * f[i] * f[i];
  std::ranges::fill(result, 0.0f);
  if (!(square > 0) || !std::isfinite(square))
    return;
  randomSigns(1, patternOf(f) + f.size() + seed, result);
  for (size_t i = 0; i < f.size(); ++i)
    result[i] *= float(std::sqrt(weights[i] / (2 * square)));
}

void probe(Values f, uint64_t seed, Results result) {
  double square = 0, along = 0;
  for (float value : f)
    square += double(value) * value;
  std::ranges::fill(result, 0.0f);
  if (!(square > 0) || !std::isfinite(square))
    return;
  // Signs, without their part along f: a longer vector is not a loss.
  randomSigns(1, patternOf(f) + f.size() + seed, result);
  for (size_t i = 0; i < f.size(); ++i)
    along += result[i] * double(f[i]);
  for (size_t i = 0; i < f.size(); ++i)
    result[i] =
        float((result[i] - along / square * f[i]) / std::sqrt(2 * square));
}

} // namespace parallax::analyze
