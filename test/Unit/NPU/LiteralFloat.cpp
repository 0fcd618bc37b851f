//===- LiteralFloat.cpp - A second version of float layers ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Functions, sums, products and normalizations. Every binary32 operation stands
// in a statement of its own, so that nothing can be fused.
//===----------------------------------------------------------------------===//
#include "LiteralFloat.h"

#include <algorithm>
#include <cmath>
#include <limits>

// For this file alone, whatever it is compiled with.
#pragma float_control(push)
#pragma STDC FP_CONTRACT OFF

namespace parallax::literal {

constexpr float infinity = std::numeric_limits<float>::infinity();

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static int64_t countOf(const Dims &dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

Array::Array(Dims shape)
    : dims(std::move(shape)), values(size_t(countOf(dims)), 0.0f) {}

float &Array::at(const Dims &index) {
  return values[size_t(flatOf(index, dims))];
}
float Array::at(const Dims &index) const {
  return values[size_t(flatOf(index, dims))];
}

Dims indexOf(int64_t flat, const Dims &dims) {
  Dims index(dims.size());
  for (size_t i = dims.size(); i-- > 0; flat /= dims[i])
    index[i] = flat % dims[i];
  return index;
}

int64_t flatOf(const Dims &index, const Dims &dims) {
  int64_t flat = 0;
  for (size_t i = 0; i < dims.size(); ++i)
    flat = flat * dims[i] + index[i];
  return flat;
}

/// Whether an index lies inside, dimension by dimension.
static bool isInside(const Dims &index, const Dims &dims) {
  for (size_t i = 0; i < dims.size(); ++i)
    if (index[i] < 0 || index[i] >= dims[i])
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// C90, C95
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)
using Quad = __float128;
#else
using Quad = long double;
#endif

namespace quad {
Quad acos(Quad) __asm__("acosf128");
Quad acosh(Quad) __asm__("acoshf128");
Quad asin(Quad) __asm__("asinf128");
Quad asinh(Quad) __asm__("asinhf128");
Quad atan(Quad) __asm__("atanf128");
Quad atanh(Quad) __asm__("atanhf128");
Quad cos(Quad) __asm__("cosf128");
Quad cosh(Quad) __asm__("coshf128");
Quad erf(Quad) __asm__("erff128");
Quad erfc(Quad) __asm__("erfcf128");
Quad exp(Quad) __asm__("expf128");
Quad expm1(Quad) __asm__("expm1f128");
Quad log(Quad) __asm__("logf128");
Quad log1p(Quad) __asm__("log1pf128");
Quad pow(Quad, Quad) __asm__("powf128");
Quad sin(Quad) __asm__("sinf128");
Quad sinh(Quad) __asm__("sinhf128");
Quad sqrt(Quad) __asm__("sqrtf128");
Quad tan(Quad) __asm__("tanf128");
Quad tanh(Quad) __asm__("tanhf128");
} // namespace quad

/// `value` plus something of the sign of `rest` that is too small for
/// binary128, rounded to binary32: it only counts in the middle between two
/// floats.
static float roundWithRest(Quad value, int rest) {
  auto rounded = float(value);
  Quad error = value - Quad(rounded);
  float neighbour = std::nextafter(rounded, error > 0 ? infinity : -infinity);
  bool isMiddle = error != 0 && Quad(neighbour) - value == error;
  if (!isMiddle)
    return rounded;
  return (neighbour > rounded) == (rest > 0) ? neighbour : rounded;
}

using QuadFunction = Quad (*)(Quad);
static const std::pair<const char *, QuadFunction> libraryFunctions[] = {
    {"Acos", quad::acos},   {"Acosh", quad::acosh}, {"Asin", quad::asin},
    {"Asinh", quad::asinh}, {"Atan", quad::atan},   {"Atanh", quad::atanh},
    {"Cos", quad::cos},     {"Cosh", quad::cosh},   {"Erf", quad::erf},
    {"Exp", quad::exp},     {"Log", quad::log},     {"Sin", quad::sin},
    {"Sinh", quad::sinh},   {"Tan", quad::tan},     {"Tanh", quad::tanh}};

/// factor (e^v - 1), with v < 0.
static float roundedExpm1(Quad factor, Quad v) {
  int sign = factor < 0 ? -1 : 1;
  if (v > Quad(-0x1p-100)) // factor (v + v^2 / 2)
    return roundWithRest(factor * v, sign);
  if (v < -60 && v > -Quad(infinity))
    return roundWithRest(-factor, sign);
  return float(factor * quad::expm1(v));
}

/// x / 2 (1 + t), where t is as small as x near 0 and has its sign: there the
/// result is beside x / 2.
static float roundedHalf(float x, Quad onePlusT) {
  if (std::fabs(x) < 0x1p-100f)
    return x == 0 ? x : roundWithRest(Quad(x) / 2, 1);
  return float(Quad(x) / 2 * onePlusT);
}

static float clampUnit(float v) { return v < 0 ? 0.0f : v > 1 ? 1.0f : v; }

static float functionValue(const std::string &name, float x, float alpha,
                           float beta) {
  if (name == "Abs")
    return std::fabs(x);
  if (name == "Neg")
    return -x;
  if (name == "Ceil")
    return std::ceil(x);
  if (name == "Floor")
    return std::floor(x);
  if (name == "Round")
    return misread("C90.round") ? std::round(x) : std::nearbyint(x);
  if (name == "Sign")
    return x > 0 ? 1.0f : x < 0 ? -1.0f : x;
  if (name == "Sqrt")
    return std::sqrt(x);
  if (name == "Reciprocal")
    return 1 / x;
  if (name == "Softsign") {
    float sum = 1 + std::fabs(x);
    return x / sum;
  }
  if (name == "HardSigmoid") {
    float product = alpha * x;
    float sum = product + beta;
    return clampUnit(sum);
  }
  if (name == "HardSwish") {
    float product = misread("C90.swish") ? x / 6 : x * float(1.0 / 6);
    float sum = product + 0.5f;
    return x * clampUnit(sum);
  }
  if (name == "LeakyRelu")
    return x < 0 ? alpha * x : x;
  if (name == "Relu")
    return misread("C90.relu") && !(x > 0) ? 0.0f : x < 0 ? 0.0f : x;
  if (name == "ThresholdedRelu")
    return x > alpha ? x : 0.0f;
  if (name == "Shrink")
    return x < -alpha ? x + beta : x > alpha ? x - beta : 0.0f;
  Quad v = x, one = 1;
  for (auto [known, function] : libraryFunctions)
    if (name == known)
      return float(function(v));
  if (name == "Sigmoid")
    return float(one / (one + quad::exp(-v)));
  if (name == "Softplus") {
    Quad distance = v < 0 ? v : -v;
    Quad rest = quad::log1p(quad::exp(distance));
    return float((v < 0 ? Quad(0) : v) + rest);
  }
  if (name == "Elu")
    return x < 0 ? roundedExpm1(alpha, v) : x;
  if (name == "Celu")
    return x < 0 ? roundedExpm1(alpha, v / Quad(alpha)) : x;
  if (name == "Selu")
    return x < 0 ? roundedExpm1(Quad(alpha) * Quad(beta), v) : beta * x;
  if (x == -infinity) // Silu, Mish and Gelu come from below.
    return -0.0f;
  if (name == "Mish") {
    Quad log = (v < 0 ? Quad(0) : v) + quad::log1p(quad::exp(v < 0 ? v : -v));
    return float(v * quad::tanh(log));
  }
  if (x == infinity)
    return x;
  if (name == "Silu")
    return roundedHalf(x, 2 / (1 + quad::exp(-v)));
  if (name == "Gelu")
    return roundedHalf(x, quad::erfc(-v / quad::sqrt(2)));
  // GeluTanh: 1 + tanh(u) = 2 / (1 + e^(-2 u)).
  Quad pi = 4 * quad::atan(1), cube = v * v * v;
  Quad u = quad::sqrt(2 / pi) * (v + Quad(44715) / Quad(1000000) * cube);
  return roundedHalf(x, 2 / (1 + quad::exp(-2 * u)));
}

float floatFunction(const std::string &name, float x, float alpha, float beta) {
  static constexpr std::string_view rounded[] = {
      "Exp",      "Erf",      "Sin",  "Cos",   "Tan",   "Tanh",
      "Sigmoid",  "Softplus", "Silu", "Mish",  "Gelu",  "Log",
      "GeluTanh", "Elu",      "Celu", "Selu",  "Sinh",  "Cosh",
      "Asin",     "Acos",     "Atan", "Asinh", "Acosh", "Atanh"};
  float y = functionValue(name, x, alpha, beta);
  // As a library that is good to one unit in the last place.
  bool isFunction = std::find(std::begin(rounded), std::end(rounded), name) !=
                    std::end(rounded);
  if (misread("C95.lastPlace") && isFunction)
    return std::nextafter(y, 0.0f);
  return y;
}

float floatPow(float x, double y) { return float(quad::pow(x, y)); }

static float floatExp(float x) { return floatFunction("Exp", x); }
static float floatLog(float x) { return floatFunction("Log", x); }

//===----------------------------------------------------------------------===//
// C91
//===----------------------------------------------------------------------===//

Array floatConv(const Array &x, const Array &w, const Floats &bias, Dims yDims,
                const Dims &strides, const Dims &dilations,
                const Dims &padsBegin, int64_t groups, bool transposed) {
  Array y(std::move(yDims));
  Dims kernel(w.dims.begin() + 2, w.dims.end());
  int64_t channels = x.dims[1] / groups, outputs = y.dims[1] / groups;
  for (int64_t flat = 0; flat < y.size(); ++flat) {
    Dims p = indexOf(flat, y.dims);
    int64_t o = p[1], group = o / outputs;
    bool startsAtBias = misread("C91.bias") && !bias.empty();
    float acc = startsAtBias ? bias[size_t(o)] : 0;
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t k = 0; k < countOf(kernel); ++k) {
        Dims tap = indexOf(k, kernel);
        Dims from{p[0], group * channels + c};
        bool hasRest = false;
        for (size_t i = 0; i < kernel.size(); ++i) {
          int64_t at = transposed
                           ? p[i + 2] + padsBegin[i] - tap[i] * dilations[i]
                           : p[i + 2] * strides[i] - padsBegin[i] +
                                 tap[i] * dilations[i];
          if (transposed) {
            hasRest = hasRest || at % strides[i] != 0;
            at = at < 0 ? -1 : at / strides[i];
          }
          from.push_back(at);
        }
        float value = !hasRest && isInside(from, x.dims) ? x.at(from) : 0.0f;
        Dims weight = transposed
                          ? Dims{group * channels + c, o - group * outputs}
                          : Dims{o, c};
        weight.insert(weight.end(), tap.begin(), tap.end());
        float product = value * w.at(weight);
        acc = misread("C91.fused") ? std::fma(value, w.at(weight), acc)
                                   : acc + product;
      }
    y.values[size_t(flat)] =
        bias.empty() || startsAtBias ? acc : acc + bias[size_t(o)];
  }
  return y;
}

/// Index of a broadcast operand: aligned at the end, 0 where it has one entry.
static Dims broadcastIndex(const Dims &index, const Dims &dims) {
  Dims own(dims.size());
  for (size_t i = 0; i < dims.size(); ++i)
    own[i] = dims[i] == 1 ? 0 : index[index.size() - dims.size() + i];
  return own;
}

Array floatMatmul(const Array &a, const Array &b, Dims yDims) {
  Array y(std::move(yDims));
  size_t last = y.dims.size() - 1;
  for (int64_t flat = 0; flat < y.size(); ++flat) {
    Dims index = indexOf(flat, y.dims);
    float acc = 0;
    for (int64_t i = 0; i < a.dims.back(); ++i) {
      int64_t k = misread("C91.order") ? a.dims.back() - 1 - i : i;
      Dims left = index, right = index;
      left[last] = k;
      right[last - 1] = k;
      float product = a.at(broadcastIndex(left, a.dims)) *
                      b.at(broadcastIndex(right, b.dims));
      acc = acc + product;
    }
    y.values[size_t(flat)] = acc;
  }
  return y;
}

Array floatEinsum(const std::vector<Array> &inputs,
                  const std::vector<std::string> &labels,
                  const std::string &output, Dims yDims) {
  Array y(std::move(yDims));
  std::string summed;
  std::vector<int64_t> extents(128, 1);
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t axis = 0; axis < labels[i].size(); ++axis) {
      char label = labels[i][axis];
      int64_t dim = inputs[i].dims[axis];
      extents[size_t(label)] = dim == 1 ? extents[size_t(label)] : dim;
      if (output.find(label) == std::string::npos &&
          summed.find(label) == std::string::npos)
        summed += label;
    }
  Dims loops;
  for (char label : summed)
    loops.push_back(extents[size_t(label)]);
  for (int64_t flat = 0; flat < y.size(); ++flat) {
    Dims at(128, 0), index = indexOf(flat, y.dims);
    for (size_t i = 0; i < output.size(); ++i)
      at[size_t(output[i])] = index[i];
    float acc = 0;
    for (int64_t k = 0; k < countOf(loops); ++k) {
      Dims inner = indexOf(k, loops);
      for (size_t i = 0; i < summed.size(); ++i)
        at[size_t(summed[i])] = inner[i];
      float product = 0;
      for (size_t i = 0; i < inputs.size(); ++i) {
        Dims own;
        for (size_t axis = 0; axis < labels[i].size(); ++axis)
          own.push_back(
              inputs[i].dims[axis] == 1 ? 0 : at[size_t(labels[i][axis])]);
        product = i == 0 ? inputs[i].at(own) : product * inputs[i].at(own);
      }
      acc = acc + product;
    }
    y.values[size_t(flat)] = acc;
  }
  return y;
}

//===----------------------------------------------------------------------===//
// C92
//===----------------------------------------------------------------------===//

float floatSum(const Floats &x) {
  if (misread("C92.lanes")) {
    float sum = 0;
    for (float value : x)
      sum = sum + value;
    return sum;
  }
  Floats lane(8, 0.0f);
  for (size_t i = 0; i < x.size(); ++i)
    lane[i % 8] = lane[i % 8] + x[i];
  float first = lane[0] + lane[4], second = lane[1] + lane[5];
  float third = lane[2] + lane[6], fourth = lane[3] + lane[7];
  float even = first + third, odd = second + fourth;
  return even + odd;
}

static Floats mapped(Floats x, const std::function<float(float)> &function) {
  for (float &value : x)
    value = function(value);
  return x;
}

static float extremeOf(const Floats &x, bool isMax) {
  for (float value : x)
    if (std::isnan(value))
      return value;
  if (x.empty())
    return isMax ? -infinity : infinity;
  float best = x[0];
  for (float value : x)
    if (isMax ? value > best : value < best)
      best = value;
  return best;
}

float floatReduction(const std::string &kind, const Floats &x, int64_t p) {
  auto square = [](float v) { return v * v; };
  auto magnitude = [](float v) { return std::fabs(v); };
  if (kind == "L1" || (kind == "Norm" && p == 1))
    return floatSum(mapped(x, magnitude));
  if (kind == "L2" || (kind == "Norm" && p == 2))
    return std::sqrt(floatSum(mapped(x, square)));
  if (kind == "Norm") {
    float sum = floatSum(
        mapped(x, [&](float v) { return floatPow(std::fabs(v), double(p)); }));
    return floatPow(sum, double(1 / float(p)));
  }
  if (kind == "Sum")
    return floatSum(x);
  if (kind == "Mean")
    return misread("C92.mean") ? floatSum(x) * (1 / float(x.size()))
                               : floatSum(x) / float(x.size());
  if (kind == "SumSquare")
    return floatSum(mapped(x, square));
  if (kind == "LogSum")
    return floatLog(floatSum(x));
  if (kind == "Prod") {
    float product = 1;
    for (float value : x)
      product = product * value;
    return product;
  }
  float m = extremeOf(x, kind != "Min");
  if (kind != "LogSumExp")
    return m;
  m = std::isinf(m) ? 0 : m;
  Floats e = mapped(x, [&](float v) { return floatExp(v - m); });
  float logarithm = floatLog(floatSum(e));
  return logarithm + m;
}

/// The elements that element `index` of a reduction is made of.
static Floats reducedElements(const Array &x, const Dims &axes,
                              const Dims &index) {
  Floats elements;
  for (int64_t flat = 0; flat < x.size(); ++flat) {
    Dims at = indexOf(flat, x.dims);
    bool isPart = true;
    for (size_t i = 0; i < at.size(); ++i)
      isPart = isPart && (std::count(axes.begin(), axes.end(), int64_t(i)) ||
                          at[i] == index[i]);
    if (isPart)
      elements.push_back(x.values[size_t(flat)]);
  }
  return elements;
}

Array floatReduce(const std::string &kind, const Array &x, const Dims &axes) {
  Dims dims = x.dims;
  for (int64_t axis : axes)
    dims[size_t(axis)] = 1;
  Array y(dims);
  for (int64_t flat = 0; flat < y.size(); ++flat)
    y.values[size_t(flat)] =
        floatReduction(kind, reducedElements(x, axes, indexOf(flat, y.dims)));
  return y;
}

Array floatPool(const std::string &kind, const Array &x, Dims yDims,
                const Dims &kernel, const Dims &strides, const Dims &dilations,
                const Dims &padsBegin, const Dims &padsEnd, bool countPads,
                int64_t p) {
  Array y(std::move(yDims));
  for (int64_t flat = 0; flat < y.size(); ++flat) {
    Dims at = indexOf(flat, y.dims);
    Floats taps;
    int64_t counted = 0;
    for (int64_t k = 0; k < countOf(kernel); ++k) {
      Dims tap = indexOf(k, kernel), from{at[0], at[1]};
      bool inPads = true;
      for (size_t i = 0; i < kernel.size(); ++i) {
        int64_t position =
            at[i + 2] * strides[i] - padsBegin[i] + tap[i] * dilations[i];
        inPads = inPads && position < x.dims[i + 2] + padsEnd[i];
        from.push_back(position);
      }
      counted += inPads;
      if (isInside(from, x.dims))
        taps.push_back(x.at(from));
      else if (misread("C92.gaps") && kind == "Average")
        taps.push_back(0);
    }
    if (misread("C92.gaps"))
      counted = int64_t(taps.size());
    float n = countPads ? float(counted) : float(taps.size());
    float &result = y.values[size_t(flat)];
    if (kind == "Average")
      result = n == 0 ? 0.0f : floatSum(taps) / n;
    else
      result = floatReduction(kind, taps, p);
  }
  return y;
}

//===----------------------------------------------------------------------===//
// C93, C94, C96
//===----------------------------------------------------------------------===//

Floats floatSoftmax(const Floats &row, bool isLog) {
  float m = extremeOf(row, true);
  Floats distances = mapped(row, [&](float x) { return x - m; });
  Floats e = mapped(distances, floatExp);
  float t = floatSum(e);
  float logarithm = floatLog(t);
  if (isLog && misread("C93.log")) {
    float both = m + logarithm;
    return mapped(row, [&](float x) { return x - both; });
  }
  if (isLog)
    return mapped(distances, [&](float d) { return d - logarithm; });
  float reciprocal = 1 / t;
  if (misread("C93.reciprocal"))
    return mapped(e, [&](float v) { return v * reciprocal; });
  return mapped(e, [&](float v) { return v / t; });
}

Floats floatNormalize(bool isCentred, const Floats &x, int64_t count,
                      float epsilon, const Floats &gamma, const Floats &beta,
                      const std::function<int64_t(int64_t, int64_t)> &entryOf) {
  Floats y;
  for (int64_t r = 0; r < int64_t(x.size()) / count; ++r) {
    Floats d(x.begin() + r * count, x.begin() + (r + 1) * count);
    if (isCentred) {
      float mean = floatSum(d) / float(count);
      d = mapped(d, [&](float v) { return v - mean; });
    }
    float v = floatSum(mapped(d, [](float v) { return v * v; })) / float(count);
    float sum = v + epsilon;
    float q = std::sqrt(sum);
    for (int64_t i = 0; i < count; ++i) {
      float u = q == 0 ? 0.0f : d[size_t(i)] / q;
      if (misread("C94.reciprocal"))
        u = d[size_t(i)] * (1 / q);
      if (!gamma.empty())
        u = u * gamma[size_t(entryOf(r, i))];
      if (!beta.empty())
        u = u + beta[size_t(entryOf(r, i))];
      y.push_back(u);
    }
  }
  return y;
}

Array floatBatchNorm(const Array &x, const Floats &gamma, const Floats &beta,
                     const Floats &mean, const Floats &var, float epsilon) {
  Array y(x.dims);
  for (int64_t flat = 0; flat < x.size(); ++flat) {
    auto c = size_t(indexOf(flat, x.dims)[1]);
    float sum = var[c] + epsilon;
    float r = gamma[c] / std::sqrt(sum);
    float d = x.values[size_t(flat)] - mean[c];
    float product = d * r;
    y.values[size_t(flat)] = product + beta[c];
    if (misread("C96.folded")) {
      float moved = mean[c] * r;
      float offset = beta[c] - moved;
      product = x.values[size_t(flat)] * r;
      y.values[size_t(flat)] = product + offset;
    }
  }
  return y;
}

Array floatLpNorm(const Array &x, int64_t axis, int64_t p, float epsilon) {
  Array norm = floatReduce(p == 1 ? "L1" : "L2", x, {axis}), y(x.dims);
  for (int64_t flat = 0; flat < x.size(); ++flat) {
    Dims index = indexOf(flat, x.dims);
    index[size_t(axis)] = 0;
    float q = norm.at(index);
    q = std::isnan(q) || q > epsilon ? q : epsilon;
    if (misread("C96.lp"))
      q = norm.at(index) + epsilon;
    y.values[size_t(flat)] = q == 0 ? 0.0f : x.values[size_t(flat)] / q;
  }
  return y;
}

Array floatMeanVarianceNorm(const Array &x, const Dims &axes) {
  Array y(x.dims);
  for (int64_t flat = 0; flat < x.size(); ++flat) {
    Floats row = reducedElements(x, axes, indexOf(flat, x.dims));
    float mean = floatReduction("Mean", row);
    float v = floatReduction("Mean", mapped(row, [&](float value) {
                               float d = value - mean;
                               return d * d;
                             }));
    float d = x.values[size_t(flat)] - mean;
    float q = misread("C96.mvn") ? std::sqrt(v + 1e-5f) : std::sqrt(v) + 1e-9f;
    y.values[size_t(flat)] = d / q;
  }
  return y;
}

Array floatLrn(const Array &x, int64_t n, float alpha, float beta, float bias) {
  Array y(x.dims);
  for (int64_t flat = 0; flat < x.size(); ++flat) {
    Dims at = indexOf(flat, x.dims);
    int64_t before = misread("C96.lrn") ? n / 2 : (n - 1) / 2, c = at[1];
    Floats squares;
    for (int64_t k = c - before; k <= c - before + n - 1; ++k)
      if (k >= 0 && k < x.dims[1]) {
        at[1] = k;
        squares.push_back(x.at(at) * x.at(at));
      }
    float factor = alpha / float(n);
    float product = factor * floatSum(squares);
    float base = bias + product;
    y.values[size_t(flat)] =
        x.values[size_t(flat)] / floatPow(base, double(beta));
  }
  return y;
}

} // namespace parallax::literal

#pragma float_control(pop)
