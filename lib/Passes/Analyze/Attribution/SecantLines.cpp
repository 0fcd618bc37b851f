//===- SecantLines.cpp - Secants of softmax and norms ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// These layers compute each element of a line from all of it. The secant of
// softmax is the mean of its derivative on the way from one point to the other,
// so that it is never steeper than softmax is.
//===----------------------------------------------------------------------===//
#include "SecantKernels.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace parallax::analyze {
namespace {

/// One line along an axis, as doubles.
using Line = std::vector<double>;

/// Calls fn(g, q, f, store) for each line; store(i, value) sets element i,
/// which stays 0 if the value is not a number.
template <typename Fn>
void forEachLine(Values g, Values q, Values f, Results result,
                 const AxisExtent &axis, Fn fn) {
  std::ranges::fill(result, 0.0f);
  if (axis.extent == 0)
    return;
  auto extent = size_t(axis.extent), stride = size_t(axis.inner);
  Line lineG(extent), lineQ(extent), lineF(extent);
  for (int64_t outer = 0; outer < axis.outer; ++outer)
    for (int64_t inner = 0; inner < axis.inner; ++inner) {
      auto first = size_t(outer * axis.extent * axis.inner + inner);
      for (size_t i = 0; i < extent; ++i) {
        lineG[i] = g[first + i * stride];
        lineQ[i] = q[first + i * stride];
        lineF[i] = f[first + i * stride];
      }
      fn(std::as_const(lineG), std::as_const(lineQ), std::as_const(lineF),
         [&](size_t i, double value) {
           if (std::isfinite(value))
             result[first + i * stride] = float(value);
         });
    }
}

//===----------------------------------------------------------------------===//
// Softmax along a path
//===----------------------------------------------------------------------===//

/// A point between 0 and 1, and its weight.
struct GaussPoint {
  double at = 0, weight = 0;
};

/// A rule of Gauss and Legendre: the upper half of its points between -1 and 1,
/// with their weights.
struct GaussRule {
  /// Elements that move apart by no more than this are integrated to the
  /// digits of a float.
  double spread = 0;
  std::span<const std::pair<double, double>> upper;

  size_t size() const { return 2 * upper.size(); }
  GaussPoint point(size_t i) const {
    auto [at, weight] = upper[i / 2];
    return {(1 + (i % 2 ? at : -at)) / 2, weight / 2};
  }
};

constexpr std::pair<double, double> points4[] = {
    {0.3399810435848562648, 0.6521451548625461426},
    {0.8611363115940525752, 0.3478548451374538574}};
constexpr std::pair<double, double> points8[] = {
    {0.1834346424956498049, 0.3626837833783619830},
    {0.5255324099163289858, 0.3137066458778872873},
    {0.7966664774136267396, 0.2223810344533744706},
    {0.9602898564975362317, 0.1012285362903762591}};
constexpr std::pair<double, double> points16[] = {
    {0.0950125098376374402, 0.1894506104550684963},
    {0.2816035507792589132, 0.1826034150449235889},
    {0.4580167776572273863, 0.1691565193950025382},
    {0.6178762444026437484, 0.1495959888165767321},
    {0.7554044083550030339, 0.1246289712555338720},
    {0.8656312023878317439, 0.0951585116824927848},
    {0.9445750230732325761, 0.0622535239386478929},
    {0.9894009349916499326, 0.0271524594117540949}};
constexpr GaussRule gaussRules[] = {
    {1.5, points4}, {4, points8}, {8, points16}};

/// The path from one point to the other, cut into pieces of one rule each.
struct Path {
  int pieces = 1;
  const GaussRule *rule = nullptr;
};

/// An element between f and q; infinities of masks stay where they are.
double between(const Line &q, const Line &f, size_t i, double t) {
  return q[i] == f[i] ? f[i] : f[i] + t * (q[i] - f[i]);
}

/// How the path is walked. Masked elements, which softmax makes nothing of
/// wherever one stands on the path, may move as far as they like.
Path pathOf(const Line &q, const Line &f, size_t n) {
  constexpr double nothing = -40;
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
  const double places[] = {0, crossing, 1};
  double lines[3];
  for (size_t k = 0; k < 3; ++k)
    lines[k] = std::max(between(q, f, topQ, places[k]),
                        between(q, f, topF, places[k]));
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (size_t i = 0; i < n; ++i) {
    double above = -std::numeric_limits<double>::infinity();
    for (size_t k = 0; k < 3; ++k)
      above = std::max(above, between(q, f, i, places[k]) - lines[k]);
    double change = q[i] - f[i];
    if (above < nothing || !std::isfinite(change))
      continue;
    low = std::min(low, change);
    high = std::max(high, change);
  }
  // Less than nothing where no element changes anything.
  double spread = high - low;
  for (const GaussRule &rule : gaussRules)
    if (spread <= rule.spread)
      return {1, &rule};
  const GaussRule &longest = std::end(gaussRules)[-1];
  return {int(std::min<double>(mostPieces, std::ceil(spread / longest.spread))),
          &longest};
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
                auto [pieces, rule] = pathOf(q, f, n);
                size_t points = rule->size();
                for (size_t k = 0; k < points * size_t(pieces); ++k) {
                  auto [at, weight] = rule->point(k % points);
                  double t = (double(k / points) + at) / pieces;
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

} // namespace parallax::analyze
