//===- FixedPointTest.cpp - C10 to C14, C44, C60, C61 ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic below all kernels against its literal implementation, where it
// is most likely to go wrong: ties, both ends of every range, and the border
// between 64-bit and 128-bit products.
//===----------------------------------------------------------------------===//
#include "parallax/Support/FixedPoint.h"
#include "NpuTestSupport.h"

using namespace parallax;
using namespace parallax::npu::test;
using literal::Wide;

namespace {

/// Numbers of up to `bits` bits: random ones of every length, and the ends.
std::vector<int64_t> numbers(int bits, uint64_t seed, int perLength) {
  Random random(seed);
  std::vector<int64_t> result{0};
  for (int length = 1; length < bits; ++length) {
    int64_t top = int64_t(1) << length;
    for (int64_t near : {top - 1, top, top + 1, top / 2 + 1})
      for (int64_t value : {near, -near})
        if (value < int64_t(1) << (bits - 1))
          result.push_back(std::max(value, -(int64_t(1) << (bits - 1))));
    for (int i = 0; i < perLength; ++i) {
      auto value = int64_t(random.next() % uint64_t(top));
      result.push_back(value);
      result.push_back(-value);
    }
  }
  return result;
}

TEST(FixedPoint, C10_RoundedShiftOfEveryTie) {
  for (Tie tie : ties)
    for (int shift = 1; shift <= 62; ++shift)
      for (int64_t n = -9; n <= 9; ++n)
        for (int64_t off : {-1, 0, 1}) {
          Wide value = (Wide(2 * n + 1) << (shift - 1)) + off;
          if (value <= -(Wide(1) << 62) || value >= Wide(1) << 62)
            continue;
          ASSERT_EQ(roundShift<int64_t>(int64_t(value), shift, roundingOf(tie)),
                    int64_t(literal::roundedShift(value, shift, tie)))
              << shift << " " << n << " " << off;
        }
}

TEST(FixedPoint, C10_RoundedShiftOfAnyNumber) {
  for (Tie tie : ties)
    for (int64_t value : numbers(63, 1, 3))
      for (int shift = 1; shift <= 90; ++shift) {
        if (value <= -(int64_t(1) << 62))
          continue;
        ASSERT_EQ(roundShift<int64_t>(value, shift, roundingOf(tie)),
                  int64_t(literal::roundedShift(value, shift, tie)));
        ASSERT_EQ(int64_t(roundShift<Int128>(value, shift, roundingOf(tie))),
                  int64_t(literal::roundedShift(value, shift, tie)));
      }
}

TEST(FixedPoint, C12_MultiplierOfAFactor) {
  Random random(3);
  std::vector<double> factors{0, 0x1p-48, 0x1.fffffffffffffp-49, 0.5, 1, 255};
  for (int exponent = -50; exponent < 30; ++exponent) {
    factors.push_back(std::ldexp(1 - 0x1p-53, exponent)); // rounds to 2^31
    factors.push_back(std::ldexp(1 - 0x1p-32, exponent)); // a tie, to even
    factors.push_back(std::ldexp(1 - 0x1p-31 - 0x1p-32, exponent));
    factors.push_back(std::ldexp(1 - 0x1p-31 - 0x1p-33, exponent));
    for (int i = 0; i < 100; ++i)
      factors.push_back(
          std::ldexp(double(random.next() >> 11) * 0x1p-53, exponent));
  }
  for (double factor : factors) {
    literal::Factor expected = literal::mult(factor);
    Multiplier got = multiplierFor(factor);
    ASSERT_EQ(got.mantissa, int64_t(expected.m)) << factor;
    ASSERT_EQ(got.shift, expected.s) << factor;
    ASSERT_TRUE(got == Multiplier() ||
                (got.mantissa >= 1 << 30 && got.shift >= 1 && got.shift <= 78));
  }
}

TEST(FixedPoint, C12_IllegalFactors) {
  for (double factor : {-1.0, -0x1p-60, 0x1p30, double(NAN), double(INFINITY),
                        std::ldexp(1 - 0x1p-53, 30)}) {
    EXPECT_THROW(multiplierFor(factor), Error) << factor;
    EXPECT_THROW(literal::mult(factor), std::range_error) << factor;
  }
}

TEST(FixedPoint, C13_RequantizationOf48Bits) {
  std::vector<Multiplier> multipliers{{}};
  Random random(4);
  for (int shift = 1; shift <= 78; ++shift) {
    multipliers.push_back({1 << 30, shift});
    multipliers.push_back({INT32_MAX, shift});
    multipliers.push_back({int32_t((1 << 30) | (random.next() >> 34)), shift});
  }
  constexpr Wide limit = Wide(1) << 62;
  for (Tie tie : ties)
    for (int64_t acc : numbers(48, 5, 2))
      for (Multiplier m : multipliers) {
        Wide expected =
            literal::roundedShift(Wide(acc) * m.mantissa, m.shift, tie);
        expected = std::clamp(expected, -limit, limit);
        ASSERT_EQ(requantize(acc, m, roundingOf(tie)), int64_t(expected))
            << acc << " " << m.mantissa << " " << m.shift;
      }
}

TEST(FixedPoint, C13_FactorsBelowTheLeastMultiplierLeaveNothing) {
  double factor = std::nextafter(0x1p-48, 0);
  ASSERT_EQ(multiplierFor(factor), Multiplier());
  EXPECT_LT(std::ldexp(1.0, 47) * factor, 0.5);
}

TEST(FixedPoint, C14_CoefficientsShareAShift) {
  Random random(6);
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> factors;
    for (int j = 0; j < 3; ++j)
      factors.push_back(std::ldexp(double(random.real()) - 0.5,
                                   int(random.next() % 70) - 45));
    literal::Combination expected = literal::coef(factors);
    Coefficients got = coefficientsFor(factors);
    ASSERT_EQ(got.shift, expected.s);
    for (size_t j = 0; j < factors.size(); ++j) {
      ASSERT_EQ(got.values[j], int64_t(expected.k[j]));
      ASSERT_LT(std::abs(got.values[j]), int64_t(1) << 31);
    }
  }
  double bad[] = {1.0, NAN};
  EXPECT_THROW(coefficientsFor(bad), Error);
}

TEST(FixedPoint, C60_Reciprocal) {
  for (int64_t value : numbers(62, 7, 20)) {
    if (value < 1)
      continue;
    literal::Factor expected = literal::reciprocal(value);
    Inverse got = reciprocalOf(value);
    ASSERT_EQ(got.mantissa, int64_t(expected.m)) << value;
    ASSERT_EQ(got.shift, expected.s) << value;
    double exact = 1 / double(value);
    ASSERT_LT(std::fabs(std::ldexp(double(got.mantissa), -got.shift) - exact),
              exact * 0x1p-29);
  }
}

TEST(FixedPoint, C61_InverseRoot) {
  for (int64_t value : numbers(62, 8, 20))
    for (int up : {0, 1, 20, 57}) {
      if (value < 1)
        continue;
      Wide wide = Wide(value) << up;
      literal::Factor expected = literal::inverseRoot(wide);
      Inverse got = inverseRootOf(wide);
      ASSERT_EQ(got.mantissa, int64_t(expected.m)) << value << " " << up;
      ASSERT_EQ(got.shift, expected.s) << value << " " << up;
      double exact = 1 / std::sqrt(std::ldexp(double(value), up));
      ASSERT_LT(std::fabs(std::ldexp(double(got.mantissa), -got.shift) - exact),
                exact * 0x1p-28);
    }
}

TEST(FixedPoint, RoundHalfEvenOfNumbersThatFit) {
  for (double value : {0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999999999999994,
                       4503599627370497.5, -0.0, 1e18})
    EXPECT_EQ(roundHalfEven(value), int64_t(literal::rne(value))) << value;
  EXPECT_TRUE(roundHalfEvenWide(0x1.8p100) == literal::rne(0x1.8p100));
  EXPECT_THROW(roundHalfEven(0x1p62), Error);
  EXPECT_THROW(roundHalfEven(NAN), Error);
  EXPECT_THROW(roundHalfEvenWide(-0x1p118), Error);
}

} // namespace
