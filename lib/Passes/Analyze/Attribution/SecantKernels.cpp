//===- SecantKernels.cpp - Kernels of secants -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Secants of products follow from a2 b2 - a1 b1 = mid(b) (a2 - a1) + mid(a)
// (b2 - b1), which is exact. The one of softmax is the mean of its derivative
// on the way from one point to the other, so that it is never steeper than
// softmax is, and no other is much steeper than its function usually is. Sums
// are in double precision and in one order, so that closing
// the sum of all parts means something.
//===----------------------------------------------------------------------===//
#include "SecantKernels.h"

#include "parallax/Support/Simd.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

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

/// Eight sums side by side, so that it runs in vectors.
PARALLAX_SIMD double innerProductRun(const float *a, const float *b,
                                     size_t count) {
  double sums[8] = {};
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (size_t lane = 0; lane < 8; ++lane) {
      float product = a[i + lane] * b[i + lane];
      sums[lane] += isNumber(product) ? product : 0;
    }
  for (; i < count; ++i) {
    float product = a[i] * b[i];
    sums[0] += isNumber(product) ? product : 0;
  }
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
         ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

PARALLAX_SIMD void addScaled(float *result, const float *values, float factor,
                             size_t count) {
  for (size_t i = 0; i < count; ++i)
    result[i] += factor * values[i];
}

/// One line along an axis, as doubles.
class Line {
public:
  Line(Values values, const AxisExtent &axis, int64_t outer, int64_t inner) {
    numbers.reserve(size_t(axis.extent));
    for (int64_t i = 0; i < axis.extent; ++i)
      numbers.push_back(
          values[size_t((outer * axis.extent + i) * axis.inner + inner)]);
  }
  double operator[](size_t i) const { return numbers[i]; }

private:
  std::vector<double> numbers;
};

/// Calls fn(g, q, f, store) for each line; store(i, value) sets element i,
/// which stays 0 if the value is not a number.
template <typename Fn>
void forEachLine(Values g, Values q, Values f, Results result,
                 const AxisExtent &axis, Fn fn) {
  std::ranges::fill(result, 0.0f);
  if (axis.extent == 0)
    return;
  for (int64_t outer = 0; outer < axis.outer; ++outer)
    for (int64_t inner = 0; inner < axis.inner; ++inner) {
      Line lineG(g, axis, outer, inner), lineQ(q, axis, outer, inner),
          lineF(f, axis, outer, inner);
      fn(lineG, lineQ, lineF, [&](size_t i, double value) {
        if (std::isfinite(value))
          result[size_t((outer * axis.extent + int64_t(i)) * axis.inner +
                        inner)] = float(value);
      });
    }
}

//===----------------------------------------------------------------------===//
// Softmax along a path
//===----------------------------------------------------------------------===//

/// The rule of Gauss and Legendre with 16 points between 0 and 1.
std::pair<double, double> gaussPoint(size_t i) {
  constexpr double points[8] = {0.0950125098376374402, 0.2816035507792589132,
                                0.4580167776572273863, 0.6178762444026437484,
                                0.7554044083550030339, 0.8656312023878317439,
                                0.9445750230732325761, 0.9894009349916499326};
  constexpr double weights[8] = {0.1894506104550684963, 0.1826034150449235889,
                                 0.1691565193950025382, 0.1495959888165767321,
                                 0.1246289712555338720, 0.0951585116824927848,
                                 0.0622535239386478929, 0.0271524594117540949};
  double point = i % 2 ? points[i / 2] : -points[i / 2];
  return {(1 + point) / 2, weights[i / 2] / 2};
}

/// An element between f and q; infinities of masks stay where they are.
double between(const Line &q, const Line &f, size_t i, double t) {
  return q[i] == f[i] ? f[i] : f[i] + t * (q[i] - f[i]);
}

/// Into how many pieces the path is cut, so that the rule is exact to many
/// digits in each. Masked elements, which softmax makes nothing of wherever one
/// stands on the path, may move as far as they like.
int piecesOf(const Line &q, const Line &f, size_t n) {
  constexpr double spreadOfPiece = 8, nothing = -40;
  constexpr int mostPieces = 64;
  size_t topQ = 0, topF = 0;
  for (size_t i = 1; i < n; ++i) {
    topQ = q[i] > q[topQ] ? i : topQ;
    topF = f[i] > f[topF] ? i : topF;
  }
  // Below the larger of these two lines an element is farthest up at an end, or
  // where the lines cross.
  double ahead = f[topF] - f[topQ], behind = q[topQ] - q[topF];
  double crossing = ahead + behind > 0 ? ahead / (ahead + behind) : 0;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (size_t i = 0; i < n; ++i) {
    double above = -std::numeric_limits<double>::infinity();
    for (double t : {0.0, crossing, 1.0})
      above = std::max(above,
                       between(q, f, i, t) - std::max(between(q, f, topQ, t),
                                                      between(q, f, topF, t)));
    double change = q[i] - f[i];
    if (above < nothing || !std::isfinite(change))
      continue;
    low = std::min(low, change);
    high = std::max(high, change);
  }
  double spread = high - low;
  return spread > spreadOfPiece
             ? int(std::min<double>(mostPieces,
                                    std::ceil(spread / spreadOfPiece)))
             : 1;
}

/// Exponentials on the way from f to q, the largest of them 1; their sum.
double softmaxAt(const Line &q, const Line &f, double t,
                 std::vector<double> &u) {
  double top = -std::numeric_limits<double>::infinity(), sum = 0;
  for (size_t i = 0; i < u.size(); ++i)
    top = std::max(top, u[i] = between(q, f, i, t));
  for (double &value : u)
    sum += value = std::exp(value - top);
  return sum;
}

} // namespace

void slope(Values x2, Values x1, Values y2, Values y1, Results result) {
  constexpr double shortestPart = 0x1p-10;
  double square = 0, count = 0;
  for (size_t i = 0; i < result.size(); ++i)
    if (float run = x2[i] - x1[i]; run != 0 && isNumber(run)) {
      square += double(run) * run;
      ++count;
    }
  double usual = std::sqrt(square / std::max(count, 1.0));
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

double innerProduct(Values a, Values b) {
  return innerProductRun(a.data(), b.data(), a.size());
}

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

void nearby(Values q, Values f, Results result) {
  double square = 0, count = 0;
  for (size_t i = 0; i < f.size(); ++i)
    if (float error = q[i] - f[i]; isNumber(error)) {
      square += double(error) * error;
      ++count;
    }
  constexpr float part = 0x1p-3f, visible = 0x1p-14f;
  float typical = part * float(std::sqrt(square / std::max(count, 1.0)));
  for (size_t i = 0; i < f.size(); ++i) {
    float step = std::max(typical, visible * std::abs(f[i]));
    result[i] = !isNumber(f[i]) ? f[i] : f[i] + (q[i] < f[i] ? -step : step);
  }
}

void rounded(Values f, const AffineParams &codes, Results result) {
  auto low = float(codes.low - codes.zeroPoint),
       high = float(codes.high - codes.zeroPoint);
  for (size_t i = 0; i < f.size(); ++i)
    result[i] =
        codes.scale * std::clamp(std::nearbyint(f[i] / codes.scale), low, high);
}

double sizeOfProducts(Values a, Values b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    float product = a[i] * b[i];
    sum += isNumber(product) ? std::abs(double(product)) : 0;
  }
  return sum;
}

double squareOfProducts(Values a, Values b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    float product = a[i] * b[i];
    sum += isNumber(product) ? double(product) * product : 0;
  }
  return sum;
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

void softmaxBack(Values g, Values q, Values f, Results result,
                 const AxisExtent &axis, bool isLog) {
  auto n = size_t(axis.extent);
  std::vector<double> u(n), worth(n);
  forEachLine(g, q, f, result, axis,
              [&](const Line &g, const Line &q, const Line &f, auto store) {
                std::ranges::fill(worth, 0.0);
                double sumG = 0;
                for (size_t i = 0; i < n; ++i)
                  sumG += g[i];
                int pieces = piecesOf(q, f, n);
                for (size_t point = 0; point < 16 * size_t(pieces); ++point) {
                  auto [at, weight] = gaussPoint(point % 16);
                  double t = (double(point / 16) + at) / pieces;
                  double sum = softmaxAt(q, f, t, u), along = 0;
                  for (size_t i = 0; i < n; ++i)
                    along += g[i] * (u[i] /= sum);
                  for (size_t i = 0; i < n; ++i)
                    worth[i] += weight / pieces *
                                (isLog ? -sumG * u[i] : u[i] * (g[i] - along));
                }
                for (size_t i = 0; i < n; ++i)
                  store(i, isLog ? g[i] + worth[i] : worth[i]);
              });
}

void normBack(Values g, Values q, Values f, Results result,
              const AxisExtent &axis, const NormKind &kind) {
  auto n = size_t(axis.extent);
  std::vector<double> sums(n), worth(n);
  forEachLine(g, q, f, result, axis,
              [&](const Line &g, const Line &q, const Line &f, auto store) {
                double meanQ = 0, meanF = 0, squareQ = 0, squareF = 0,
                       alongQ = 0, alongF = 0;
                for (size_t i = 0; kind.centers && i < n; ++i) {
                  meanQ += q[i] / double(n);
                  meanF += f[i] / double(n);
                }
                for (size_t i = 0; i < n; ++i) {
                  double dQ = q[i] - meanQ, dF = f[i] - meanF;
                  squareQ += dQ * dQ;
                  squareF += dF * dF;
                  sums[i] = dQ + dF;
                  alongQ += g[i] * dQ;
                  alongF += g[i] * dF;
                }
                double share = kind.sums ? 1 : 1 / double(n);
                double scaleQ = 1 / std::sqrt(squareQ * share + kind.epsilon);
                double scaleF = 1 / std::sqrt(squareF * share + kind.epsilon);
                // 1 / sqrt(a) - 1 / sqrt(b), divided by a - b.
                double slope =
                    -std::pow(scaleQ * scaleF, 2) / (scaleQ + scaleF);
                // The change is scaleQ (q - f) + f (scaleQ - scaleF), and the
                // same with q and f exchanged. A mixture of both by the scales
                // is at most twice as steep as the smaller one.
                double partQ = scaleF / (scaleQ + scaleF);
                double along = partQ * alongF + (1 - partQ) * alongQ;
                double mean = 0;
                for (size_t i = 0; i < n; ++i) {
                  worth[i] = g[i] * 2 * partQ * scaleQ +
                             slope * along * share * sums[i];
                  mean += worth[i] / double(n);
                }
                for (size_t i = 0; i < n; ++i)
                  store(i, worth[i] - (kind.centers ? mean : 0));
              });
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
