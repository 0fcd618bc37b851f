//===- NpuTestSupport.h - Codes for kernels and literal code ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Makes difficult codes (extremes, zero points at the ends, ties) and passes
// them to the kernels and to the literal implementation of docs/numerics.md.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_NPU_NPUTESTSUPPORT_H
#define PARALLAX_TEST_UNIT_NPU_NPUTESTSUPPORT_H

#include "LiteralNumerics.h"
#include "parallax/Backend/NPU/Kernels/Codes.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Random.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace parallax::npu::test {

using literal::Codes;
using literal::Tie;

struct CodeType {
  DType dtype;
  int bits;
  bool isSigned;
};
inline constexpr std::array<CodeType, 4> codeTypes{{{DType::U8, 8, false},
                                                    {DType::I8, 8, true},
                                                    {DType::U16, 16, false},
                                                    {DType::I16, 16, true}}};
inline constexpr std::array<CodeType, 2> weightTypes{
    {{DType::I8, 8, true}, {DType::I16, 16, true}}};

inline constexpr std::array<Tie, 3> ties{Tie::Up, Tie::Away, Tie::Even};

inline Rounding roundingOf(Tie tie) {
  return tie == Tie::Up     ? Rounding::HalfUp
         : tie == Tie::Away ? Rounding::HalfAway
                            : Rounding::HalfEven;
}

/// The scale with which the codes of a type cover `reach`, in real numbers,
/// from end to end: values that reach as far on either side saturate.
inline float scaleFor(double reach, const CodeType &type) {
  return float(reach / std::ldexp(1.0, type.bits));
}

/// Everything but values; `zeroPart` in [0, 1] places the zero point.
inline Codes codesOf(const CodeType &type, Shape dims, float scale,
                     double zeroPart) {
  Codes codes{type.bits, type.isSigned, std::move(dims), scale, 0, 0, 0, {}};
  int64_t span = (int64_t(1) << type.bits) - 1;
  codes.low = codes.leastOfType();
  codes.high = codes.low + span;
  codes.zero = codes.low + int64_t(zeroPart * double(span));
  return codes;
}

/// How values are chosen.
enum class Fill { Random, Low, High, Ends, Zero };
inline constexpr std::array<Fill, 5> fills{Fill::Random, Fill::Low, Fill::High,
                                           Fill::Ends, Fill::Zero};

inline Codes filled(Codes codes, Fill fill, uint64_t seed) {
  Random random(seed);
  int64_t count = elementCount(codes.dims);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = random.next();
    int64_t span = codes.high - codes.low + 1;
    int64_t value = codes.low + int64_t(bits % uint64_t(span));
    if (fill == Fill::Zero)
      value = codes.zero;
    else if (fill == Fill::Low || (fill == Fill::Ends && (bits >> 32) % 2))
      value = codes.low;
    else if (fill != Fill::Random)
      value = codes.high;
    codes.values.push_back(value);
  }
  return codes;
}

/// Random codes.
inline Codes codesOf(const CodeType &type, Shape dims, float scale,
                     double zeroPart, uint64_t seed, Fill fill = Fill::Random) {
  return filled(codesOf(type, std::move(dims), scale, zeroPart), fill, seed);
}

/// Weights are symmetric (C2).
inline Codes weightsOf(const CodeType &type, Shape dims, uint64_t seed,
                       Fill fill = Fill::Random) {
  Codes codes = codesOf(type, std::move(dims), 1.0f, 0);
  codes.low = -codes.high;
  codes.zero = 0;
  return filled(codes, fill, seed);
}

inline DType dtypeOf(const Codes &codes) {
  if (codes.bits == 8)
    return codes.isSigned ? DType::I8 : DType::U8;
  return codes.isSigned ? DType::I16 : DType::U16;
}

inline Tensor toTensor(const Codes &codes) {
  Tensor tensor(dtypeOf(codes), codes.dims);
  dispatchCodes("test", tensor.dtype(), [&]<typename T>(TypeTag<T>) {
    for (size_t i = 0; i < codes.values.size(); ++i)
      tensor.data<T>()[i] = T(codes.values[i]);
  });
  return tensor;
}

inline AffineParams paramsOf(const Codes &codes) {
  return {codes.scale, codes.zero, codes.low, codes.high};
}

inline OutputCodes outputOf(const Codes &codes, Tie tie) {
  return outputCodes(paramsOf(codes), roundingOf(tie));
}

inline std::vector<int64_t> valuesOf(const Tensor &tensor) {
  std::vector<int64_t> values;
  dispatchCodes("test", tensor.dtype(), [&]<typename T>(TypeTag<T>) {
    values.assign(tensor.data<T>(), tensor.data<T>() + tensor.size());
  });
  return values;
}

/// Fails unless the results that are compared while it exists saturate on both
/// sides and hold other codes too: a comparison of constants proves little.
class CoversCodes {
public:
  CoversCodes() { counts() = {}; }
  ~CoversCodes() {
    for (int64_t count : counts())
      EXPECT_GT(count, 0);
  }
  static void add(const Codes &codes) {
    for (int64_t value : codes.values)
      ++counts()[value == codes.low ? 0 : value == codes.high ? 2 : 1];
  }

private:
  static std::array<int64_t, 3> &counts() {
    static std::array<int64_t, 3> all{};
    return all;
  }
};

/// Runs a kernel on `tensor` (already of the right shape) with one thread and
/// with two, and compares all codes with those of the literal implementation.
template <typename Kernel>
void expectBits(const Codes &expected, Kernel kernel,
                const std::string &what = "") {
  ASSERT_EQ(int64_t(expected.values.size()), elementCount(expected.dims))
      << what;
  CoversCodes::add(expected);
  for (int threads : {1, 2}) {
    ThreadCountScope scope(threads);
    Tensor y(dtypeOf(expected), expected.dims);
    kernel(y);
    std::vector<int64_t> got = valuesOf(y);
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], expected.values[i])
          << what << " element " << i << " with " << threads << " threads";
  }
}

/// The greatest distance in codes between a result and real numbers in its
/// steps, after rounding these half to even and saturating them.
inline int64_t worstDistance(const Codes &y, const std::vector<double> &real) {
  int64_t worst = 0;
  for (size_t i = 0; i < real.size(); ++i) {
    double steps = std::nearbyint(real[i] / double(y.scale));
    auto code = int64_t(
        std::clamp(steps + double(y.zero), double(y.low), double(y.high)));
    worst = std::max(worst, std::abs(code - y.values[i]));
  }
  return worst;
}

inline double valueAt(const Codes &x, int64_t i) {
  return double(x.values[i] - x.zero) * double(x.scale);
}

} // namespace parallax::npu::test

#endif // PARALLAX_TEST_UNIT_NPU_NPUTESTSUPPORT_H
