//===- LiteralNumerics.cpp - A second version of the numerics -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic, products and linear combinations. Labels name the statement that
// the lines below them spell out.
//===----------------------------------------------------------------------===//
#include "LiteralDetail.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace parallax::literal {

//===----------------------------------------------------------------------===//
// C10 to C14, C60, C61
//===----------------------------------------------------------------------===//

Machine machine;
std::string_view wrongReading;

Wide rne(double value) { return Wide(std::nearbyint(value)); }

// C10
Wide roundedShift(Wide p, int s, Tie tie) {
  // No |P| of the page reaches half of 2^120.
  if (s >= 120)
    return 0;
  Wide unit = power(s), middle = power(s - 1);
  if (tie == Tie::Up)
    return floorDivide(p + middle, unit);
  if (tie == Tie::Away) {
    Wide result = floorDivide(magnitude(p) + middle, unit);
    return p < 0 ? -result : result;
  }
  Wide below = floorDivide(p, unit), above = below + 1;
  Wide toBelow = p - below * unit, toAbove = above * unit - p;
  if (toBelow != toAbove)
    return toBelow < toAbove ? below : above;
  return below % 2 == 0 ? below : above;
}

// C12
Factor mult(double m) {
  int bits = machine.multiplierBits;
  if (std::isnan(m) || m < 0 || m >= std::pow(2.0, bits - 1))
    throw std::range_error("C12");
  if (m < std::pow(2.0, -48))
    return {0, 1};
  int e = 0;
  double f = m;
  for (; f >= 1; ++e)
    f /= 2;
  for (; f < 0.5; --e)
    f *= 2;
  Wide mantissa = rne(f * std::pow(2.0, bits));
  int s = bits - e;
  if (mantissa == power(bits)) {
    mantissa = power(bits - 1);
    s = s - 1;
  }
  if (s < 1)
    throw std::range_error("C12");
  return {mantissa, s};
}

// C14
Combination coef(const std::vector<double> &factors) {
  double greatest = 0;
  for (double f : factors)
    greatest = std::fabs(f) > greatest ? std::fabs(f) : greatest;
  Factor common = mult(greatest);
  Combination result{{}, common.s};
  for (double f : factors)
    result.k.push_back(common.m == 0 ? 0 : rne(f * std::pow(2.0, common.s)));
  return result;
}

int digits(Wide value) {
  int n = 0;
  for (; value > 0; value /= 2)
    ++n;
  return n;
}

// C60
Factor reciprocal(Wide v) {
  int k = digits(v);
  if (misread("C60.nearest"))
    return {(power(k + 30) + v / 2) / v, k + 30};
  if (misread("C60.bits"))
    return {power(k + 20) / v * power(10), k + 30};
  return {power(k + 30) / v, k + 30};
}

// C61
Factor inverseRoot(Wide v) {
  int k = digits(v);
  int j = misread("C61.even") ? (k - 61) / 2 : int(floorDivide(k - 61, 2));
  Wide a = j >= 0 ? floorDivide(v, power(2 * j)) : v * power(-2 * j);
  Wide q = 0;
  for (int bit = 31; bit >= 0; --bit)
    if ((q + power(bit)) * (q + power(bit)) <= a)
      q += power(bit);
  if (misread("C61.root") && (q + 1) * (q + 1) - a < a - q * q)
    q = q + 1;
  if (misread("C61.nearest"))
    return {(power(61) + q / 2) / q, 61 + j};
  return {power(61) / q, 61 + j};
}

//===----------------------------------------------------------------------===//
// Multiply and accumulate
//===----------------------------------------------------------------------===//

/// C21, C22: the input coordinate of a tap, or -1 where the term is 0.
static int64_t inputOf(const Conv &conv, size_t axis, int64_t p, int64_t k,
                       int64_t extent) {
  int64_t i = p * conv.strides[axis] - conv.padsBegin[axis] +
              k * (misread("C21.dilation") ? 1 : conv.dilations[axis]);
  if (conv.transposed) {
    int64_t t = p + conv.padsBegin[axis] - k * conv.dilations[axis];
    if (misread("C22.pads"))
      t -= 2 * conv.padsBegin[axis];
    if (t < 0 || (t % conv.strides[axis] != 0 && !misread("C22.rest")))
      return -1;
    i = t / conv.strides[axis];
  }
  return i < 0 || i >= extent ? -1 : i;
}

std::vector<Wide> convolutionSums(const Codes &x, const Codes &w,
                                  const std::vector<int64_t> &bias,
                                  const Conv &conv, const Dims &dims) {
  std::vector<Wide> sums;
  int64_t perGroup = x.dims[1] / conv.groups;
  int64_t outputs = dims[1] / conv.groups;
  Dims kernel = spatial(w.dims);
  for (int64_t flat = 0; flat < count(dims); ++flat) {
    Dims at = coordinates(flat, dims);
    int64_t o = at[1], group = o / outputs;
    Wide a = bias.empty() ? 0 : bias[o];
    for (int64_t c = 0; c < perGroup; ++c)
      for (int64_t t = 0; t < count(kernel); ++t) {
        Dims k = coordinates(t, kernel);
        Dims input{at[0], (misread("C21.group") ? 0 : group * perGroup) + c};
        Dims weight = conv.transposed
                          ? Dims{group * perGroup + c, o - group * outputs}
                          : Dims{o, c};
        bool isZero = false;
        for (size_t axis = 0; axis < k.size(); ++axis) {
          int64_t i =
              inputOf(conv, axis, at[axis + 2], k[axis], x.dims[axis + 2]);
          isZero = isZero || i < 0;
          input.push_back(i);
          weight.push_back(misread("C21.flip") ? kernel[axis] - 1 - k[axis]
                                               : k[axis]);
        }
        if (isZero && misread("C21.pads"))
          a += -x.zero * w.values[flatten(weight, w.dims)];
        if (!isZero)
          a += centered(x, flatten(input, x.dims)) *
               w.values[flatten(weight, w.dims)];
      }
    sums.push_back(a);
  }
  return sums;
}

// C25
void storeSums(const std::vector<Wide> &sums,
               const std::vector<Factor> &factors, int64_t axis, Codes &y,
               Tie tie) {
  for (int64_t flat = 0; flat < count(y.dims); ++flat) {
    int64_t channel = factors.size() == 1 ? 0 : coordinates(flat, y.dims)[axis];
    if (misread("C25.channel"))
      channel = 0;
    Wide sum =
        misread("C20.32") ? Wide(int32_t(uint32_t(sums[flat]))) : sums[flat];
    store(y, requantized(sum, factors[channel], tie));
  }
}

std::vector<Factor> macFactors(float xScale, const std::vector<float> &wScales,
                               float yScale) {
  std::vector<Factor> factors;
  for (float w : wScales)
    factors.push_back(mult(double(xScale) * double(w) / double(yScale)));
  return factors;
}

void convolution(const Codes &x, const Codes &w,
                 const std::vector<float> &wScales,
                 const std::vector<int64_t> &bias, const Conv &conv, Codes &y,
                 Tie tie) {
  storeSums(convolutionSums(x, w, bias, conv, y.dims),
            macFactors(x.scale, wScales, y.scale), 1, y, tie);
}

// C23
std::vector<Wide> fullyConnectedSums(const Codes &x, const Codes &w,
                                     const std::vector<int64_t> &bias) {
  int64_t outputs = w.dims[0], depth = w.dims[1];
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < x.dims.size(); ++i)
    rows *= x.dims[i];
  std::vector<Wide> sums;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t o = 0; o < outputs; ++o) {
      Wide a = bias.empty() || misread("C23.bias") ? 0 : bias[o];
      for (int64_t k = 0; k < depth; ++k)
        a += centered(x, r * depth + k) * w.values[o * depth + k];
      sums.push_back(a);
    }
  return sums;
}

void fullyConnected(const Codes &x, const Codes &w,
                    const std::vector<float> &wScales,
                    const std::vector<int64_t> &bias, Codes &y, Tie tie) {
  storeSums(fullyConnectedSums(x, w, bias),
            macFactors(x.scale, wScales, y.scale), int64_t(y.dims.size()) - 1,
            y, tie);
}

// C26
std::vector<float> floatSums(const std::vector<Wide> &sums,
                             const std::vector<double> &scales,
                             const Dims &dims, int64_t axis) {
  std::vector<float> y;
  for (int64_t flat = 0; flat < count(dims); ++flat) {
    int64_t channel = scales.size() == 1 ? 0 : coordinates(flat, dims)[axis];
    y.push_back(misread("C26.single")
                    ? float(int64_t(sums[flat])) * float(scales[channel])
                    : float(double(int64_t(sums[flat])) * scales[channel]));
  }
  return y;
}

std::vector<float> fullyConnectedFloat(const Codes &x, const Codes &w,
                                       const std::vector<float> &wScales,
                                       const std::vector<int64_t> &bias,
                                       int64_t outputs) {
  std::vector<double> scales;
  for (float scale : wScales)
    scales.push_back(double(x.scale) * double(scale));
  std::vector<Wide> sums = fullyConnectedSums(x, w, bias);
  return floatSums(sums, scales, {int64_t(sums.size()) / outputs, outputs}, 1);
}

std::vector<Wide> matmulSums(const Codes &a, const Codes &b, const Dims &dims) {
  int64_t depth = a.dims.back();
  std::vector<Wide> sums;
  for (int64_t flat = 0; flat < count(dims); ++flat) {
    Dims at = coordinates(flat, dims);
    Wide sum = 0;
    for (int64_t k = 0; k < depth; ++k) {
      Dims left = at, right = at;
      left[at.size() - 1] = k;
      right[at.size() - 2] = k;
      if (misread("C23.weights"))
        sum += broadcast(a, left) * (broadcast(b, right) + b.zero);
      else
        sum += broadcast(a, left) * broadcast(b, right);
    }
    sums.push_back(sum);
  }
  return sums;
}

void matmul(const Codes &a, const Codes &b, Codes &y, Tie tie) {
  storeSums(matmulSums(a, b, y.dims), macFactors(a.scale, {b.scale}, y.scale),
            0, y, tie);
}

// C27
Bound bound(const std::vector<int64_t> &weights, int64_t bias, int64_t low,
            int64_t high, int bits) {
  Wide l = low < 0 ? low : 0, h = high > 0 ? high : 0;
  Wide least = bias < 0 ? bias : 0, greatest = bias > 0 ? bias : 0;
  for (int64_t w : weights) {
    Wide first = w * l, second = w * h;
    least += first < second ? first : second;
    greatest += first < second ? second : first;
  }
  Wide reach = greatest;
  if (-least - 1 > reach)
    reach = -least - 1;
  return {least, greatest, bits - 1 - digits(reach < 0 ? 0 : reach)};
}

//===----------------------------------------------------------------------===//
// Linear combinations
//===----------------------------------------------------------------------===//

void linear(const std::vector<Codes> &x, const std::vector<int> &signs,
            Codes &y, Tie tie) {
  // C30
  std::vector<double> m;
  for (size_t i = 0; i < x.size(); ++i)
    m.push_back(signs[i] * (double(x[i].scale) / double(y.scale)));
  linear(x, coef(m), y, tie);
}

// C31
void linear(const std::vector<Codes> &x, const Combination &c, Codes &y,
            Tie tie) {
  for (int64_t flat = 0; flat < count(y.dims); ++flat) {
    Wide sum = 0, apart = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      Wide term = broadcast(x[i], coordinates(flat, y.dims)) * c.k[i];
      sum += term;
      apart += roundedShift(term, c.s, tie);
    }
    if (misread("C31.32"))
      sum = int32_t(uint32_t(sum));
    store(y, misread("C31.terms") ? apart : roundedShift(sum, c.s, tie));
  }
}

// C33
Affine affineIntegers(double f, double t) {
  double reach = std::fabs(t) / 32768;
  reach = std::fabs(f) > reach ? std::fabs(f) : reach;
  Factor common = mult(reach);
  if (common.m == 0)
    return {0, 0, common.s};
  double unit = std::pow(2.0, common.s);
  return {rne(f * unit), rne(t * unit), common.s};
}

void affine(const Codes &x, const std::vector<Affine> &channels, int64_t axis,
            Codes &y, Tie tie) {
  for (int64_t flat = 0; flat < count(y.dims); ++flat) {
    const Affine &a =
        channels[misread("C33.channel") ? 0 : coordinates(flat, y.dims)[axis]];
    Wide product = centered(x, flat) * a.k;
    store(y, misread("C33.apart")
                 ? roundedShift(product, a.s, tie) + roundedShift(a.b, a.s, tie)
                 : roundedShift(product + a.b, a.s, tie));
  }
}

// C34
void normalizePixels(const Codes &x, const std::vector<float> &mean,
                     const std::vector<float> &std, int64_t axis, Codes &y,
                     Tie tie) {
  std::vector<Affine> channels;
  for (size_t c = 0; c < mean.size(); ++c) {
    double u = double(std[c]) * double(y.scale);
    channels.push_back(
        affineIntegers(double(x.scale) / u, -double(mean[c]) / u));
  }
  affine(x, channels, axis, y, tie);
}

// C35
void batchNorm(const Codes &x, const std::vector<float> &gamma,
               const std::vector<float> &beta, const std::vector<float> &mean,
               const std::vector<float> &var, float epsilon, int64_t axis,
               Codes &y, Tie tie) {
  std::vector<Affine> channels;
  for (size_t c = 0; c < mean.size(); ++c) {
    double v = double(gamma[c]) / std::sqrt(double(var[c]) + double(epsilon));
    double moved = v * double(mean[c]);
    channels.push_back(
        affineIntegers(v * double(x.scale) / double(y.scale),
                       (double(beta[c]) - moved) / double(y.scale)));
  }
  affine(x, channels, axis, y, tie);
}

// C36
void averagePool(const Codes &x, const Pool &pool, Codes &y, Tie tie) {
  std::vector<Factor> factors(1);
  for (int64_t n = 1; n <= count(pool.kernel); ++n)
    factors.push_back(mult(double(x.scale) / (double(y.scale) * double(n))));
  averagePool(x, pool, factors, y, tie);
}

void averagePool(const Codes &x, const Pool &pool,
                 const std::vector<Factor> &factors, Codes &y, Tie tie) {
  for (int64_t flat = 0; flat < count(y.dims); ++flat) {
    Dims at = coordinates(flat, y.dims);
    Wide a = 0;
    int64_t inside = 0, padded = 0;
    for (int64_t t = 0; t < count(pool.kernel); ++t) {
      Dims k = coordinates(t, pool.kernel), input{at[0], at[1]};
      bool isInside = true, isPadded = true;
      for (size_t axis = 0; axis < k.size(); ++axis) {
        int64_t extent = x.dims[axis + 2];
        int64_t i = at[axis + 2] * pool.strides[axis] - pool.padsBegin[axis] +
                    k[axis] * pool.dilations[axis];
        isInside = isInside && i >= 0 && i < extent;
        isPadded = isPadded && i >= -pool.padsBegin[axis] &&
                   i < extent + pool.padsEnd[axis];
        input.push_back(i);
      }
      padded += isPadded ? 1 : 0;
      if (!isInside)
        continue;
      ++inside;
      a += centered(x, flatten(input, x.dims));
    }
    int64_t n = pool.includePad ? padded : inside;
    if (misread("C36.inside"))
      n = inside;
    if (misread("C36.pads"))
      n = padded;
    if (misread("C36.beyond") && pool.includePad)
      n = count(pool.kernel);
    if (misread("C36.none") && n == 0)
      store(y, -power(20));
    else
      store(y, requantized(a, factors[n], tie));
  }
}

// C37, C38
void reduce(const std::string &kind, const Codes &x, const Dims &axes, Codes &y,
            Tie tie) {
  Dims kept = x.dims;
  for (int64_t axis : axes)
    kept[axis] = 1;
  int64_t n = count(x.dims) / count(kept);
  double m = double(x.scale) / double(y.scale);
  if (kind == "mean")
    m = double(x.scale) / (double(y.scale) * double(n));
  if (kind == "square")
    m = double(x.scale) * double(x.scale) / double(y.scale);
  reduce(kind, x, axes, mult(m), y, tie);
}

void reduce(const std::string &kind, const Codes &x, const Dims &axes,
            const Factor &factor, Codes &y, Tie tie) {
  Dims kept = x.dims;
  for (int64_t axis : axes)
    kept[axis] = 1;
  std::vector<Wide> sums(size_t(count(kept)), 0);
  for (int64_t flat = 0; flat < count(x.dims); ++flat) {
    Dims at = coordinates(flat, x.dims);
    for (int64_t axis : axes)
      at[axis] = 0;
    Wide v = centered(x, flat);
    v = kind == "l1" && !misread("C37.l1")        ? magnitude(v)
        : kind == "square" && !misread("C38.sum") ? v * v
                                                  : v;
    sums[flatten(at, kept)] +=
        misread("C37.terms") ? requantized(v, factor, tie) : v;
  }
  for (Wide sum : sums) {
    if (misread("C38.sum") && kind == "square")
      sum = sum * sum;
    store(y, misread("C37.terms") ? sum : requantized(sum, factor, tie));
  }
}

// C39
std::vector<Wide> resizeWeights(const std::vector<float> &real, int bits) {
  std::vector<Wide> weights;
  Wide sum = 0;
  size_t largest = 0;
  for (float w : real) {
    weights.push_back(rne(double(w) * std::pow(2.0, bits)));
    sum += weights.back();
    if (weights.back() > weights[largest])
      largest = weights.size() - 1;
  }
  weights[largest] += power(bits) - sum;
  return weights;
}

void resize(const Codes &x, int64_t outer, const std::vector<ResizeAxis> &axes,
            int64_t inner, Codes &y, Tie tie) {
  auto number = int(axes.size());
  int accumulator = x.bits == 8 ? machine.accumulator8 : machine.accumulator16;
  int bits = std::min(15, (accumulator - x.bits - 2) / number);
  std::vector<WeightedAxis> weighted;
  for (const ResizeAxis &axis : axes) {
    WeightedAxis result{axis.in, axis.out, axis.taps, axis.index, {}};
    for (int64_t o = 0; o < axis.out; ++o) {
      auto first = axis.weight.begin() + o * axis.taps;
      for (Wide w : resizeWeights({first, first + axis.taps}, bits))
        result.weight.push_back(w);
    }
    weighted.push_back(result);
  }
  resize(
      x, outer, weighted, inner,
      mult(std::pow(2.0, -bits * number) * (double(x.scale) / double(y.scale))),
      y, tie);
}

void resize(const Codes &x, int64_t outer,
            const std::vector<WeightedAxis> &axes, int64_t inner,
            const Factor &factor, Codes &y, Tie tie) {
  Dims in{outer}, out{outer}, taps;
  for (const WeightedAxis &axis : axes) {
    in.push_back(axis.in);
    out.push_back(axis.out);
    taps.push_back(axis.taps);
  }
  in.push_back(inner);
  out.push_back(inner);
  for (int64_t flat = 0; flat < count(out); ++flat) {
    Dims at = coordinates(flat, out);
    Wide a = 0, line = 0;
    for (int64_t t = 0; t < count(taps); ++t) {
      Dims tap = coordinates(t, taps), input = at;
      Wide weight = 1;
      for (size_t i = 0; i < axes.size(); ++i) {
        int64_t entry = at[i + 1] * axes[i].taps + tap[i];
        input[i + 1] = axes[i].index[entry];
        weight *= axes[i].weight[entry];
      }
      Wide term = centered(x, flatten(input, in)) * weight;
      a += term;
      // One pass for each axis, with codes in between.
      line += term;
      if (misread("C39.passes") && tap.back() == taps.back() - 1) {
        a += roundedShift(line, 18, tie) * power(18) - line;
        line = 0;
      }
    }
    if (misread("C39.weights"))
      a = floorDivide(a, power(12)) * power(12);
    store(y, requantized(a, factor, tie));
  }
}

//===----------------------------------------------------------------------===//
// Products, quotients, comparisons
//===----------------------------------------------------------------------===//

// C40
void mul(const Codes &a, const Codes &b, Codes &y, Tie tie) {
  mul(a, b, mult(double(a.scale) * double(b.scale) / double(y.scale)), y, tie);
}

void mul(const Codes &a, const Codes &b, const Factor &f, Codes &y, Tie tie) {
  for (int64_t flat = 0; flat < count(y.dims); ++flat) {
    Dims at = coordinates(flat, y.dims);
    Wide product = broadcast(a, at) * broadcast(b, at);
    if (misread("C40.16"))
      product = int16_t(uint16_t(product));
    store(y, requantized(product, f, tie));
  }
}

// C42
void prelu(const Codes &x, const Codes &slope, Codes &y, Tie tie) {
  prelu(x, slope, mult(double(x.scale) / double(y.scale)),
        mult(double(x.scale) * double(slope.scale) / double(y.scale)), y, tie);
}

void prelu(const Codes &x, const Codes &slope, const Factor &positive,
           const Factor &negative, Codes &y, Tie tie) {
  for (int64_t flat = 0; flat < count(y.dims); ++flat) {
    Dims at = coordinates(flat, y.dims);
    Wide v = broadcast(x, at);
    Wide s = broadcast(slope, at) + (misread("C42.slope") ? slope.zero : 0);
    if (v >= (misread("C42.code") ? -x.zero : 0))
      store(y, requantized(v, positive, tie));
    else
      store(y, requantized(v * s, negative, tie));
  }
}

// C43
void div(const Codes &a, const Codes &b, Codes &y, Tie tie) {
  div(a, b, mult(double(a.scale) / (double(b.scale) * double(y.scale))), y,
      tie);
}

// C44
void div(const Codes &a, const Codes &b, const Factor &f, Codes &y, Tie tie) {
  for (int64_t flat = 0; flat < count(y.dims); ++flat) {
    Dims at = coordinates(flat, y.dims);
    Wide p = broadcast(a, at) * f.m, q = broadcast(b, at) * power(f.s);
    if (q == 0) {
      Wide sign = misread("C44.zero") ? 0 : broadcast(a, at);
      store(y, sign == 0 ? 0 : sign > 0 ? power(60) : -power(60));
      continue;
    }
    if (q < 0) {
      p = -p;
      q = -q;
    }
    // p / q is below + toBelow / q; a half is where both ways are as long.
    if (misread("C44.truncated")) {
      store(y, p / q);
      continue;
    }
    Wide below = floorDivide(p, q), toBelow = p - below * q;
    Wide toAbove = q - toBelow;
    bool up = toAbove < toBelow;
    if (toAbove == toBelow)
      up = tie == Tie::Up || (tie == Tie::Away && p > 0) ||
           (tie == Tie::Even && below % 2 != 0);
    store(y, up ? below + 1 : below);
  }
}

// C46
std::vector<int> compare(const Codes &a, const Codes &b, const Dims &dims) {
  double greater = std::max(double(a.scale), double(b.scale));
  return compare(
      a, b, coef({double(a.scale) / greater, -(double(b.scale) / greater)}),
      dims);
}

std::vector<int> compare(const Codes &a, const Codes &b, const Combination &c,
                         const Dims &dims) {
  std::vector<int> result;
  for (int64_t flat = 0; flat < count(dims); ++flat) {
    Dims at = coordinates(flat, dims);
    Wide d = broadcast(a, at) * c.k[0] + broadcast(b, at) * c.k[1];
    if (misread("C46.codes"))
      d = broadcast(a, at) + a.zero - broadcast(b, at) - b.zero;
    if (misread("C46.steps"))
      d = broadcast(a, at) - broadcast(b, at);
    result.push_back(d < 0 ? -1 : d > 0 ? 1 : 0);
  }
  return result;
}

} // namespace parallax::literal
