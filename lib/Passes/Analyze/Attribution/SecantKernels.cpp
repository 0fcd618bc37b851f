//===- SecantKernels.cpp - Kernels of secants -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Secants of products follow from a2 b2 - a1 b1 = mid(b) (a2 - a1) + mid(a)
// (b2 - b1), which is exact. No other is much steeper than its function usually
// is. Sums are in double precision and in one order, so that closing the sum of
// all parts means something.
//===----------------------------------------------------------------------===//
#include "SecantKernels.h"

#include "parallax/Support/Simd.h"

#include <algorithm>
#include <cmath>

namespace parallax::analyze {
namespace {

PARALLAX_SIMD void slopeRun(const float *x2, const float *x1, const float *y2,
                            const float *y1, float shortest, float *result,
                            size_t count) {
  for (size_t i = 0; i < count; ++i) {
    float run = x2[i] - x1[i];
    float longer = std::max(std::abs(run), shortest);
    float ratio = (y2[i] - y1[i]) / (run < 0 ? -longer : longer);
    result[i] = run != 0 && isNumber(ratio) ? ratio : 0;
  }
}

PARALLAX_SIMD void midpointRun(const float *a, const float *b, float *result,
                               size_t count) {
  for (size_t i = 0; i < count; ++i) {
    float middle = 0.5f * a[i] + 0.5f * b[i];
    result[i] = isNumber(middle) ? middle : 0;
  }
}

PARALLAX_SIMD void differenceRun(const float *a, const float *b, float *result,
                                 size_t count) {
  for (size_t i = 0; i < count; ++i) {
    float value = a[i] - b[i];
    result[i] = isNumber(value) ? value : 0;
  }
}

/// Two roundings, also where a processor could do with one.
PARALLAX_SIMD void addMultipleRun(const float *a, float factor, const float *b,
                                  float *result, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    float product = factor * b[i];
    result[i] = a[i] + product;
  }
}

PARALLAX_SIMD void roundedRun(const float *f, float scale, float low,
                              float high, float *result, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    float step = std::nearbyint(f[i] / scale);
    step = step < low ? low : step;
    result[i] = scale * (step > high ? high : step);
  }
}

PARALLAX_SIMD void nearbyRun(const float *q, const float *f, float typical,
                             float visible, float *result, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    float step = std::max(typical, visible * std::abs(f[i]));
    float moved = f[i] + (q[i] < f[i] ? -step : step);
    result[i] = isNumber(f[i]) ? moved : f[i];
  }
}

/// Eight sums side by side, so that it runs in vectors, always in one order.
template <typename Fn>
inline __attribute__((always_inline)) double sumInLanes(size_t count, Fn term) {
  double sums[8] = {};
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (size_t lane = 0; lane < 8; ++lane)
      sums[lane] += term(i + lane);
  for (; i < count; ++i)
    sums[0] += term(i);
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
         ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

/// A product of floats, and 0 where that is not a number.
inline __attribute__((always_inline)) float productOf(float a, float b) {
  float product = a * b;
  return isNumber(product) ? product : 0;
}

PARALLAX_SIMD double innerProductRun(const float *a, const float *b,
                                     size_t count) {
  return sumInLanes(
      count, [=](size_t i) __attribute__((always_inline))->double {
        return productOf(a[i], b[i]);
      });
}

PARALLAX_SIMD double sizeOfProductsRun(const float *a, const float *b,
                                       size_t count) {
  return sumInLanes(
      count, [=](size_t i) __attribute__((always_inline))->double {
        return std::abs(productOf(a[i], b[i]));
      });
}

PARALLAX_SIMD double squareOfProductsRun(const float *a, const float *b,
                                         size_t count) {
  return sumInLanes(
      count, [=](size_t i) __attribute__((always_inline)) {
        double product = productOf(a[i], b[i]);
        return product * product;
      });
}

/// The square of a - b where that is a number.
PARALLAX_SIMD double squareOfDifferences(const float *a, const float *b,
                                         size_t count) {
  return sumInLanes(
      count, [=](size_t i) __attribute__((always_inline)) {
        double error = a[i] - b[i];
        return error - error == 0 ? error * error : 0.0;
      });
}

/// How many of them are numbers, and with `isMoved`, not 0.
PARALLAX_SIMD size_t countDifferences(const float *a, const float *b,
                                      bool isMoved, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; ++i) {
    float error = a[i] - b[i];
    found += size_t(isNumber(error) & (!isMoved | (error != 0)));
  }
  return found;
}

/// The typical size of differences.
double usualDifference(Values a, Values b, bool isMoved) {
  double square = squareOfDifferences(a.data(), b.data(), a.size());
  auto count = double(countDifferences(a.data(), b.data(), isMoved, a.size()));
  return std::sqrt(square / std::max(count, 1.0));
}

PARALLAX_SIMD void addScaled(float *result, const float *values, float factor,
                             size_t count) {
  for (size_t i = 0; i < count; ++i)
    result[i] += factor * values[i];
}

} // namespace

void slope(Values x2, Values x1, Values y2, Values y1, Results result) {
  constexpr double shortestPart = 0x1p-10;
  double usual = usualDifference(x2, x1, /*isMoved=*/true);
  float shortest =
      std::max(float(shortestPart * usual), std::numeric_limits<float>::min());
  slopeRun(x2.data(), x1.data(), y2.data(), y1.data(), shortest, result.data(),
           result.size());
}

void midpoint(Values a, Values b, Results result) {
  midpointRun(a.data(), b.data(), result.data(), result.size());
}

void difference(Values a, Values b, Results result) {
  differenceRun(a.data(), b.data(), result.data(), result.size());
}

void addMultiple(Values a, float factor, Values b, Results result) {
  addMultipleRun(a.data(), factor, b.data(), result.data(), result.size());
}

double innerProduct(Values a, Values b) {
  return innerProductRun(a.data(), b.data(), a.size());
}

void nearby(Values q, Values f, Results result) {
  constexpr float part = 0x1p-3f, visible = 0x1p-14f;
  float typical = part * float(usualDifference(q, f, /*isMoved=*/false));
  nearbyRun(q.data(), f.data(), typical, visible, result.data(), f.size());
}

void rounded(Values f, const AffineParams &codes, Results result) {
  auto low = float(codes.low - codes.zeroPoint),
       high = float(codes.high - codes.zeroPoint);
  roundedRun(f.data(), codes.scale, low, high, result.data(), f.size());
}

double sizeOfProducts(Values a, Values b) {
  return sizeOfProductsRun(a.data(), b.data(), a.size());
}

double squareOfProducts(Values a, Values b) {
  return squareOfProductsRun(a.data(), b.data(), a.size());
}

void sumBack(Values g, Results result, const Windows &windows) {
  std::ranges::fill(result, 0.0f);
  int64_t planes = windows.outputs ? int64_t(g.size()) / windows.outputs : 0;
  for (int64_t plane = 0; plane < planes; ++plane) {
    const float *from = g.data() + plane * windows.outputs;
    float *to = result.data() + plane * windows.inputs;
    for (int64_t o = 0; o < windows.outputs; ++o) {
      float worth = from[o] * windows.weights[size_t(o)];
      for (int64_t t = windows.begin[size_t(o)];
           t < windows.begin[size_t(o) + 1]; ++t)
        to[windows.taps[size_t(t)]] += worth;
    }
  }
}

void extremeBack(Values g, Values q, Values f, Results result,
                 const Windows &windows, bool isMax) {
  std::ranges::fill(result, 0.0f);
  float sign = isMax ? 1 : -1;
  int64_t planes = windows.outputs ? int64_t(g.size()) / windows.outputs : 0;
  for (int64_t plane = 0; plane < planes; ++plane) {
    const float *planeQ = q.data() + plane * windows.inputs;
    const float *planeF = f.data() + plane * windows.inputs;
    float *to = result.data() + plane * windows.inputs;
    for (int64_t o = 0; o < windows.outputs; ++o) {
      int64_t begin = windows.begin[size_t(o)];
      int64_t end = windows.begin[size_t(o) + 1];
      if (begin == end)
        continue;
      int32_t i = windows.taps[size_t(begin)], j = i;
      for (int64_t t = begin + 1; t < end; ++t) {
        int32_t tap = windows.taps[size_t(t)];
        if (sign * planeF[tap] > sign * planeF[i])
          i = tap;
        if (sign * planeQ[tap] > sign * planeQ[j])
          j = tap;
      }
      // The change of the extreme lies between the changes of both elements.
      double ofI = double(planeQ[i]) - planeF[i];
      double ofJ = double(planeQ[j]) - planeF[j];
      double change = double(planeQ[j]) - planeF[i];
      double part = ofJ == ofI ? 0.5 : (change - ofI) / (ofJ - ofI);
      if (!(part >= 0 && part <= 1))
        continue;
      float worth = g[size_t(plane * windows.outputs + o)];
      to[j] += float(part) * worth;
      to[i] += float(1 - part) * worth;
    }
  }
}

void moveBack(Values g, std::span<const int32_t> sources, Results result) {
  for (size_t i = 0; i < sources.size(); ++i)
    if (sources[i] >= 0)
      result[size_t(sources[i])] += g[i];
}

void alongAxisBack(Values g, Results result, const AxisTaps &axis) {
  std::ranges::fill(result, 0.0f);
  auto inner = size_t(axis.from.inner);
  for (int64_t outer = 0; outer < axis.from.outer; ++outer)
    for (int64_t o = 0; o < axis.outputs; ++o) {
      const float *from = g.data() + size_t(outer * axis.outputs + o) * inner;
      for (int64_t t = o * axis.taps; t < (o + 1) * axis.taps; ++t) {
        int64_t to = outer * axis.from.extent + axis.index[size_t(t)];
        addScaled(result.data() + size_t(to) * inner, from,
                  axis.weight[size_t(t)], inner);
      }
    }
}

} // namespace parallax::analyze
