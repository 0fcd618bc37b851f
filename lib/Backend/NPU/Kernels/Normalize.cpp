//===- Normalize.cpp - Integer kernels: norms -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Sums of codes and of their squares are exact, so mean and variance are too:
// with N elements, N times the mean and N^2 times the variance are integers.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Normalize.h"

#include "Vectorize.h"
#include "parallax/Support/Parallel.h"

#include <algorithm>
#include <cmath>

namespace parallax::npu {

/// The sum that the root is taken of has this many bits behind the point.
static constexpr int guardBits = 16;

NormCoefficients normCoefficients(NormKind kind, float xScale, int64_t count,
                                  float epsilon, std::span<const float> gamma,
                                  std::span<const float> beta, float yScale,
                                  int multiplierBits) {
  if (count > int64_t(1) << 24)
    throw DerivationError(
        fmt::format("a normalization over {} elements is beyond the "
                    "2^24 that the NPU can sum up; run it in FP32",
                    count));
  std::vector<double> factors{1.0 / double(yScale)}, offsets{0.0};
  if (!gamma.empty())
    factors.clear();
  for (float scale : gamma)
    factors.push_back(double(scale) / double(yScale));
  if (!beta.empty())
    offsets.clear();
  for (float offset : beta)
    offsets.push_back(double(offset) / double(yScale));
  double reach = 0;
  for (double factor : factors)
    reach = std::max(reach, std::fabs(factor));
  for (double offset : offsets)
    reach = std::max(reach, std::fabs(offset) * 0x1p-7);

  NormCoefficients result;
  Multiplier scale = multiplierFor(reach, multiplierBits);
  result.shift = scale.shift;
  result.fractionBits = 22 - std::max(0, (bitLength(count - 1) - 15) >> 1);
  auto integer = [&](double value, int bits) {
    return scale.mantissa ? roundHalfEven(std::ldexp(value, bits)) : 0;
  };
  for (double factor : factors)
    result.factors.push_back(integer(factor, scale.shift));
  for (double offset : offsets)
    result.offsets.push_back(
        integer(offset, scale.shift + result.fractionBits));
  double squaredCount =
      kind == NormKind::L2 ? 1.0 : double(count) * double(count);
  double steps =
      squaredCount * double(epsilon) / (double(xScale) * double(xScale));
  result.epsilon = roundHalfEvenWide(std::ldexp(steps, guardBits));
  return result;
}

namespace {

/// What a row is normalized by: (x factor - offset) inverse 2^-shift has
/// `fractionBits` bits behind the point.
struct RowScale {
  int64_t factor, offset, inverse;
  int32_t shift;
};

/// The sum of some bytes without their zero point, and that of their squares.
template <typename A> struct AddSquares {
  /// So many squares of at most 255 fit 32 bits.
  static constexpr int64_t most = 1 << 15;

  PARALLAX_INLINE static void run(const A *x, int64_t count, int32_t zero,
                                  int64_t &sum, int64_t &squares) {
    int32_t ownSum = 0, ownSquares = 0;
    for (int64_t i = 0; i < count; ++i) {
      int32_t value = int32_t(x[i]) - zero;
      ownSum += value;
      ownSquares += value * value;
    }
    sum += ownSum;
    squares += ownSquares;
  }
};

template <typename A>
RowScale scaleOf(NormKind kind, const A *x, int64_t zero, int64_t count,
                 const NormCoefficients &coefficients) {
  int64_t sum = 0, squares = 0;
  if constexpr (sizeof(A) == 1) {
    auto add = vectorized<AddSquares<A>>();
    for (int64_t i = 0; i < count; i += AddSquares<A>::most)
      add(x + i, std::min(AddSquares<A>::most, count - i), int32_t(zero), sum,
          squares);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      int64_t value = int64_t(x[i]) - zero;
      sum += value;
      squares += value * value;
    }
  }
  RowScale row{kind == NormKind::L2 ? 1 : count,
               kind == NormKind::Centered ? sum : 0, 0, 1};
  Int128 variance = Int128(row.factor) * squares;
  variance -= Int128(row.offset) * row.offset;
  Int128 guarded = (variance << guardBits) + coefficients.epsilon;
  if (guarded > 0) {
    Inverse inverse = inverseRootOf(guarded);
    row.inverse = inverse.mantissa;
    row.shift = inverse.shift - guardBits / 2 - coefficients.fractionBits;
  }
  return row;
}

/// y[i] = fn(x[i]). Bytes that outnumber their codes are looked up, and fn is
/// only asked for codes between the least and the greatest: for others, which
/// may be far off, its integers needn't fit.
template <typename A, typename T, typename Fn>
void mapSegment(const A *x, int64_t count, T *__restrict y, Fn fn) {
  if constexpr (sizeof(A) == 1) {
    constexpr int64_t codes = 256, worthATable = 3 * codes;
    if (count >= worthATable) {
      T table[codes];
      auto [least, greatest] = std::ranges::minmax(std::span(x, size_t(count)));
      for (int64_t code = least; code <= greatest; ++code)
        table[uint8_t(code)] = fn(A(code));
      for (int64_t i = 0; i < count; ++i)
        y[i] = table[uint8_t(x[i])];
      return;
    }
  }
  for (int64_t i = 0; i < count; ++i)
    y[i] = fn(x[i]);
}

} // namespace

void normalizeRows(NormKind kind, const Tensor &x, int64_t xZero, Tensor &y,
                   const NormRows &rows, const NormCoefficients &coefficients,
                   const OutputCodes &output) {
  int64_t count = rows.count, entries = count / rows.inner;
  if (x.size() == 0)
    return;
  const std::vector<int64_t> &factors = coefficients.factors;
  const std::vector<int64_t> &offsets = coefficients.offsets;
  int shift = coefficients.shift + coefficients.fractionBits;
  dispatchCodes("a normalization", x.dtype(), [&]<typename A>(TypeTag<A>) {
    dispatchResult("a normalization", y, [&]<typename T>(T *codes) {
      parallelFor(
          x.size() / count, rowGrain(4 * count),
          [&](int64_t begin, int64_t end) {
            for (int64_t r = begin; r < end; ++r) {
              const A *from = x.data<A>() + r * count;
              T *to = codes + r * count;
              RowScale row = scaleOf(kind, from, xZero, count, coefficients);
              auto normalize = [&](A code, int64_t entry) {
                int64_t value =
                    (int64_t(code) - xZero) * row.factor - row.offset;
                auto normal = int64_t(roundShift<Int128>(
                    Int128(value) * row.inverse, row.shift, Rounding::HalfUp));
                int64_t sum =
                    normal * factors[factors.size() == 1 ? 0 : size_t(entry)] +
                    offsets[offsets.size() == 1 ? 0 : size_t(entry)];
                return T(output.code(roundShift(sum, shift, output.rounding)));
              };
              int64_t entry = r % rows.groups * entries;
              for (int64_t i = 0; i < count; i += rows.inner, ++entry)
                mapSegment(from + i, rows.inner, to + i,
                           [&](A code) { return normalize(code, entry); });
            }
          });
    });
  });
}

} // namespace parallax::npu
