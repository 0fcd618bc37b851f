//===- Elementwise.cpp - Integer kernels: element by element --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Operands of any mixture of types are widened into small buffers of x - zero
// point, span by span; the formula of an operator then stands alone.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/NPU/Kernels/Elementwise.h"

#include "Rescale.h"
#include "parallax/Backend/Kernels/Broadcast.h"
#include "parallax/Support/Parallel.h"

#include <bit>
#include <cmath>

namespace parallax::npu {
namespace {

/// Elements that are widened at once.
constexpr int64_t chunk = 512;

/// Buffers of one chunk.
struct Chunk {
  alignas(64) int32_t inputs[3][chunk];
  alignas(64) int32_t results[chunk];
};

template <typename T> struct Widen {
  PARALLAX_INLINE static void run(const T *x, int64_t count, int32_t zero,
                                  int32_t *__restrict to) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = int32_t(x[i]) - zero;
  }
};

template <typename T> struct Narrow {
  PARALLAX_INLINE static void run(const int32_t *results, int64_t count,
                                  T *__restrict to) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = T(results[i]);
  }
};

/// x - zero point for `count` elements from `begin` of a span.
void widen(const kernels::Operand &operand, const CodesOperand &from,
           int64_t begin, int64_t count, int32_t *to) {
  auto zero = int32_t(from.zeroPoint);
  dispatchCodes("an element-wise operator", from.codes.dtype(),
                [&]<typename T>(TypeTag<T>) {
                  const T *x = operand.as<T>();
                  if (operand.isScalar)
                    std::fill_n(to, count, int32_t(x[0]) - zero);
                  else
                    vectorized<Widen<T>>()(x + begin, count, zero, to);
                });
}

/// Calls fn(inputs, results, count) for all elements of y in chunks, with the
/// widened elements of each operand, and stores what it writes as T.
template <typename T, typename Fn>
void mapTo(T *to, std::span<const CodesOperand> operands, const Shape &shape,
           Fn fn) {
  std::vector<const Tensor *> tensors;
  for (const CodesOperand &operand : operands)
    tensors.push_back(&operand.codes);
  auto narrow = vectorized<Narrow<T>>();
  kernels::forEachSpan(
      shape, tensors,
      [&](const kernels::Operands &spans, int64_t begin, int64_t count) {
        Chunk buffers;
        for (int64_t at = 0; at < count; at += chunk) {
          int64_t length = std::min(chunk, count - at);
          for (size_t i = 0; i < operands.size(); ++i)
            widen(spans[i], operands[i], at, length, buffers.inputs[i]);
          fn(buffers.inputs, buffers.results, length);
          narrow(buffers.results, length, to + begin + at);
        }
      });
}

using Inputs = const int32_t (&)[3][chunk];

/// y = fn(inputs, results, count) in the codes of y.
template <typename Fn>
void mapCodes(std::span<const CodesOperand> operands, Tensor &y, Fn fn) {
  dispatchResult("an element-wise operator", y,
                 [&](auto *to) { mapTo(to, operands, y.shape(), fn); });
}

/// y = fn(a, b) steps, one element at a time.
template <typename Fn>
void mapPairs(const CodesOperand &a, const CodesOperand &b, Tensor &y,
              const OutputCodes &output, Fn fn) {
  CodesOperand operands[] = {a, b};
  mapCodes(operands, y, [&](Inputs inputs, int32_t *results, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      results[i] = int32_t(output.code(fn(inputs[0][i], inputs[1][i])));
  });
}

/// The greatest |x - zero point| of a type of codes.
int64_t magnitudeOf(const CodesOperand &operand) {
  return sizeOf(operand.codes.dtype()) == 1 ? 255 : 65535;
}

//===----------------------------------------------------------------------===//
// Formulas in vectors
//===----------------------------------------------------------------------===//

template <Rounding rounding, size_t operands> struct LinearLoop {
  PARALLAX_INLINE static void run(const int32_t (*inputs)[chunk], int64_t count,
                                  const int64_t *factors, RoundToCode round,
                                  int32_t *__restrict results) {
    int32_t k[operands];
    for (size_t j = 0; j < operands; ++j)
      k[j] = int32_t(factors[j]);
    for (int64_t i = 0; i < count; ++i) {
      int64_t sum = 0;
      for (size_t j = 0; j < operands; ++j)
        sum += int64_t(inputs[j][i]) * k[j];
      results[i] = round.code<rounding>(sum);
    }
  }
};

/// Products of `Product` bits.
template <Rounding rounding, typename Product> struct MulLoop {
  PARALLAX_INLINE static void run(const int32_t (*inputs)[chunk], int64_t count,
                                  Rescale rescale,
                                  int32_t *__restrict results) {
    for (int64_t i = 0; i < count; ++i)
      results[i] =
          rescale.code<rounding>(Product(Product(inputs[0][i]) * inputs[1][i]));
  }
};

template <Rounding rounding, typename Product> struct PReluLoop {
  PARALLAX_INLINE static void run(const int32_t (*inputs)[chunk], int64_t count,
                                  Rescale positive, Rescale negative,
                                  int32_t *__restrict results) {
    for (int64_t i = 0; i < count; ++i) {
      int32_t x = inputs[0][i];
      int32_t above = positive.code<rounding>(x);
      int32_t below =
          negative.code<rounding>(Product(Product(x) * inputs[1][i]));
      results[i] = x >= 0 ? above : below;
    }
  }
};

/// Calls fn with the rounding mode and an integer that holds the products.
template <typename Fn>
void dispatchProduct(Rounding rounding, const Rescale &rescale, Fn fn) {
  dispatchRounding(rounding, [&](auto mode) {
    rescale.isNarrow() ? fn(mode, int32_t()) : fn(mode, int64_t());
  });
}

} // namespace

void linear(std::span<const CodesOperand> operands, Tensor &y,
            const Coefficients &coefficients, const OutputCodes &output) {
  const std::vector<int64_t> &k = coefficients.values;
  Int128 magnitude = 0;
  bool isShort = true;
  for (size_t j = 0; j < k.size(); ++j) {
    magnitude += Int128(std::abs(k[j])) * magnitudeOf(operands[j]);
    isShort &= k[j] == int64_t(int32_t(k[j]));
  }
  RoundToCode round(coefficients.shift, output, magnitude);
  if (!isShort || !round.isReady())
    return mapCodes(
        operands, y, [&](Inputs inputs, int32_t *results, int64_t count) {
          for (int64_t i = 0; i < count; ++i) {
            int64_t sum = 0;
            for (size_t j = 0; j < k.size(); ++j)
              sum += inputs[j][i] * k[j];
            results[i] = int32_t(output.code(
                roundShift(sum, coefficients.shift, output.rounding)));
          }
        });
  dispatchRounding(output.rounding, [&](auto mode) {
    constexpr Rounding rounding = decltype(mode)::value;
    auto run = k.size() == 1   ? vectorized<LinearLoop<rounding, 1>>()
               : k.size() == 2 ? vectorized<LinearLoop<rounding, 2>>()
                               : vectorized<LinearLoop<rounding, 3>>();
    mapCodes(operands, y, [&](Inputs inputs, int32_t *results, int64_t count) {
      run(inputs, count, k.data(), round, results);
    });
  });
}

namespace {
/// The integers of C33 in the form that vectors of channels take.
struct AffineLanes {
  std::vector<int32_t> factors;
  std::vector<int64_t> offsets, shifts;
  std::vector<uint64_t> addends;
  std::vector<uint32_t> lifts;
  bool isReady = true;

  AffineLanes(const ChannelAffine &affine, int64_t magnitude,
              const OutputCodes &output) {
    constexpr uint64_t signBit = uint64_t(1) << 63;
    for (size_t c = 0; c < affine.factors.size(); ++c) {
      int64_t factor = affine.factors[c], offset = affine.offsets[c];
      int32_t shift = affine.shifts[c];
      Int128 largest = Int128(std::abs(factor)) * magnitude + std::abs(offset);
      isReady &= RoundToCode(shift, output, largest).isReady() &&
                 factor == int64_t(int32_t(factor));
      if (!isReady)
        return;
      factors.push_back(int32_t(factor));
      offsets.push_back(offset);
      shifts.push_back(shift);
      addends.push_back(signBit + (uint64_t(1) << (shift - 1)));
      lifts.push_back(uint32_t(signBit >> shift) - uint32_t(output.zeroPoint));
    }
  }
};

/// `inner` neighbours of each of `count` channels from channel `first` on.
template <Rounding rounding, typename A, typename T> struct AffineLoop {
  PARALLAX_INLINE static void run(const A *x, int64_t first, int64_t count,
                                  int64_t inner, int32_t zero,
                                  const AffineLanes &lanes, int32_t low,
                                  int32_t high, T *__restrict y) {
    const int32_t *factors = lanes.factors.data() + first;
    const int64_t *offsets = lanes.offsets.data() + first;
    const int64_t *shifts = lanes.shifts.data() + first;
    const uint64_t *addends = lanes.addends.data() + first;
    const uint32_t *lifts = lanes.lifts.data() + first;
    if (inner == 1) {
      for (int64_t c = 0; c < count; ++c)
        y[c] = T(code(x[c] - zero, factors[c], offsets[c], shifts[c],
                      addends[c], lifts[c], low, high));
      return;
    }
    for (int64_t c = 0; c < count; ++c, x += inner, y += inner) {
      int32_t factor = factors[c];
      int64_t offset = offsets[c], shift = shifts[c];
      uint64_t addend = addends[c];
      uint32_t lift = lifts[c];
      for (int64_t i = 0; i < inner; ++i)
        y[i] = T(
            code(x[i] - zero, factor, offset, shift, addend, lift, low, high));
    }
  }

  PARALLAX_INLINE static int32_t code(int32_t x, int32_t factor, int64_t offset,
                                      int64_t shift, uint64_t addend,
                                      uint32_t lift, int32_t low,
                                      int32_t high) {
    constexpr uint64_t signBit = uint64_t(1) << 63;
    int64_t sum = int64_t(x) * factor + offset;
    if constexpr (rounding == Rounding::HalfAway)
      addend += uint64_t(sum >> 63);
    if constexpr (rounding == Rounding::HalfEven)
      addend += (((uint64_t(sum) + signBit) >> shift) & 1) - 1;
    auto result = int32_t(uint32_t((uint64_t(sum) + addend) >> shift) - lift);
    result = result < low ? low : result;
    return result > high ? high : result;
  }
};

/// Any integers of C33.
template <typename A, typename T>
void affineRow(const A *x, int64_t channel, int64_t inner, int64_t zero,
               const ChannelAffine &affine, const OutputCodes &output, T *y) {
  for (int64_t i = 0; i < inner; ++i)
    y[i] = T(output.code(
        roundShift((int64_t(x[i]) - zero) * affine.factors[size_t(channel)] +
                       affine.offsets[size_t(channel)],
                   affine.shifts[size_t(channel)], output.rounding)));
}
} // namespace

void affine(const CodesOperand &x, Tensor &y, int64_t axis,
            const ChannelAffine &affine, const OutputCodes &output) {
  kernels::AxisSplit split = kernels::splitAt(x.codes.shape(), axis);
  const int64_t channels = split.count, inner = split.inner;
  const AffineLanes lanes(affine, magnitudeOf(x), output);
  dispatchCodes("normalize", x.codes.dtype(), [&]<typename A>(TypeTag<A>) {
    dispatchResult("normalize", y, [&]<typename T>(T *to) {
      const A *from = x.codes.data<A>();
      if (!lanes.isReady)
        return parallelFor(split.outer * channels, rowGrain(inner),
                           [&](int64_t begin, int64_t end) {
                             for (int64_t r = begin; r < end; ++r)
                               affineRow(from + r * inner, r % channels, inner,
                                         x.zeroPoint, affine, output,
                                         to + r * inner);
                           });
      dispatchRounding(output.rounding, [&](auto mode) {
        auto run = vectorized<AffineLoop<decltype(mode)::value, A, T>>();
        parallelFor(split.outer * channels, rowGrain(inner),
                    [&](int64_t begin, int64_t end) {
                      while (begin < end) {
                        int64_t first = begin % channels;
                        int64_t count = std::min(channels - first, end - begin);
                        run(from + begin * inner, first, count, inner,
                            int32_t(x.zeroPoint), lanes, int32_t(output.low),
                            int32_t(output.high), to + begin * inner);
                        begin += count;
                      }
                    });
      });
    });
  });
}

void mul(const CodesOperand &a, const CodesOperand &b, Tensor &y,
         Multiplier multiplier, const OutputCodes &output) {
  CodesOperand operands[] = {a, b};
  Rescale rescale(multiplier, output, magnitudeOf(a) * magnitudeOf(b));
  if (!rescale.isReady())
    return mapPairs(a, b, y, output, [&](int64_t a, int64_t b) {
      return requantize(a * b, multiplier, output.rounding);
    });
  dispatchProduct(output.rounding, rescale, [&](auto mode, auto product) {
    auto run = vectorized<MulLoop<decltype(mode)::value, decltype(product)>>();
    mapCodes(operands, y, [&](Inputs inputs, int32_t *results, int64_t count) {
      run(inputs, count, rescale, results);
    });
  });
}

void prelu(const CodesOperand &x, const CodesOperand &slope, Tensor &y,
           const PReluMultipliers &multipliers, const OutputCodes &output) {
  CodesOperand operands[] = {x, slope};
  Rescale positive(multipliers.positive, output, magnitudeOf(x));
  Rescale negative(multipliers.negative, output,
                   magnitudeOf(x) * magnitudeOf(slope));
  if (!positive.isReady() || !negative.isReady())
    return mapPairs(x, slope, y, output, [&](int64_t x, int64_t slope) {
      return x >= 0
                 ? requantize(x, multipliers.positive, output.rounding)
                 : requantize(x * slope, multipliers.negative, output.rounding);
    });
  dispatchProduct(output.rounding, negative, [&](auto mode, auto product) {
    auto run =
        vectorized<PReluLoop<decltype(mode)::value, decltype(product)>>();
    mapCodes(operands, y, [&](Inputs inputs, int32_t *results, int64_t count) {
      run(inputs, count, positive, negative, results);
    });
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
  mapTo(y.data<bool>(), operands, y.shape(),
        [&](Inputs inputs, int32_t *results, int64_t count) {
          for (int64_t i = 0; i < count; ++i)
            results[i] = holds(inputs[0][i] * coefficients.values[0] +
                               inputs[1][i] * coefficients.values[1]);
        });
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// Interpolates between the two knots around code number `index`; knots are
/// 2^distanceBits codes apart.
static int64_t interpolate(std::span<const int32_t> knots, int distanceBits,
                           int64_t index, const OutputCodes &output) {
  int64_t distance = int64_t(1) << distanceBits;
  int64_t segment = index >> distanceBits, part = index & (distance - 1);
  int64_t sum = int64_t(knots[segment]) * (distance - part) +
                int64_t(knots[segment + 1]) * part;
  return output.code(
      roundShift<int64_t>(sum, 8 + distanceBits, output.rounding));
}

void table(const Tensor &x, Tensor &y, std::span<const int32_t> entries,
           const OutputCodes &output) {
  dispatchCodes("a table", x.dtype(), [&]<typename A>(TypeTag<A>) {
    bool isLegal = sizeof(A) == 1
                       ? entries.size() == 256
                       : entries.size() > 1 && entries.size() <= 65537 &&
                             std::has_single_bit(entries.size() - 1);
    if (!isLegal)
      throw Error(fmt::format("a table for {} input can't have {} entries",
                              nameOf(x.dtype()), entries.size()));
    int distanceBits = 17 - int(std::bit_width(entries.size() - 1));
    dispatchResult("a table", y, [&]<typename T>(T *to) {
      const A *from = x.data<A>();
      parallelFor(x.size(), codeGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          int64_t index =
              int64_t(from[i]) - int64_t(std::numeric_limits<A>::lowest());
          to[i] = T(sizeof(A) == 1
                        ? int64_t(entries[index])
                        : interpolate(entries, distanceBits, index, output));
        }
      });
    });
  });
}

//===----------------------------------------------------------------------===//
// Between codes and floats
//===----------------------------------------------------------------------===//

namespace {
template <typename T> struct QuantizeLoop {
  PARALLAX_INLINE static void run(const float *x, int64_t count, float scale,
                                  float low, float high, int32_t zero,
                                  T *__restrict to) {
    // Added and taken away, it leaves the nearest integer, even from halves.
    constexpr float roundsAway = 0x1.8p23f;
    for (int64_t i = 0; i < count; ++i) {
      float steps = x[i] / scale;
      // Limits first: it gives the same codes, and infinities fit. What is
      // not a number compares false and becomes the lowest code.
      steps = steps > low ? steps : low;
      steps = steps < high ? steps : high;
      to[i] = T(int32_t((steps + roundsAway) - roundsAway) + zero);
    }
  }
};

template <typename T> struct DequantizeLoop {
  PARALLAX_INLINE static void run(const T *x, int64_t count, int32_t zero,
                                  float scale, float *__restrict to) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = float(int32_t(x[i]) - zero) * scale;
  }
};
} // namespace

void quantize(const Tensor &x, Tensor &y, const AffineParams &params) {
  const float *from = x.data<float>();
  auto low = float(params.low - params.zeroPoint);
  auto high = float(params.high - params.zeroPoint);
  dispatchResult("quantize", y, [&]<typename T>(T *to) {
    auto run = vectorized<QuantizeLoop<T>>();
    parallelFor(x.size(), codeGrain, [&](int64_t begin, int64_t end) {
      run(from + begin, end - begin, params.scale, low, high,
          int32_t(params.zeroPoint), to + begin);
    });
  });
}

void dequantize(const Tensor &x, Tensor &y, const AffineParams &params) {
  float *to = y.data<float>();
  dispatchCodes("dequantize", x.dtype(), [&]<typename T>(TypeTag<T>) {
    const T *from = x.data<T>();
    auto run = vectorized<DequantizeLoop<T>>();
    parallelFor(x.size(), codeGrain, [&](int64_t begin, int64_t end) {
      run(from + begin, end - begin, int32_t(params.zeroPoint), params.scale,
          to + begin);
    });
  });
}

} // namespace parallax::npu
