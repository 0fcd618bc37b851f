//===- Elementwise.cpp - Integer kernels: element by element --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Operands of any mixture of types are widened into small buffers of x - zero
// point, span by span; the formula of an operator then stands alone.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Elementwise.h"

#include "parallax/Backend/Reference/Kernels/Broadcast.h"
#include "parallax/Support/Parallel.h"

#include <cmath>

namespace parallax::npu {
namespace {

/// Elements that are widened at once.
constexpr int64_t chunk = 512;

/// x - zero point for `count` elements from `begin` of a span.
void widen(const kernels::Operand &operand, const CodesOperand &from,
           int64_t begin, int64_t count, int64_t *to) {
  dispatchCodes("an element-wise operator", from.codes.dtype(),
                [&]<typename T>(TypeTag<T>) {
                  const T *x = operand.as<T>();
                  if (operand.isScalar)
                    std::fill_n(to, count, int64_t(x[0]) - from.zeroPoint);
                  else
                    for (int64_t i = 0; i < count; ++i)
                      to[i] = int64_t(x[begin + i]) - from.zeroPoint;
                });
}

/// Calls fn(inputs, results, count) for all elements of y in chunks, with the
/// widened elements of each operand, and stores what it writes as T.
template <typename T, typename Fn>
void mapAs(std::span<const CodesOperand> operands, Tensor &y, Fn fn) {
  std::vector<const Tensor *> tensors;
  for (const CodesOperand &operand : operands)
    tensors.push_back(&operand.codes);
  T *to = y.data<T>();
  kernels::forEachSpan(
      y.shape(), tensors,
      [&](const kernels::Operands &spans, int64_t begin, int64_t count) {
        int64_t inputs[3][chunk], results[chunk];
        for (int64_t at = 0; at < count; at += chunk) {
          int64_t length = std::min(chunk, count - at);
          for (size_t i = 0; i < operands.size(); ++i)
            widen(spans[i], operands[i], at, length, inputs[i]);
          fn(inputs, results, length);
          for (int64_t i = 0; i < length; ++i)
            to[begin + at + i] = T(results[i]);
        }
      });
}

/// y = fn(a) or fn(a, b) in the codes of y.
template <typename Fn>
void mapCodes(std::span<const CodesOperand> operands, Tensor &y, Fn fn) {
  dispatchCodes("an element-wise operator", y.dtype(),
                [&]<typename T>(TypeTag<T>) { mapAs<T>(operands, y, fn); });
}

template <typename Fn>
void mapPairs(const CodesOperand &a, const CodesOperand &b, Tensor &y,
              const OutputCodes &output, Fn fn) {
  CodesOperand operands[] = {a, b};
  mapCodes(operands, y, [&](auto &inputs, int64_t *results, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      results[i] = output.code(fn(inputs[0][i], inputs[1][i]));
  });
}

} // namespace

void linear(std::span<const CodesOperand> operands, Tensor &y,
            const Coefficients &coefficients, const OutputCodes &output) {
  const std::vector<int64_t> &k = coefficients.values;
  mapCodes(operands, y, [&](auto &inputs, int64_t *results, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t sum = 0;
      for (size_t j = 0; j < k.size(); ++j)
        sum += inputs[j][i] * k[j];
      results[i] =
          output.code(roundShift(sum, coefficients.shift, output.rounding));
    }
  });
}

void affine(const CodesOperand &x, Tensor &y, int64_t axis,
            const ChannelAffine &affine, const OutputCodes &output) {
  auto [outer, channels, inner] = kernels::splitAt(x.codes.shape(), axis);
  int64_t run = inner;
  dispatchCodes("normalize", x.codes.dtype(), [&]<typename A>(TypeTag<A>) {
    dispatchCodes("normalize", y.dtype(), [&]<typename T>(TypeTag<T>) {
      const A *from = x.codes.data<A>();
      T *to = y.data<T>();
      int64_t length = channels;
      parallelFor(
          outer * channels, rowGrain(run), [&](int64_t begin, int64_t end) {
            for (int64_t r = begin; r < end; ++r) {
              int64_t c = r % length;
              for (int64_t i = r * run; i < (r + 1) * run; ++i)
                to[i] = T(output.code(roundShift(
                    (int64_t(from[i]) - x.zeroPoint) * affine.factors[c] +
                        affine.offsets[c],
                    affine.shifts[c], output.rounding)));
            }
          });
    });
  });
}

void mul(const CodesOperand &a, const CodesOperand &b, Tensor &y,
         Multiplier multiplier, const OutputCodes &output) {
  mapPairs(a, b, y, output, [&](int64_t a, int64_t b) {
    return requantize(a * b, multiplier, output.rounding);
  });
}

void prelu(const CodesOperand &x, const CodesOperand &slope, Tensor &y,
           const PReluMultipliers &multipliers, const OutputCodes &output) {
  mapPairs(x, slope, y, output, [&](int64_t x, int64_t slope) {
    return x >= 0
               ? requantize(x, multipliers.positive, output.rounding)
               : requantize(x * slope, multipliers.negative, output.rounding);
  });
}

void div(const CodesOperand &a, const CodesOperand &b, Tensor &y,
         Multiplier multiplier, const OutputCodes &output) {
  mapPairs(a, b, y, output, [&](int64_t a, int64_t b) {
    return requantizeQuotient(a, b, multiplier, output.rounding);
  });
}

void compare(CompareKind kind, const CodesOperand &a, const CodesOperand &b,
             Tensor &y, const Coefficients &coefficients) {
  CodesOperand operands[] = {a, b};
  auto holds = [kind](int64_t difference) {
    switch (kind) {
    case CompareKind::Equal:
      return difference == 0;
    case CompareKind::Less:
      return difference < 0;
    case CompareKind::LessOrEqual:
      return difference <= 0;
    case CompareKind::Greater:
      return difference > 0;
    case CompareKind::GreaterOrEqual:
      break;
    }
    return difference >= 0;
  };
  mapAs<bool>(operands, y, [&](auto &inputs, int64_t *results, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      results[i] = holds(inputs[0][i] * coefficients.values[0] +
                         inputs[1][i] * coefficients.values[1]);
  });
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// Interpolates between the two knots around code number `index`.
static int64_t interpolate(std::span<const int32_t> knots, int64_t index,
                           const OutputCodes &output) {
  int64_t segment = index >> 7, part = index & 127;
  int64_t sum = int64_t(knots[segment]) * (128 - part) +
                int64_t(knots[segment + 1]) * part;
  return output.code(roundShift<int64_t>(sum, 15, output.rounding));
}

void table(const Tensor &x, Tensor &y, std::span<const int32_t> entries,
           const OutputCodes &output) {
  dispatchCodes("a table", x.dtype(), [&]<typename A>(TypeTag<A>) {
    if (entries.size() != (sizeof(A) == 1 ? 256 : 513))
      throw Error(fmt::format("a table for {} input can't have {} entries",
                              nameOf(x.dtype()), entries.size()));
    dispatchCodes("a table", y.dtype(), [&]<typename T>(TypeTag<T>) {
      const A *from = x.data<A>();
      T *to = y.data<T>();
      parallelFor(x.size(), codeGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          int64_t index =
              int64_t(from[i]) - int64_t(std::numeric_limits<A>::lowest());
          to[i] = T(sizeof(A) == 1 ? int64_t(entries[index])
                                   : interpolate(entries, index, output));
        }
      });
    });
  });
}

//===----------------------------------------------------------------------===//
// Between codes and floats
//===----------------------------------------------------------------------===//

void quantize(const Tensor &x, Tensor &y, const AffineParams &params) {
  const float *from = x.data<float>();
  auto low = float(params.low - params.zeroPoint);
  auto high = float(params.high - params.zeroPoint);
  dispatchCodes("quantize", y.dtype(), [&]<typename T>(TypeTag<T>) {
    T *to = y.data<T>();
    parallelFor(x.size(), codeGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        float steps = from[i] / params.scale;
        // Limits first: it gives the same codes, and infinities fit. What is
        // not a number compares false and becomes the lowest code.
        steps = steps > low ? steps : low;
        steps = steps < high ? steps : high;
        to[i] = T(roundHalfEven(double(steps)) + params.zeroPoint);
      }
    });
  });
}

void dequantize(const Tensor &x, Tensor &y, const AffineParams &params) {
  float *to = y.data<float>();
  dispatchCodes("dequantize", x.dtype(), [&]<typename T>(TypeTag<T>) {
    const T *from = x.data<T>();
    parallelFor(x.size(), codeGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        to[i] = float(int64_t(from[i]) - params.zeroPoint) * params.scale;
    });
  });
}

} // namespace parallax::npu
