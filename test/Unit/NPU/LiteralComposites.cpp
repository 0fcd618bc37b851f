//===- LiteralComposites.cpp - The second version, continued --------------===//
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

/// The t of C50, with what NaN and infinities become.
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
  auto t = [&](int64_t code) {
    double limit = std::pow(2.0, 22);
    double steps = stepsOf(f, x, x.leastOfType() + code, y);
    return steps > limit ? limit : steps < -limit ? -limit : steps;
  };
  int64_t delta = 65536 / (machine.knots - 1), last = machine.knots - 1;
  auto e = [&](int64_t j) {
    if (delta == 1)
      return 0.0;
    return (t(delta * j) + t(delta * j + delta)) / 2 - t(delta * j + delta / 2);
  };
  double left = e(i == 0 ? 0 : i - 1), right = e(i == last ? last - 1 : i);
  double common = 0;
  if ((left > 0 && right > 0) || (left < 0 && right < 0))
    common = std::fabs(left) < std::fabs(right) ? left : right;
  double value = (t(delta * i) - common / 2) * 256;
  double limit = std::pow(2.0, 30);
  return rne(value > limit ? limit : value < -limit ? -limit : value);
}

// C50; far beyond all codes any number does.
static int64_t entry(const std::function<double(double)> &f, const Codes &x,
                     const Codes &y, int64_t code) {
  double t = stepsOf(f, x, code, y);
  Codes one = y;
  store(one, t > 1e9    ? Wide(1000000000)
             : t < -1e9 ? Wide(-1000000000)
                        : rne(t));
  return one.values.back();
}

std::vector<int64_t> tableEntries(const std::function<double(double)> &f,
                                  const Codes &x, const Codes &y) {
  std::vector<int64_t> entries;
  if (x.bits == 8)
    for (int64_t i = 0; i < 256; ++i)
      entries.push_back(entry(f, x, y, x.leastOfType() + i));
  else
    for (int64_t i = 0; i < machine.knots; ++i)
      entries.push_back(int64_t(knot(f, x, y, i)));
  return entries;
}

void table(const std::function<double(double)> &f, const Codes &x, Codes &y,
           Tie tie) {
  table(tableEntries(f, x, y), x, y, tie);
}

void table(const std::vector<int64_t> &entries, const Codes &x, Codes &y,
           Tie tie) {
  for (int64_t code : x.values) {
    int64_t u = code - x.leastOfType();
    if (misread(x.bits == 8 ? "C51.signed" : "C52.signed"))
      u = code & ((int64_t(1) << x.bits) - 1);
    if (x.bits == 8) {
      // C51
      y.values.push_back(entries[u]);
      continue;
    }
    // C53
    auto delta = int64_t(65536 / (entries.size() - 1));
    int64_t i = u / delta, r = u % delta;
    if (misread("C53.knot"))
      r = 0;
    if (misread("C53.end"))
      i = std::min<int64_t>(i, int64_t(entries.size()) - 3);
    Wide sum = Wide(entries[i]) * (delta - r) + Wide(entries[i + 1]) * r;
    store(y, roundedShift(sum, 8 + digits(delta) - 1, tie));
  }
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

// C62
static Wide exponentEntry(const Codes &x, int64_t d) {
  return rne(std::exp(-(double(d) * double(x.scale))) * std::pow(2.0, 30));
}

Exponents exponentTables(const Codes &x) {
  Exponents tables;
  for (int64_t i = 0; i < 256; ++i) {
    tables.fine.push_back(exponentEntry(x, i));
    if (x.bits == 16)
      tables.coarse.push_back(exponentEntry(x, 256 * i));
  }
  return tables;
}

static Wide tabulatedExponent(const Exponents &tables, int64_t d) {
  if (tables.coarse.empty())
    return tables.fine[d];
  Wide product = tables.coarse[d / 256] * tables.fine[d % 256];
  if (misread("C62.floor"))
    return floorDivide(product, power(30));
  return roundedShift(product, 30, Tie::Up);
}

Wide exponent(const Codes &x, int64_t d) {
  if (x.bits == 8)
    return exponentEntry(x, d);
  return roundedShift(
      exponentEntry(x, d / 256 * 256) * exponentEntry(x, d % 256), 30, Tie::Up);
}

/// Greatest code and sum of exponents of the row that `at` belongs to.
struct SoftmaxRow {
  int64_t greatest;
  Wide sum;
};
static SoftmaxRow rowOf(const Codes &x, Dims at, int64_t axis,
                        const Exponents &tables) {
  std::vector<int64_t> codes;
  for (at[axis] = 0; at[axis] < x.dims[axis]; ++at[axis])
    codes.push_back(x.values[flatten(at, x.dims)]);
  SoftmaxRow row{*std::max_element(codes.begin(), codes.end()), 0};
  for (int64_t code : codes)
    row.sum += tabulatedExponent(tables, row.greatest - code);
  return row;
}

// C63
void softmax(const Codes &x, int64_t axis, Codes &y, Tie tie) {
  softmax(x, axis, exponentTables(x), mult(1.0 / double(y.scale)), y, tie);
}

void softmax(const Codes &x, int64_t axis, const Exponents &tables,
             const Factor &f, Codes &y, Tie tie) {
  for (int64_t flat = 0; flat < count(x.dims); ++flat) {
    SoftmaxRow row = rowOf(x, coordinates(flat, x.dims), axis, tables);
    // C64
    Factor r = reciprocal(row.sum);
    Wide g = roundedShift(r.m * f.m, 31, Tie::Up);
    if (misread("C64.floor"))
      g = floorDivide(r.m * f.m, power(31));
    Wide e = tabulatedExponent(tables, row.greatest - x.values[flat]);
    // The quotient in one step, without a reciprocal.
    if (misread("C64.quotient"))
      store(y, floorDivide(2 * e * f.m + row.sum * power(f.s),
                           2 * row.sum * power(f.s)));
    else
      store(y, roundedShift(e * g, r.s + f.s - 31, tie));
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

std::vector<Wide> logarithmTable() {
  std::vector<Wide> table;
  for (int i = 0; i <= 256; ++i)
    table.push_back(logarithmEntry(i));
  return table;
}

void logSoftmax(const Codes &x, int64_t axis, Codes &y, Tie tie) {
  logSoftmax(x, axis, exponentTables(x), logarithmTable(),
             logSoftmaxIntegers(x.scale, y.scale), y, tie);
}

void logSoftmax(const Codes &x, int64_t axis, const Exponents &tables,
                const std::vector<Wide> &lambda, const LogSoftmax &k, Codes &y,
                Tie tie) {
  for (int64_t flat = 0; flat < count(x.dims); ++flat) {
    SoftmaxRow row = rowOf(x, coordinates(flat, x.dims), axis, tables);
    // C66
    int n = digits(row.sum);
    Wide m = floorDivide(row.sum * power(25), power(n)) - power(24);
    auto i = size_t(m / power(16));
    Wide t = m % power(16);
    Wide blend = lambda[i] * (power(16) - t) + lambda[i + 1] * t;
    if (misread("C66.entry"))
      blend = lambda[i] * power(16);
    Wide ell = (n - 31) * lambda[256] +
               (misread("C66.floor") ? floorDivide(blend, power(16))
                                     : roundedShift(blend, 16, Tie::Up));
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
  normalize(kind, x, n,
            normIntegers(kind, x.scale, n, epsilon, gamma, beta, y.scale),
            entryOf, y, tie);
}

void normalize(const std::string &kind, const Codes &x, int64_t n,
               const Norm &norm,
               const std::function<int64_t(int64_t, int64_t)> &entryOf,
               Codes &y, Tie tie) {
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
      if (misread("C73.centred") && kind == "rms")
        d = n * v - sum;
      Wide variance = kind == "layer" ? n * squares - sum * sum
                      : kind == "rms" ? n * squares
                                      : squares;
      // C75
      if (misread("C72.variance") && kind == "layer")
        variance = n * squares;
      if (misread("C74.mean") && kind == "l2")
        variance = n * squares;
      Wide w = variance * power(16) +
               (misread("C75.epsilon") ? Wide(0) : norm.epsilon);
      Wide u = misread("C75.nothing") ? power(norm.fraction) : Wide(0);
      if (w != 0) {
        Factor root = inverseRoot(w);
        int shift = root.s - 8 - norm.fraction;
        u = misread("C75.floor") ? floorDivide(d * root.m, power(shift))
                                 : roundedShift(d * root.m, shift, Tie::Up);
      }
      int64_t entry = entryOf(r, i);
      Wide k = norm.k[norm.k.size() == 1 ? 0 : entry];
      Wide b = norm.b[norm.b.size() == 1 ? 0 : entry];
      int last = norm.s + norm.fraction;
      store(y, misread("C75.apart")
                   ? roundedShift(u * k, last, tie) + roundedShift(b, last, tie)
                   : roundedShift(u * k + b, last, tie));
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
    if (misread("C6.reciprocal"))
      quotient = v * (1 / y.scale);
    if (std::isnan(quotient))
      y.values.push_back(misread("C6.nan") ? y.zero : y.low);
    else if (std::fabs(quotient) > 1e9f)
      y.values.push_back(quotient < 0 ? y.low : y.high);
    else if (misread("C6.double"))
      store(y, rne(double(v) / double(y.scale)));
    else if (misread("C6.halves"))
      store(y, Wide(std::round(quotient)));
    else
      store(y, rne(double(quotient)));
  }
}

// C7
std::vector<float> dequantize(const Codes &x) {
  std::vector<float> y;
  for (int64_t code : x.values)
    y.push_back(misread("C7.apart")
                    ? float(code) * x.scale - float(x.zero) * x.scale
                    : float(code - x.zero) * x.scale);
  return y;
}

} // namespace parallax::literal
