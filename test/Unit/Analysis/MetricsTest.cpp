//===- MetricsTest.cpp - How far two tensors are apart --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Known values, values that are not numbers, extremes of each type, and the
// same bits with any number of threads.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Metrics.h"
#include "AnalysisTestSupport.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace parallax;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void expectNoNan(const Metrics &m) {
  for (double value : {m.maxAbs, m.meanAbs, m.mse, m.rmse, m.cosine,
                       m.argmaxAgreement, m.minB, m.maxB})
    EXPECT_FALSE(std::isnan(value));
}

TEST(Metrics, KnownValues) {
  Metrics m =
      measure(tensorOf<float>({1, 2, 3, 4}), tensorOf<float>({1, 2, 5, 3}));
  EXPECT_EQ(m.count, 4);
  EXPECT_EQ(m.measured, 4);
  EXPECT_EQ(m.maxAbs, 2);
  EXPECT_EQ(m.maxAbsIndex, 2);
  EXPECT_EQ(m.meanAbs, 0.75);
  EXPECT_EQ(m.mse, 1.25);
  EXPECT_EQ(m.rmse, std::sqrt(1.25));
  EXPECT_DOUBLE_EQ(m.cosine, 32 / std::sqrt(30.0 * 39.0));
  EXPECT_EQ(m.firstDifferingIndex, 2);
  EXPECT_EQ(m.differing, 2);
  EXPECT_EQ(m.argmaxAgreement, 0);
  EXPECT_EQ(m.minB, 1);
  EXPECT_EQ(m.maxB, 5);
  EXPECT_FALSE(m.withinTolerance());
}

TEST(Metrics, EqualTensorsAreExactlyEqual) {
  std::mt19937 random(1);
  Tensor a(DType::F32, {100, 77});
  for (int64_t i = 0; i < a.size(); ++i)
    a.data<float>()[i] = float(int(random() % 2001) - 1000) / 7;
  Metrics m = measure(a, a.clone());
  EXPECT_EQ(m.maxAbs, 0);
  EXPECT_EQ(m.rmse, 0);
  EXPECT_EQ(m.cosine, 1);
  EXPECT_EQ(m.maxAbsIndex, -1);
  EXPECT_EQ(m.firstDifferingIndex, -1);
  EXPECT_EQ(m.argmaxAgreement, 1);
  EXPECT_TRUE(m.withinTolerance());
  EXPECT_TRUE(measure(tensorOf<float>({-0.0f}), tensorOf<float>({0.0f}))
                  .withinTolerance());
}

TEST(Metrics, CosineOfZeroIsDefined) {
  Tensor zero = tensorOf<float>({0, 0}), one = tensorOf<float>({0, 1});
  EXPECT_EQ(measure(zero, zero).cosine, 1);
  EXPECT_EQ(measure(zero, one).cosine, 0);
  EXPECT_EQ(measure(one, zero).cosine, 0);
  EXPECT_EQ(measure(one, tensorOf<float>({0, -3})).cosine, -1);
  Tensor empty(DType::F32, {0, 3});
  Metrics m = measure(empty, empty);
  EXPECT_EQ(m.cosine, 1);
  EXPECT_EQ(m.argmaxAgreement, 1);
  EXPECT_TRUE(m.withinTolerance());
}

TEST(Metrics, ToleranceIsRelativeToB) {
  Tensor a = tensorOf<double>({1, 110}), b = tensorOf<double>({0, 100});
  EXPECT_EQ(measure(a, b, {1, 0.09}).differing, 0);
  EXPECT_EQ(measure(a, b, {0.5, 0.1}).firstDifferingIndex, 0);
  EXPECT_EQ(measure(a, b, {1, 0.08}).firstDifferingIndex, 1);
  EXPECT_EQ(measure(a, b, {nan, 0}).differing, 2);
  EXPECT_EQ(measure(a, b, {inf, 0}).differing, 0);
}

TEST(Metrics, NanOnOneSideFails) {
  for (bool left : {true, false}) {
    Tensor with = tensorOf<float>({1, float(nan), 3}),
           without = tensorOf<float>({1, 2, 3});
    Metrics m = left ? measure(with, without, {inf, inf})
                     : measure(without, with, {inf, inf});
    EXPECT_EQ(m.nanA, left);
    EXPECT_EQ(m.nanB, !left);
    EXPECT_EQ(m.unordered, 1);
    EXPECT_EQ(m.differing, 1);
    EXPECT_EQ(m.firstDifferingIndex, 1);
    EXPECT_EQ(m.measured, 2);
    EXPECT_FALSE(m.withinTolerance());
    expectNoNan(m);
  }
}

TEST(Metrics, AllNanIsNotAgreement) {
  Tensor bad = tensorOf<float>({float(nan), float(nan)});
  Metrics m = measure(bad, tensorOf<float>({1, 2}));
  EXPECT_EQ(m.unordered, 2);
  EXPECT_EQ(m.measured, 0);
  EXPECT_EQ(m.cosine, 0);
  expectNoNan(m);
  Metrics same = measure(bad, bad.clone());
  EXPECT_TRUE(same.withinTolerance());
  EXPECT_EQ(same.nanA, 2);
  EXPECT_EQ(same.nanB, 2);
  expectNoNan(same);
}

TEST(Metrics, InfinityEqualsOnlyItself) {
  Metrics same = measure(tensorOf<float>({float(inf), -float(inf), 1}),
                         tensorOf<float>({float(inf), -float(inf), 1}));
  EXPECT_TRUE(same.withinTolerance());
  EXPECT_EQ(same.infA, 2);
  EXPECT_EQ(same.infB, 2);
  EXPECT_EQ(same.maxAbs, 0);
  EXPECT_EQ(same.minB, -inf);
  for (auto [a, b] : {std::pair(inf, -inf), {inf, 1.0}, {1.0, -inf}}) {
    Metrics m =
        measure(tensorOf<double>({0, a}), tensorOf<double>({0, b}), {0, inf});
    EXPECT_EQ(m.differing, 1);
    EXPECT_EQ(m.maxAbs, inf);
    EXPECT_EQ(m.rmse, inf);
    EXPECT_EQ(m.maxAbsIndex, 1);
    EXPECT_EQ(m.unordered, 0);
    expectNoNan(m);
  }
}

TEST(Metrics, LargeIntegersAreExact) {
  int64_t big = (int64_t(1) << 53);
  Metrics m = measure(tensorOf<int64_t>({big}), tensorOf<int64_t>({big + 1}));
  EXPECT_EQ(m.maxAbs, 1);
  EXPECT_EQ(m.differing, 1);
  uint64_t top = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(
      measure(tensorOf<uint64_t>({top}), tensorOf<uint64_t>({top - 1})).maxAbs,
      1);
  EXPECT_EQ(
      measure(tensorOf<int64_t>({-1}), tensorOf<uint64_t>({top})).differing, 1);
  EXPECT_EQ(measure(tensorOf<int64_t>({big + 1}), tensorOf<double>({0x1p53}))
                .differing,
            1);
  // The largest of a row differs only beyond the precision of a double.
  EXPECT_EQ(measure(tensorOf<int64_t>({big, big + 1}),
                    tensorOf<int64_t>({big + 1, big}))
                .argmaxAgreement,
            0);
}

TEST(Metrics, ExtremesOfDoubleNeitherOverflowNorVanish) {
  for (double scale : {1e300, 1e-300, 5e-324, 1e-160, 1e155}) {
    Metrics m = measure(tensorOf<double>({3 * scale, 4 * scale}),
                        tensorOf<double>({4 * scale, 3 * scale}));
    EXPECT_NEAR(m.cosine, 24.0 / 25, 1e-12) << scale;
    EXPECT_DOUBLE_EQ(m.rmse, scale) << scale;
    EXPECT_DOUBLE_EQ(m.meanAbs, scale) << scale;
    expectNoNan(m);
  }
  double top = std::numeric_limits<double>::max();
  Metrics m = measure(tensorOf<double>({top, 1}), tensorOf<double>({-top, 1}));
  EXPECT_EQ(m.maxAbs, inf);
  EXPECT_EQ(m.cosine, -1);
  expectNoNan(m);
}

TEST(Metrics, AnyPairOfTypes) {
  for (int typeA = 0; typeA <= int(DType::Bool); ++typeA)
    for (int typeB = 0; typeB <= int(DType::Bool); ++typeB) {
      Tensor a(DType(typeA), {2}), b(DType(typeB), {2});
      dispatch(a.dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        a.data<T>()[1] = T(1);
      });
      dispatch(b.dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        b.data<T>()[0] = b.data<T>()[1] = T(1);
      });
      Metrics m = measure(a, b);
      EXPECT_EQ(m.maxAbs, 1);
      EXPECT_EQ(m.differing, 1);
      EXPECT_EQ(m.firstDifferingIndex, 0);
      EXPECT_EQ(m.minB, 1);
    }
  uint8_t bytes[] = {0, 2};
  Tensor odd(DType::Bool, {2}, bytes);
  EXPECT_TRUE(measure(odd, tensorOf<float>({0, 1})).withinTolerance());
}

TEST(Metrics, ArgmaxPerRow) {
  Tensor a = tensorOf<float>({1, 2, 9, 0, 5, 5, float(nan), 1}, {4, 2});
  Tensor b = tensorOf<float>({0, 7, 0, 9, 5, 5, 2, 1}, {4, 2});
  // Rows: same, different, a tie that the first wins, NaN counts as largest.
  EXPECT_EQ(measure(a, b).argmaxAgreement, 0.75);
  // A row longer than a block.
  Tensor longA(DType::U8, {2, 10000}), longB(DType::U8, {2, 10000});
  longA.data<uint8_t>()[9999] = longB.data<uint8_t>()[9999] = 1;
  longA.data<uint8_t>()[10005] = longB.data<uint8_t>()[19000] = 1;
  EXPECT_EQ(measure(longA, longB).argmaxAgreement, 0.5);
  EXPECT_EQ(
      measure(Tensor(DType::F32, {}), Tensor(DType::F32, {})).argmaxAgreement,
      1);
}

TEST(Metrics, SameBitsWithAnyNumberOfThreads) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  Tensor a(DType::F32, {1237, 331}), b(DType::F32, {1237, 331});
  for (int64_t i = 0; i < a.size(); ++i) {
    a.data<float>()[i] = normal(random);
    b.data<float>()[i] = a.data<float>()[i] + 1e-3f * normal(random);
  }
  auto run = [&](int threads) {
    setThreadCount(threads);
    return measure(a, b, {1e-3, 0});
  };
  Metrics one = run(1);
  for (int threads : {2, 3, 5, 8}) {
    Metrics many = run(threads);
    EXPECT_EQ(std::memcmp(&one, &many, sizeof(Metrics)), 0) << threads;
  }
  setThreadCount(hardwareThreads());
  EXPECT_GT(one.differing, 0);
  EXPECT_LT(one.differing, one.count);
}

TEST(Metrics, ShapesMustAgree) {
  EXPECT_THROW(measure(Tensor(DType::F32, {2, 3}), Tensor(DType::F32, {3, 2})),
               Error);
  EXPECT_THROW(measure(Tensor(DType::F32, {}), Tensor(DType::F32, {1})), Error);
}

TEST(ErrorOfRange, IsAPartOfTheRange) {
  EXPECT_EQ(errorOfRange(0, 1, 3), 0);
  EXPECT_DOUBLE_EQ(errorOfRange(0.5, 1, 3), 0.25);
  // A single value has its magnitude, and zero only the error itself.
  EXPECT_DOUBLE_EQ(errorOfRange(0.5, -2, -2), 0.25);
  EXPECT_DOUBLE_EQ(errorOfRange(0.5, 0, 0), 0.5);
}

TEST(ErrorOfRange, TheLastBitsOfANarrowRangeAreNoError) {
  // Two probabilities of one half, one of them a bit off.
  double bit = 0.5 * 1.2e-7;
  EXPECT_LT(errorOfRange(bit, 0.5, 0.5 + bit), 1e-6);
  EXPECT_GT(errorOfRange(1e-5, 0.5, 0.5 + bit), 1);
}

} // namespace
