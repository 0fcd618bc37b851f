//===- ReduceTest.cpp - Tests of the reducing kernels ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every reduction over every subset of axes against a naive walk in double,
// and the edge cases: no elements, no axes, NaN, ties and threads.
//===----------------------------------------------------------------------===//
#include "KernelTestSupport.h"

#include "parallax/Backend/Kernels/Scan.h"
#include "parallax/Backend/Reference/Kernels/Reduce.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <map>

using namespace parallax;
using namespace parallax::test;
namespace k = parallax::kernels;
using k::ReduceKind;

namespace {

double naive(ReduceKind kind, const std::vector<double> &values) {
  double sum = 0, abs = 0, square = 0, product = 1, exps = 0;
  double high = -INFINITY, low = INFINITY;
  for (double v : values) {
    sum += v;
    abs += std::fabs(v);
    square += v * v;
    product *= v;
    exps += std::exp(v);
    high = std::max(high, v);
    low = std::min(low, v);
  }
  switch (kind) {
  case ReduceKind::Sum:
    return sum;
  case ReduceKind::Mean:
    return sum / double(values.size());
  case ReduceKind::Max:
    return high;
  case ReduceKind::Min:
    return low;
  case ReduceKind::Prod:
    return product;
  case ReduceKind::L1:
    return abs;
  case ReduceKind::L2:
    return std::sqrt(square);
  case ReduceKind::LogSum:
    return std::log(sum);
  case ReduceKind::LogSumExp:
    return std::log(exps);
  case ReduceKind::SumSquare:
    return square;
  }
  return 0;
}

template <typename T>
void expectReduction(ReduceKind kind, const Tensor &x, const Shape &axes) {
  Shape out = x.shape();
  for (int64_t axis : axes)
    out[axis] = 1;
  std::vector<std::vector<double>> groups(size_t(elementCount(out)));
  int64_t linear = 0;
  forEachIndex(x.shape(), [&](const Shape &index) {
    groups[offsetOf(out, index)].push_back(double(x.data<T>()[linear++]));
  });
  Tensor y(x.dtype(), out);
  k::reduce(kind, x, y, axes);
  for (size_t i = 0; i < groups.size(); ++i) {
    double expected = naive(kind, groups[i]);
    if constexpr (std::is_integral_v<T>)
      ASSERT_EQ(y.data<T>()[i], T(expected)) << int(kind);
    else
      ASSERT_NEAR(y.data<T>()[i], expected, 2e-7 * std::fabs(expected) + 1e-9)
          << int(kind) << " over " << toString(axes) << " of "
          << toString(x.shape());
  }
}

template <typename T>
void expectAllReductions(const Shape &shape, double lo, double hi) {
  Tensor x = random<T>(shape, lo, hi);
  for (int kind = 0; kind < k::reduceKindCount; ++kind)
    for (unsigned subset = 0; subset < (1u << shape.size()); ++subset) {
      Shape axes;
      for (size_t axis = 0; axis < shape.size(); ++axis)
        if (subset >> axis & 1)
          axes.push_back(int64_t(axis));
      expectReduction<T>(ReduceKind(kind), x, axes);
    }
}

TEST(ReduceTest, EverySubsetOfAxes) {
  expectAllReductions<float>({3, 4, 5, 6}, 0.5, 1.5);
  expectAllReductions<float>({2, 300, 3}, 0.99, 1.01);
  expectAllReductions<float>({7, 1, 530}, 0.99, 1.01);
  expectAllReductions<float>({}, 0.5, 1.5);
  expectAllReductions<double>({3, 4, 5}, 0.5, 1.5);
  expectAllReductions<int32_t>({2, 3, 4}, 1, 3.5);
  expectAllReductions<uint64_t>({2, 3, 2}, 1, 3.5);
  expectAllReductions<int8_t>({2, 2, 2}, 1, 2.5);
}

TEST(ReduceTest, NegativeNumbers) {
  Tensor x = tensorOf<float>({2, 2}, {-1, 2, -3, 4}), y(DType::F32, {2});
  auto over1 = [&](ReduceKind kind) {
    k::reduce(kind, x, y, Shape{1});
    return valuesOf<float>(y);
  };
  using V = std::vector<float>;
  EXPECT_EQ(over1(ReduceKind::L1), (V{3, 7}));
  EXPECT_EQ(over1(ReduceKind::L2), (V{std::sqrt(5.0f), 5}));
  EXPECT_EQ(over1(ReduceKind::Prod), (V{-2, -12}));
  EXPECT_EQ(over1(ReduceKind::Min), (V{-1, -3}));
  Tensor ints = tensorOf<int32_t>({4}, {-7, -4, 2, 1}), z(DType::I32, {});
  k::reduce(ReduceKind::Mean, ints, z, Shape{0});
  EXPECT_EQ(*z.data<int32_t>(), -2);
  k::reduce(ReduceKind::L1, ints, z, Shape{0});
  EXPECT_EQ(*z.data<int32_t>(), 14);
}

TEST(ReduceTest, NoAxesLeaveTheElementFunction) {
  Tensor x = tensorOf<float>({3}, {-2, 3, 4}), y(DType::F32, {3});
  k::reduce(ReduceKind::Sum, x, y, {});
  EXPECT_EQ(valuesOf<float>(y), valuesOf<float>(x));
  k::reduce(ReduceKind::SumSquare, x, y, {});
  EXPECT_EQ(valuesOf<float>(y), (std::vector<float>{4, 9, 16}));
}

TEST(ReduceTest, NothingGivesTheNeutralElement) {
  Tensor x(DType::F32, {2, 0}), y(DType::F32, {2});
  const std::map<ReduceKind, float> expected{
      {ReduceKind::Sum, 0},
      {ReduceKind::Prod, 1},
      {ReduceKind::Max, -infinity},
      {ReduceKind::Min, infinity},
      {ReduceKind::L1, 0},
      {ReduceKind::L2, 0},
      {ReduceKind::SumSquare, 0},
      {ReduceKind::LogSum, -infinity},
      {ReduceKind::LogSumExp, -infinity}};
  for (auto [kind, value] : expected) {
    k::reduce(kind, x, y, Shape{1});
    EXPECT_EQ(valuesOf<float>(y), (std::vector<float>{value, value}));
  }
  k::reduce(ReduceKind::Mean, x, y, Shape{1});
  EXPECT_TRUE(std::isnan(y.data<float>()[0]));
  Tensor bytes(DType::I8, {0}), low(DType::I8, {});
  k::reduce(ReduceKind::Max, bytes, low, Shape{0});
  EXPECT_EQ(*low.data<int8_t>(), -128);
  Tensor none(DType::F32, {0, 3}), nothing(DType::F32, {0});
  k::reduce(ReduceKind::Sum, none, nothing, Shape{1});
}

TEST(ReduceTest, NaNAndInfinity) {
  for (int64_t length : {3, 50}) {
    Tensor x = random<float>({length, length}, -1, 1), y(DType::F32, {length});
    x.data<float>()[length + 1] = NAN;
    x.data<float>()[2] = -infinity;
    for (int64_t axis : {0, 1}) {
      k::reduce(ReduceKind::Max, x, y, Shape{axis});
      EXPECT_TRUE(std::isnan(y.data<float>()[1]));
      EXPECT_FALSE(std::isnan(y.data<float>()[0]));
      k::reduce(ReduceKind::Min, x, y, Shape{axis});
      EXPECT_TRUE(std::isnan(y.data<float>()[1]));
      EXPECT_EQ(y.data<float>()[axis == 0 ? 2 : 0], -infinity);
    }
  }
}

TEST(ReduceTest, LogSumExpIsStable) {
  Tensor x =
      tensorOf<float>({3, 2}, {1000, 1000, -1000, -1000, -infinity, -infinity});
  Tensor y(DType::F32, {3});
  k::reduce(ReduceKind::LogSumExp, x, y, Shape{1});
  EXPECT_FLOAT_EQ(y.data<float>()[0], 1000 + std::log(2.0f));
  EXPECT_FLOAT_EQ(y.data<float>()[1], -1000 + std::log(2.0f));
  EXPECT_EQ(y.data<float>()[2], -infinity);
  Tensor columns(DType::F32, {2});
  k::reduce(ReduceKind::LogSumExp, x, columns, Shape{0});
  EXPECT_EQ(columns.data<float>()[1], 1000);
}

TEST(ReduceTest, LargeSumsAreExactAndIndependentOfThreads) {
  Tensor x(DType::F32, {1 << 20});
  std::fill_n(x.data<float>(), x.size(), 0.1f);
  Tensor noise = random<float>({3, 100001}, -1, 1);
  std::vector<float> results[2];
  int before = threadCount();
  for (int threads : {1, 3}) {
    setThreadCount(threads);
    Tensor y(DType::F32, {});
    k::reduce(ReduceKind::Sum, x, y, Shape{0});
    EXPECT_EQ(*y.data<float>(), float(double(0.1f) * (1 << 20)));
    for (ReduceKind kind : {ReduceKind::Sum, ReduceKind::LogSumExp})
      for (const Shape &axes : {Shape{0, 1}, Shape{1}, Shape{0}}) {
        Tensor z(DType::F32, axes.size() == 2 ? Shape{}
                             : axes[0] == 1   ? Shape{3}
                                              : Shape{100001});
        k::reduce(kind, noise, z, axes);
        auto values = valuesOf<float>(z);
        auto &all = results[threads == 3];
        all.insert(all.end(), values.begin(), values.end());
      }
  }
  setThreadCount(before);
  EXPECT_EQ(results[0], results[1]);
}

TEST(ReduceTest, BoolAndWideIntegers) {
  Tensor x = tensorOf<bool>({2, 2}, {true, false, true, true}),
         y(DType::Bool, {2});
  k::reduce(ReduceKind::Min, x, y, Shape{1});
  EXPECT_EQ(valuesOf<bool>(y), (std::vector<bool>{false, true}));
  constexpr int64_t large = (int64_t(1) << 60) + 1;
  Tensor wide = tensorOf<int64_t>({2}, {large, 1}), sum(DType::I64, {});
  k::reduce(ReduceKind::Sum, wide, sum, Shape{0});
  EXPECT_EQ(*sum.data<int64_t>(), large + 1);
  Tensor half(DType::F16, {1});
  EXPECT_THROW(k::reduce(ReduceKind::Sum, half, half, Shape{0}), Error);
}

TEST(ArgReduceTest, TiesAndNaN) {
  Tensor x = tensorOf<float>({2, 4}, {3, 1, 3, 1, 0, NAN, 5, NAN});
  Tensor y(DType::I64, {2});
  auto run = [&](bool isMax, bool last) {
    k::argReduce(isMax, x, y, 1, last);
    return valuesOf<int64_t>(y);
  };
  using V = std::vector<int64_t>;
  EXPECT_EQ(run(true, false), (V{0, 1}));
  EXPECT_EQ(run(true, true), (V{2, 3}));
  EXPECT_EQ(run(false, false), (V{1, 1}));
  EXPECT_EQ(run(false, true), (V{3, 3}));
}

TEST(ArgReduceTest, EveryAxis) {
  Tensor x = random<int32_t>({4, 5, 300}, -50, 50);
  for (int64_t axis : {0, 1, 2}) {
    Shape out = x.shape();
    out[axis] = 1;
    Tensor y(DType::I64, out);
    k::argReduce(false, x, y, axis, false);
    forEachIndex(out, [&](Shape index) {
      int64_t best = 0;
      auto at = [&](int64_t i) {
        index[axis] = i;
        return x.data<int32_t>()[offsetOf(x.shape(), index)];
      };
      for (int64_t i = 1; i < x.dim(axis); ++i)
        if (at(i) < at(best))
          best = i;
      ASSERT_EQ(y.data<int64_t>()[offsetOf(out, index)], best);
    });
  }
  Tensor none(DType::F32, {0}), y(DType::I64, {});
  EXPECT_THROW(k::argReduce(true, none, y, 0, false), Error);
}

TEST(TopKTest, OrderTiesAndNaN) {
  Tensor x = tensorOf<float>({2, 5}, {1, 4, 4, NAN, 2, 0, -1, -1, 3, 3});
  Tensor values(DType::F32, {2, 3}), indices(DType::I64, {2, 3});
  k::topk(x, values, indices, 1, true, true);
  EXPECT_EQ(valuesOf<int64_t>(indices),
            (std::vector<int64_t>{3, 1, 2, 3, 4, 0}));
  EXPECT_EQ(values.data<float>()[1], 4);
  k::topk(x, values, indices, 1, false, true);
  EXPECT_EQ(valuesOf<int64_t>(indices),
            (std::vector<int64_t>{0, 4, 1, 1, 2, 0}));
  k::topk(x, values, indices, 1, true, false);
  std::vector<int64_t> chosen = valuesOf<int64_t>(indices);
  std::sort(chosen.begin(), chosen.begin() + 3);
  EXPECT_EQ(std::vector(chosen.begin(), chosen.begin() + 3),
            (std::vector<int64_t>{1, 2, 3}));
}

TEST(TopKTest, OuterAxisAndAllElements) {
  Tensor x = tensorOf<int64_t>({3, 2}, {1, 9, 5, 7, 3, 8});
  Tensor values(DType::I64, {3, 2}), indices(DType::I64, {3, 2});
  k::topk(x, values, indices, 0, true, true);
  EXPECT_EQ(valuesOf<int64_t>(values),
            (std::vector<int64_t>{5, 9, 3, 8, 1, 7}));
  EXPECT_EQ(valuesOf<int64_t>(indices),
            (std::vector<int64_t>{1, 0, 2, 2, 0, 1}));
  Tensor no(DType::I64, {0, 2}), noIndices(DType::I64, {0, 2});
  k::topk(x, no, noIndices, 0, true, true);
}

TEST(CumSumTest, ExclusiveAndReverse) {
  Tensor x = tensorOf<float>({2, 3}, {1, 2, 3, 4, 5, 6}), y(DType::F32, {2, 3});
  auto run = [&](int64_t axis, bool exclusive, bool reverse) {
    k::cumsum(x, y, axis, exclusive, reverse);
    return valuesOf<float>(y);
  };
  using V = std::vector<float>;
  EXPECT_EQ(run(1, false, false), (V{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(run(1, true, false), (V{0, 1, 3, 0, 4, 9}));
  EXPECT_EQ(run(1, false, true), (V{6, 5, 3, 15, 11, 6}));
  EXPECT_EQ(run(1, true, true), (V{5, 3, 0, 11, 6, 0}));
  EXPECT_EQ(run(0, false, false), (V{1, 2, 3, 5, 7, 9}));
  Tensor ints = tensorOf<int32_t>({3}, {5, -7, 2});
  k::cumsum(ints, ints, 0, false, false);
  EXPECT_EQ(valuesOf<int32_t>(ints), (std::vector<int32_t>{5, -2, 0}));
}

} // namespace
