//===- LiteralComposites.cpp - The second reading, continued --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Tables, softmax, normalizations and float layers. Labels name the statement
// that the lines below them spell out.
//===----------------------------------------------------------------------===//
#include "LiteralDetail.h"

#include <algorithm>
#include <cmath>

namespace parallax::literal {

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// The t of C50, with what becomes of numbers that are none.
static double stepsOf(const std::function<double(double)> &f, const Codes &x,
                      int64_t code, const Codes &y) {
  double t = f(double(code - x.zero) * double(x.scale)) / double(y.scale);
  if (std::isnan(t) || t == -INFINITY)
    return double(y.low - y.zero);
  return t == INFINITY ? double(y.high - y.zero) : t;
}

// C52
Wide knot(const std::function<double(double)> &f, const Codes &x,
          const Codes &y, int64_t i) {
  double t = stepsOf(f, x, x.leastOfType() + 128 * i, y) * 256;
  double limit = std::pow(2.0, 30);
  return rne(t > limit ? limit : t < -limit ? -limit : t);
}

void table(const std::function<double(double)> &f, const Codes &x, Codes &y,
           Tie tie) {
  int64_t least = x.leastOfType();
  for (int64_t code : x.values) {
    if (x.bits == 8) {
      // C50, C51; far beyond all codes any number does.
      double t = stepsOf(f, x, code, y);
      store(y, t > 1e9    ? Wide(1000000000)
               : t < -1e9 ? Wide(-1000000000)
                          : rne(t));
      continue;
    }
    // C53
    int64_t u = code - least, i = u / 128, r = u % 128;
    Wide sum = knot(f, x, y, i) * (128 - r) + knot(f, x, y, i + 1) * r;
    store(y, roundedShift(sum, 15, tie));
  }
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

// C62
Wide exponent(const Codes &x, int64_t d) {
  auto e = [&](int64_t n) {
    return rne(std::exp(-(double(n) * double(x.scale))) * std::pow(2.0, 30));
  };
  if (x.bits == 8)
    return e(d);
  return roundedShift(e(d / 256 * 256) * e(d % 256), 30, Tie::Up);
}

/// Greatest code and sum of exponents of the row that `at` belongs to.
struct Row {
  int64_t greatest;
  Wide sum;
};
static Row rowOf(const Codes &x, Dims at, int64_t axis) {
  std::vector<int64_t> codes;
  for (at[axis] = 0; at[axis] < x.dims[axis]; ++at[axis])
    codes.push_back(x.values[flatten(at, x.dims)]);
  Row row{*std::max_element(codes.begin(), codes.end()), 0};
  for (int64_t code : codes)
    row.sum += exponent(x, row.greatest - code);
  return row;
}

void softmax(const Codes &x, int64_t axis, Codes &y, Tie tie) {
  // C63
  Factor f = mult(1.0 / double(y.scale));
  for (int64_t flat = 0; flat < count(x.dims); ++flat) {
    Row row = rowOf(x, coordinates(flat, x.dims), axis);
    // C64
    Factor r = reciprocal(row.sum);
    Wide g = roundedShift(r.m * f.m, 31, Tie::Up);
    store(y, roundedShift(exponent(x, row.greatest - x.values[flat]) * g,
                          r.s + f.s - 31, tie));
  }
}

// C65
Wide logarithmEntry(Wide i) {
  return rne(std::log(1.0 + double(i) / 256) * std::pow(2.0, 20));
}

LogSoftmax logSoftmaxIntegers(float xScale, float yScale) {
  Factor l = mult(std::pow(2.0, -20) * (1.0 / double(yScale)));
  if (l.m == 0)
    return {l, 0};
  return {l, rne(double(xScale) / double(yScale) * std::pow(2.0, l.s))};
}

void logSoftmax(const Codes &x, int64_t axis, Codes &y, Tie tie) {
  LogSoftmax k = logSoftmaxIntegers(x.scale, y.scale);
  for (int64_t flat = 0; flat < count(x.dims); ++flat) {
    Row row = rowOf(x, coordinates(flat, x.dims), axis);
    // C66
    int n = digits(row.sum);
    Wide m = floorDivide(row.sum * power(25), power(n)) - power(24);
    Wide i = m / power(16), t = m % power(16);
    Wide blend =
        logarithmEntry(i) * (power(16) - t) + logarithmEntry(i + 1) * t;
    Wide ell =
        (n - 31) * logarithmEntry(256) + roundedShift(blend, 16, Tie::Up);
    Wide d = row.greatest - x.values[flat];
    store(y, roundedShift(-d * k.distance - ell * k.logarithm.m, k.logarithm.s,
                          tie));
  }
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

Norm normIntegers(const std::string &kind, float xScale, int64_t n,
                  float epsilon, const std::vector<float> &gamma,
                  const std::vector<float> &beta, float yScale) {
  Norm norm;
  // C70
  double c = kind == "l2" ? 1.0 : double(n) * double(n);
  norm.epsilon = rne(std::pow(2.0, 16) *
                     (c * double(epsilon) / (double(xScale) * double(xScale))));
  // C71
  int logarithm = 0;
  while (power(logarithm) < n)
    ++logarithm;
  norm.fraction = 22 - int(std::max<Wide>(0, floorDivide(logarithm - 15, 2)));
  std::vector<double> scales, offsets;
  for (float g : gamma.empty() ? std::vector<float>{1.0f} : gamma)
    scales.push_back(double(g) / double(yScale));
  for (float b : beta.empty() ? std::vector<float>{0.0f} : beta)
    offsets.push_back(double(b) / double(yScale));
  double reach = 0;
  for (double g : scales)
    reach = std::max(reach, std::fabs(g));
  for (double b : offsets)
    reach = std::max(reach, std::fabs(b) / 128);
  Factor common = mult(reach);
  norm.s = common.s;
  for (double g : scales)
    norm.k.push_back(common.m == 0 ? 0 : rne(g * std::pow(2.0, common.s)));
  for (double b : offsets)
    norm.b.push_back(
        common.m == 0 ? 0 : rne(b * std::pow(2.0, common.s + norm.fraction)));
  return norm;
}

void normalize(const std::string &kind, const Codes &x, int64_t n,
               float epsilon, const std::vector<float> &gamma,
               const std::vector<float> &beta,
               const std::function<int64_t(int64_t, int64_t)> &entryOf,
               Codes &y, Tie tie) {
  Norm norm = normIntegers(kind, x.scale, n, epsilon, gamma, beta, y.scale);
  for (int64_t r = 0; r < count(x.dims) / n; ++r) {
    Wide sum = 0, squares = 0;
    for (int64_t i = 0; i < n; ++i) {
      Wide v = centered(x, r * n + i);
      sum += v;
      squares += v * v;
    }
    for (int64_t i = 0; i < n; ++i) {
      Wide v = centered(x, r * n + i);
      // C72, C73, C74
      Wide d = kind == "layer" ? n * v - sum : kind == "rms" ? n * v : v;
      Wide variance = kind == "layer" ? n * squares - sum * sum
                      : kind == "rms" ? n * squares
                                      : squares;
      // C75
      Wide w = variance * power(16) + norm.epsilon, u = 0;
      if (w != 0) {
        Factor root = inverseRoot(w);
        u = roundedShift(d * root.m, root.s - 8 - norm.fraction, Tie::Up);
      }
      int64_t entry = entryOf(r, i);
      Wide k = norm.k[gamma.empty() ? 0 : entry];
      Wide b = norm.b[beta.empty() ? 0 : entry];
      store(y, roundedShift(u * k + b, norm.s + norm.fraction, tie));
    }
  }
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

// C6
void quantize(const std::vector<float> &x, Codes &y) {
  for (float v : x) {
    float quotient = v / y.scale;
    if (std::isnan(quotient))
      y.values.push_back(y.low);
    else if (std::fabs(quotient) > 1e9f)
      y.values.push_back(quotient < 0 ? y.low : y.high);
    else
      store(y, rne(double(quotient)));
  }
}

// C7
std::vector<float> dequantize(const Codes &x) {
  std::vector<float> y;
  for (int64_t code : x.values)
    y.push_back(float(code - x.zero) * x.scale);
  return y;
}

// C92
float floatSum(const std::vector<float> &x) {
  std::vector<float> lane(8, 0.0f);
  for (size_t i = 0; i < x.size(); ++i)
    lane[i % 8] = lane[i % 8] + x[i];
  float first = lane[0] + lane[4], second = lane[1] + lane[5];
  float third = lane[2] + lane[6], fourth = lane[3] + lane[7];
  float even = first + third, odd = second + fourth;
  return even + odd;
}

// C93
std::vector<float> floatSoftmax(const std::vector<float> &row, bool isLog) {
  float m = *std::max_element(row.begin(), row.end());
  std::vector<float> e, y;
  for (float x : row) {
    float distance = x - m;
    e.push_back(float(std::exp(double(distance))));
  }
  float t = floatSum(e);
  for (size_t i = 0; i < row.size(); ++i) {
    float distance = row[i] - m;
    y.push_back(isLog ? distance - float(std::log(double(t))) : e[i] / t);
  }
  return y;
}

// C94
std::vector<float>
floatNormalize(const std::string &kind, const std::vector<float> &x,
               int64_t count, float epsilon, const std::vector<float> &gamma,
               const std::vector<float> &beta,
               const std::function<int64_t(int64_t, int64_t)> &entryOf) {
  std::vector<float> y;
  for (int64_t r = 0; r < int64_t(x.size()) / count; ++r) {
    std::vector<float> d(x.begin() + r * count, x.begin() + (r + 1) * count);
    if (kind == "layer") {
      float mean = floatSum(d) / float(count);
      for (float &v : d)
        v = v - mean;
    }
    std::vector<float> squares;
    for (float v : d)
      squares.push_back(v * v);
    float v = floatSum(squares);
    if (kind != "l2")
      v = v / float(count);
    float sum = v + epsilon;
    float q = std::sqrt(sum);
    for (int64_t i = 0; i < count; ++i) {
      float u = q == 0 ? 0.0f : d[i] / q;
      if (!gamma.empty())
        u = u * gamma[entryOf(r, i)];
      if (!beta.empty())
        u = u + beta[entryOf(r, i)];
      y.push_back(u);
    }
  }
  return y;
}

} // namespace parallax::literal
