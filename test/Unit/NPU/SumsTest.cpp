//===- SumsTest.cpp - C36a, C37a, C38a, C67, C68 --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Running sums, norms and logarithms of sums: bit for bit, and against real
// numbers within what the page states.
//===----------------------------------------------------------------------===//
#include "LiteralSums.h"
#include "NpuTestSupport.h"
#include "parallax/Backend/NPU/Kernels/Pool.h"
#include "parallax/Backend/NPU/Kernels/Reduce.h"

using namespace parallax;
using namespace parallax::npu;
using namespace parallax::npu::test;

namespace {

/// Calls fn(x type, y type, fill, seed) for all types and fills.
template <typename Fn> void forAllTypes(Fn fn) {
  uint64_t seed = 1;
  for (const CodeType &xType : codeTypes)
    for (const CodeType &yType : codeTypes)
      for (Fill fill : fills)
        fn(xType, yType, fill, seed++);
}

/// The scale of a result whose codes cover `reach` in about half of them.
float scaleWithHeadroom(const CodeType &type, double reach) {
  return float(reach / std::ldexp(1.0, type.bits - 1));
}

TEST(Sums, C37a_RunningSumsInBothDirections) {
  CoversCodes covers;
  for (int64_t axis : {0, 1, 2})
    for (int options = 0; options < 4; ++options)
      forAllTypes([&](const CodeType &xType, const CodeType &yType, Fill fill,
                      uint64_t seed) {
        Tie tie = ties[seed % 3];
        bool exclusive = options & 1, reverse = options & 2;
        Codes x =
            codesOf(xType, {3, 5, 7}, 0.02f, double(seed % 7) / 6, seed, fill);
        double reach = 0.02 * std::ldexp(1.0, xType.bits);
        Codes y = codesOf(yType, x.dims, scaleWithHeadroom(yType, reach),
                          double(seed % 5) / 4);
        literal::cumSum(x, axis, exclusive, reverse, y, tie);
        Tensor from = toTensor(x);
        Multiplier m = sumMultiplier(SumKind::Sum, x.scale, y.scale, 1);
        expectBits(y, [&](Tensor &to) {
          cumSum(from, x.zero, to, {axis, exclusive, reverse}, m,
                 outputOf(y, tie));
        });
      });
}

TEST(Sums, C38a_EuclideanNormsAreRoundedOnce) {
  CoversCodes covers;
  for (const Shape &axes : {Shape{0}, Shape{2}, Shape{0, 1}, Shape{0, 1, 2}})
    forAllTypes([&](const CodeType &xType, const CodeType &yType, Fill fill,
                    uint64_t seed) {
      Tie tie = ties[seed % 3];
      Codes x =
          codesOf(xType, {4, 3, 6}, 0.02f, double(seed % 7) / 6, seed, fill);
      Shape dims;
      for (int64_t axis = 0; axis < 3; ++axis)
        if (std::find(axes.begin(), axes.end(), axis) == axes.end())
          dims.push_back(x.dims[size_t(axis)]);
      double reach = 0.03 * std::ldexp(1.0, xType.bits);
      Codes y = codesOf(yType, dims, scaleWithHeadroom(yType, reach),
                        double(seed % 5) / 4);
      literal::euclideanNorm(x, axes, y, tie);
      Tensor from = toTensor(x);
      Multiplier m = sumMultiplier(SumKind::L2, x.scale, y.scale, 1);
      expectBits(y, [&](Tensor &to) {
        reduceSum(SumKind::L2, from, x.zero, to, axes, m, outputOf(y, tie));
      });
      std::vector<double> squares(y.values.size());
      for (size_t o = 0; o < squares.size(); ++o)
        for (int64_t i = 0; i < elementCount(x.dims); ++i) {
          int64_t place = 0;
          Shape at{i / 18, i / 6 % 3, i % 6};
          for (int64_t axis = 0; axis < 3; ++axis)
            if (std::find(axes.begin(), axes.end(), axis) == axes.end())
              place = place * x.dims[size_t(axis)] + at[size_t(axis)];
          if (place == int64_t(o))
            squares[o] += valueAt(x, i) * valueAt(x, i);
        }
      for (double &value : squares)
        value = std::sqrt(value);
      EXPECT_LE(worstDistance(y, squares), 1);
    });
}

TEST(Sums, C38a_RootsOfAllMagnitudes) {
  Random random(1);
  for (int bits = 0; bits < 118; ++bits)
    for (int i = 0; i < 50; ++i) {
      Int128 value = Int128(random.next()) << 64 | Int128(random.next());
      value = (value & ((Int128(1) << bits) - 1)) | (Int128(1) << bits);
      Int128 root = rootOf(value);
      ASSERT_LE(root * root, value);
      ASSERT_GT((root + 1) * (root + 1), value);
      ASSERT_EQ(rootOf(root * root), root);
      ASSERT_EQ(rootOf(root * root + 2 * root), root);
    }
  EXPECT_EQ(rootOf(0), 0);
}

TEST(Sums, C36a_NormsOfWindows) {
  CoversCodes covers;
  kernels::PoolParams params{{3, 2}, {2, 1}, {1, 2}, {1, 0}, {1, 1}};
  for (int p : {1, 2})
    forAllTypes([&](const CodeType &xType, const CodeType &yType, Fill fill,
                    uint64_t seed) {
      Tie tie = ties[seed % 3];
      Codes x =
          codesOf(xType, {2, 3, 7, 6}, 0.02f, double(seed % 7) / 6, seed, fill);
      double reach = 0.015 * std::ldexp(1.0, xType.bits) * (p == 1 ? 3 : 1);
      Codes y = codesOf(yType, {2, 3, 4, 5}, scaleWithHeadroom(yType, reach),
                        double(seed % 5) / 4);
      literal::lpPool(x,
                      {params.kernel, params.strides, params.dilations,
                       params.padsBegin, params.padsEnd, false},
                      p, y, tie);
      Tensor from = toTensor(x);
      Multiplier m = sumMultiplier(SumKind::L1, x.scale, y.scale, 1);
      expectBits(y, [&](Tensor &to) {
        lpPool(from, x.zero, to, params, p == 2, m, outputOf(y, tie));
      });
    });
}

TEST(Sums, C67_C68_LogarithmsOfSums) {
  CoversCodes covers;
  for (bool isExp : {false, true})
    for (const Shape &axes : {Shape{1}, Shape{0, 1}})
      forAllTypes([&](const CodeType &xType, const CodeType &yType, Fill fill,
                      uint64_t seed) {
        Tie tie = ties[seed % 3];
        auto xScale = float(6 / std::ldexp(1.0, xType.bits));
        Codes x =
            codesOf(xType, {5, 9}, xScale, double(seed % 4) / 4, seed, fill);
        Codes y = codesOf(yType, axes.size() == 1 ? Shape{5} : Shape{},
                          scaleWithHeadroom(yType, 3), double(seed % 5) / 4);
        literal::logSum(x, axes, isExp, y, tie);
        Tensor from = toTensor(x);
        LogSumTables tables = logSumTables(x.scale, y.scale);
        if (isExp) {
          tables = {};
          static_cast<LogSoftmaxTables &>(tables) =
              logSoftmaxTables(xType.dtype, x.scale, y.scale);
        }
        expectBits(y, [&](Tensor &to) {
          reduceLog(from, x.zero, to, axes, tables, outputOf(y, tie));
        });
        std::vector<double> real;
        int64_t rows = int64_t(y.values.size()), length = 45 / rows;
        for (int64_t row = 0; row < rows; ++row) {
          double sum = 0;
          for (int64_t i = row * length; i < (row + 1) * length; ++i)
            sum += isExp ? std::exp(valueAt(x, i)) : valueAt(x, i);
          real.push_back(sum > 0 ? std::log(sum) : -1e6);
        }
        EXPECT_LE(worstDistance(y, real), 1)
            << isExp << " " << xType.bits << " " << yType.bits;
      });
}

} // namespace
