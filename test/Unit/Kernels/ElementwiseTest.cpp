//===- ElementwiseTest.cpp - Tests of the element-wise kernels ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Broadcasting against naive index arithmetic, and the semantics of the binary
// operators, Where, Clip and Cast at the edges of their types.
//===----------------------------------------------------------------------===//
#include "KernelTestSupport.h"

#include "parallax/Backend/Kernels/Elementwise.h"
#include "parallax/Support/Error.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace parallax;
using namespace parallax::test;
namespace k = parallax::kernels;
using k::BinaryKind;
using k::UnaryKind;

namespace {

template <typename T, typename R = T>
std::vector<R> binaryOf(BinaryKind kind, const std::vector<T> &a,
                        const std::vector<T> &b) {
  Tensor x = tensorOf<T>({int64_t(a.size())}, a);
  Tensor z = tensorOf<T>({int64_t(b.size())}, b);
  Tensor y(dtypeOf<R>(), {int64_t(std::max(a.size(), b.size()))});
  k::binary(kind, x, z, y);
  return valuesOf<R>(y);
}

TEST(BinaryTest, BroadcastingMatchesIndexArithmetic) {
  const std::array<Shape, 3> cases[] = {
      {{{}, {}, {}}},
      {{{7}, {}, {7}}},
      {{{}, {2, 3}, {2, 3}}},
      {{{2, 3, 4}, {2, 3, 4}, {2, 3, 4}}},
      {{{2, 3, 40}, {3, 1}, {2, 3, 40}}},
      {{{5, 1}, {1, 6}, {5, 6}}},
      {{{1, 100}, {50, 1}, {50, 100}}},
      {{{500, 3}, {3}, {500, 3}}},
      {{{500, 3}, {500, 1}, {500, 3}}},
      {{{2, 1, 5, 1}, {3, 1, 7}, {2, 3, 5, 7}}},
      {{{4, 8, 16, 16}, {1, 8, 1, 1}, {4, 8, 16, 16}}},
      {{{1, 8, 1, 1}, {4, 8, 40, 40}, {4, 8, 40, 40}}},
      {{{0, 3}, {1, 3}, {0, 3}}},
      {{{1, 1}, {1}, {1, 1}}},
      {{{40000}, {1}, {40000}}},
  };
  for (const auto &[aShape, bShape, shape] : cases) {
    Tensor a = random<float>(aShape, -1, 1), b = random<float>(bShape, 5, 9);
    Tensor y(DType::F32, shape);
    k::binary(BinaryKind::Sub, a, b, y);
    int64_t linear = 0, wrong = 0;
    forEachIndex(shape, [&](const Shape &index) {
      float expected = a.data<float>()[offsetOf(aShape, index)] -
                       b.data<float>()[offsetOf(bShape, index)];
      wrong += y.data<float>()[linear++] != expected;
    });
    EXPECT_EQ(wrong, 0) << toString(aShape) << " - " << toString(bShape);
    Tensor less(DType::Bool, shape);
    k::binary(BinaryKind::Less, a, b, less);
    for (int64_t i = 0; i < less.size(); ++i)
      ASSERT_TRUE(less.data<bool>()[i]);
  }
}

TEST(BinaryTest, OutputMayBeAnInput) {
  Tensor a = iota<float>({1000}), b = iota<float>({1000});
  k::binary(BinaryKind::Add, a, b, a);
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(a.data<float>()[i], 2.0f * i);
}

TEST(BinaryTest, IntegerDivisionNeverTraps) {
  constexpr int32_t low = std::numeric_limits<int32_t>::min();
  using V = std::vector<int32_t>;
  V a{7, -7, 7, -7, 5, low, low, 6}, b{2, 2, -2, -2, 0, -1, 0, 3};
  EXPECT_EQ(binaryOf(BinaryKind::Div, a, b), (V{3, -3, -3, 3, 0, low, 0, 2}));
  EXPECT_EQ(binaryOf(BinaryKind::Mod, a, b), (V{1, 1, -1, -1, 0, 0, 0, 0}));
  EXPECT_EQ(binaryOf(BinaryKind::Fmod, a, b), (V{1, -1, 1, -1, 0, 0, 0, 0}));
  EXPECT_EQ(binaryOf<uint8_t>(BinaryKind::Mod, {200, 7}, {0, 4}),
            (std::vector<uint8_t>{0, 3}));
  EXPECT_EQ(binaryOf<int8_t>(BinaryKind::Div, {-128, 100}, {-1, 7}),
            (std::vector<int8_t>{-128, 14}));
}

TEST(BinaryTest, FloatModulo) {
  using V = std::vector<float>;
  V a{5.5f, -5.5f, 5.5f, -5.5f}, b{2, 2, -2, -2};
  EXPECT_EQ(binaryOf(BinaryKind::Fmod, a, b), (V{1.5f, -1.5f, 1.5f, -1.5f}));
  EXPECT_EQ(binaryOf(BinaryKind::Mod, a, b), (V{1.5f, 0.5f, -0.5f, -1.5f}));
}

TEST(BinaryTest, IntegersWrap) {
  EXPECT_EQ(binaryOf<uint8_t>(BinaryKind::Add, {250, 1}, {10, 2}),
            (std::vector<uint8_t>{4, 3}));
  EXPECT_EQ(binaryOf<uint16_t>(BinaryKind::Mul, {65535}, {65535}),
            (std::vector<uint16_t>{1}));
  constexpr int64_t top = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(binaryOf<int64_t>(BinaryKind::Add, {top}, {1}),
            (std::vector<int64_t>{std::numeric_limits<int64_t>::min()}));
  EXPECT_EQ(binaryOf<uint32_t>(BinaryKind::Sub, {3}, {5}),
            (std::vector<uint32_t>{0xfffffffeu}));
}

TEST(BinaryTest, MinAndMaxPropagateNaN) {
  std::vector<float> a{1, NAN, 3, infinity, -infinity}, b{2, 2, NAN, 5, 5};
  auto low = binaryOf(BinaryKind::Min, a, b);
  auto high = binaryOf(BinaryKind::Max, a, b);
  for (const auto &result : {low, high}) {
    EXPECT_TRUE(std::isnan(result[1]));
    EXPECT_TRUE(std::isnan(result[2]));
  }
  EXPECT_EQ(low[0], 1);
  EXPECT_EQ(high[0], 2);
  EXPECT_EQ(low[3], 5);
  EXPECT_EQ(high[3], infinity);
  EXPECT_EQ(low[4], -infinity);
}

TEST(BinaryTest, ComparisonsOfEveryKind) {
  std::vector<float> a{1, 2, 3, NAN}, b{2, 2, 2, NAN};
  using V = std::vector<bool>;
  auto compare = [&](BinaryKind kind) {
    return binaryOf<float, bool>(kind, a, b);
  };
  EXPECT_EQ(compare(BinaryKind::Equal), (V{false, true, false, false}));
  EXPECT_EQ(compare(BinaryKind::Greater), (V{false, false, true, false}));
  EXPECT_EQ(compare(BinaryKind::GreaterOrEqual), (V{false, true, true, false}));
  EXPECT_EQ(compare(BinaryKind::Less), (V{true, false, false, false}));
  EXPECT_EQ(compare(BinaryKind::LessOrEqual), (V{true, true, false, false}));
  EXPECT_EQ(
      (binaryOf<bool, bool>(BinaryKind::Equal, {true, false}, {true, true})),
      (V{true, false}));
  constexpr uint64_t large = uint64_t(1) << 63;
  EXPECT_EQ((binaryOf<uint64_t, bool>(BinaryKind::Greater, {large}, {1})),
            (V{true}));
}

TEST(BinaryTest, LogicAndBits) {
  std::vector<bool> a{false, false, true, true}, b{false, true, false, true};
  using V = std::vector<bool>;
  EXPECT_EQ(binaryOf(BinaryKind::And, a, b), (V{false, false, false, true}));
  EXPECT_EQ(binaryOf(BinaryKind::Or, a, b), (V{false, true, true, true}));
  EXPECT_EQ(binaryOf(BinaryKind::Xor, a, b), (V{false, true, true, false}));
  using U = std::vector<uint8_t>;
  EXPECT_EQ(binaryOf<uint8_t>(BinaryKind::And, {12}, {10}), U{8});
  EXPECT_EQ(binaryOf<uint8_t>(BinaryKind::BitShiftLeft, {3, 3, 255}, {1, 8, 4}),
            (U{6, 0, 240}));
  EXPECT_EQ(binaryOf<uint8_t>(BinaryKind::BitShiftRight, {200, 200}, {3, 200}),
            (U{25, 0}));
  EXPECT_THROW(binaryOf<float>(BinaryKind::And, {1}, {1}), Error);
}

TEST(BinaryTest, PowTakesExponentsOfOtherTypes) {
  auto power = [](Tensor base, const Tensor &exponent) {
    Tensor y(base.dtype(), base.shape());
    k::binary(BinaryKind::Pow, base, exponent, y);
    return y;
  };
  Tensor floats = tensorOf<float>({3}, {2, -3, 4});
  EXPECT_EQ(valuesOf<float>(power(floats, tensorOf<int64_t>({}, {3}))),
            (std::vector<float>{8, -27, 64}));
  EXPECT_EQ(valuesOf<float>(power(floats, tensorOf<float>({1}, {2}))),
            (std::vector<float>{4, 9, 16}));
  auto roots = valuesOf<float>(power(floats, tensorOf<double>({}, {0.5})));
  EXPECT_EQ(roots[0], std::sqrt(2.0f));
  EXPECT_TRUE(std::isnan(roots[1]));
  Tensor ints = tensorOf<int32_t>({5}, {2, -3, 0, 1, -1});
  EXPECT_EQ(valuesOf<int32_t>(power(ints, tensorOf<int32_t>({}, {5}))),
            (std::vector<int32_t>{32, -243, 0, 1, -1}));
  EXPECT_EQ(valuesOf<int32_t>(power(ints, tensorOf<int64_t>({}, {-2}))),
            (std::vector<int32_t>{0, 0, 0, 1, 1}));
  EXPECT_EQ(valuesOf<int32_t>(power(ints, tensorOf<float>({}, {2.5f})))[0], 5);
  EXPECT_EQ(valuesOf<int64_t>(power(tensorOf<int64_t>({1}, {3}),
                                    tensorOf<int64_t>({1}, {39}))),
            (std::vector<int64_t>{4052555153018976267}));
}

TEST(BinaryTest, PReluUsesTheSlopeBelowZero) {
  EXPECT_EQ(binaryOf<float>(BinaryKind::PRelu, {-2, 3, -4}, {0.5f, 9, 2}),
            (std::vector<float>{-1, 3, -8}));
  EXPECT_EQ(binaryOf<int32_t>(BinaryKind::PRelu, {-2, 3}, {5}),
            (std::vector<int32_t>{-10, 3}));
}

TEST(WhereTest, BroadcastsAllThree) {
  const std::array<Shape, 4> cases[] = {
      {{{}, {3}, {3}, {3}}},
      {{{2, 1}, {3}, {}, {2, 3}}},
      {{{50, 60}, {60}, {50, 1}, {50, 60}}},
      {{{50, 60}, {}, {1, 1}, {50, 60}}},
      {{{40, 1}, {40, 64}, {64}, {40, 64}}},
      {{{1, 64}, {}, {40, 64}, {40, 64}}},
      {{{0}, {1}, {1}, {0}}},
  };
  for (const auto &[c, aShape, bShape, shape] : cases) {
    Tensor chance = random<float>(c, 0, 1), cond(DType::Bool, c);
    for (int64_t i = 0; i < cond.size(); ++i)
      cond.data<bool>()[i] = chance.data<float>()[i] < 0.5f;
    Tensor a = iota<double>(aShape), b = random<double>(bShape, -9, -1);
    Tensor y(DType::F64, shape);
    k::where(cond, a, b, y);
    int64_t linear = 0;
    forEachIndex(shape, [&](const Shape &index) {
      ASSERT_EQ(y.data<double>()[linear++],
                cond.data<bool>()[offsetOf(c, index)]
                    ? a.data<double>()[offsetOf(aShape, index)]
                    : b.data<double>()[offsetOf(bShape, index)]);
    });
  }
}

template <typename T>
std::vector<T> clipped(const std::vector<T> &values, double lo, double hi) {
  Tensor x = tensorOf<T>({int64_t(values.size())}, values);
  k::clip(x, x, lo, hi);
  return valuesOf<T>(x);
}

TEST(ClipTest, BoundsSaturate) {
  auto floats = clipped<float>({-2, 0.5f, 7, NAN, infinity}, -1, 6);
  EXPECT_EQ(floats[0], -1);
  EXPECT_EQ(floats[1], 0.5f);
  EXPECT_EQ(floats[2], 6);
  EXPECT_TRUE(std::isnan(floats[3]));
  EXPECT_EQ(floats[4], 6);
  EXPECT_EQ(clipped<float>({3}, 5, 1), std::vector<float>{1});
  constexpr int64_t low = std::numeric_limits<int64_t>::min();
  constexpr int64_t top = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(clipped<int64_t>({low, top, 3}, -INFINITY, INFINITY),
            (std::vector<int64_t>{low, top, 3}));
  EXPECT_EQ(clipped<int64_t>({low, top}, -0x1p63, 0x1p63),
            (std::vector<int64_t>{low, top}));
  constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(clipped<uint64_t>({0, most}, -5, 0x1p64),
            (std::vector<uint64_t>{0, most}));
  EXPECT_EQ(clipped<uint8_t>({0, 100, 255}, 10, 1e9),
            (std::vector<uint8_t>{10, 100, 255}));
  EXPECT_EQ(clipped<int8_t>({-128, 127}, -1000, 5),
            (std::vector<int8_t>{-128, 5}));
}

template <typename To, typename From>
std::vector<To> castOf(const std::vector<From> &values, bool saturate = true) {
  Tensor x = tensorOf<From>({int64_t(values.size())}, values);
  Tensor y(dtypeOf<To>(), x.shape());
  k::cast(x, y, saturate);
  return valuesOf<To>(y);
}

TEST(CastTest, FloatsToIntegers) {
  std::vector<float> values{1.9f, -1.9f,    300,       -300,
                            NAN,  infinity, -infinity, 0x1p63f};
  EXPECT_EQ(castOf<int8_t>(values),
            (std::vector<int8_t>{1, -1, 127, -128, 0, 127, -128, 127}));
  EXPECT_EQ(castOf<uint8_t>(values),
            (std::vector<uint8_t>{1, 0, 255, 0, 0, 255, 0, 255}));
  constexpr int64_t low = std::numeric_limits<int64_t>::min();
  constexpr int64_t top = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(castOf<int64_t>(values),
            (std::vector<int64_t>{1, -1, 300, -300, 0, top, low, top}));
  EXPECT_EQ(castOf<uint64_t>(values)[7], uint64_t(1) << 63);
  EXPECT_EQ(castOf<uint8_t>(values, false),
            (std::vector<uint8_t>{1, 255, 44, 212, 0, 0, 0, 0}));
}

TEST(CastTest, IntegersWrapAndWiden) {
  EXPECT_EQ(castOf<uint8_t>(std::vector<int32_t>{-1, 256, 511}),
            (std::vector<uint8_t>{255, 0, 255}));
  EXPECT_EQ(castOf<int8_t>(std::vector<int64_t>{200}),
            (std::vector<int8_t>{-56}));
  EXPECT_EQ(castOf<double>(std::vector<uint64_t>{~uint64_t(0)})[0], 0x1p64);
  EXPECT_EQ(castOf<float>(std::vector<int64_t>{(1 << 24) + 1})[0], 0x1p24f);
}

TEST(CastTest, BoolAndHalves) {
  EXPECT_EQ(castOf<bool>(std::vector<float>{0, -0.0f, 0.1f, NAN}),
            (std::vector<bool>{false, false, true, true}));
  EXPECT_EQ(castOf<bool>(std::vector<int64_t>{0, int64_t(1) << 32}),
            (std::vector<bool>{false, true}));
  EXPECT_EQ(castOf<float>(std::vector<bool>{true, false}),
            (std::vector<float>{1, 0}));
  auto halves = castOf<Half>(std::vector<float>{1.5f, 1e6f});
  EXPECT_EQ(float(halves[0]), 1.5f);
  EXPECT_EQ(float(halves[1]), infinity);
  EXPECT_EQ(castOf<int32_t>(castOf<BFloat16>(std::vector<float>{-2.5f}))[0],
            -2);
}

} // namespace
