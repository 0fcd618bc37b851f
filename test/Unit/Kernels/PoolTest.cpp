//===- PoolTest.cpp - Pooling kernels -------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Values by hand for the edge rules, and a loop over all windows for the rest.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Pool.h"
#include "KernelTestSupport.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

using namespace parallax;
using namespace parallax::kernels;
using namespace parallax::test;

namespace {

PoolParams window(Shape kernel, Shape strides, Shape dilations, Shape begin,
                  Shape end) {
  PoolParams params;
  params.kernel = kernel;
  params.strides = strides;
  params.dilations = dilations;
  params.padsBegin = begin;
  params.padsEnd = end;
  return params;
}

PoolParams square(int64_t kernel, int64_t stride, int64_t pad) {
  return window({kernel, kernel}, {stride, stride}, {1, 1}, {pad, pad},
                {pad, pad});
}

Shape outputShape(const Tensor &x, const PoolParams &p, bool ceilMode) {
  Shape shape{x.dim(0), x.dim(1)};
  for (size_t i = 0; i < p.kernel.size(); ++i) {
    int64_t span = x.dim(i + 2) + p.padsBegin[i] + p.padsEnd[i] -
                   p.dilations[i] * (p.kernel[i] - 1) - 1;
    shape.push_back((span + (ceilMode ? p.strides[i] - 1 : 0)) / p.strides[i] +
                    1);
  }
  return shape;
}

/// What falls into one window: the values inside the image, and how many taps
/// lie inside the padded image.
struct Window {
  std::vector<double> values;
  std::vector<int64_t> positions;
  int64_t padded = 0;
};

/// Enumerates windows with one flat loop over taps and plain coordinates.
std::vector<Window> windowsOf(const Tensor &x, const Shape &out,
                              const PoolParams &p) {
  std::vector<Window> windows;
  size_t rank = p.kernel.size();
  for (int64_t o = 0; o < elementCount(out); ++o) {
    Window window;
    for (int64_t tap = 0; tap < elementCount(p.kernel); ++tap) {
      int64_t restOut = o, restTap = tap, position = 0, stride = 1;
      bool inside = true, padded = true;
      for (size_t i = rank; i-- > 0;) {
        int64_t at = restOut % out[i + 2] * p.strides[i] - p.padsBegin[i] +
                     restTap % p.kernel[i] * p.dilations[i];
        restOut /= out[i + 2];
        restTap /= p.kernel[i];
        inside &= at >= 0 && at < x.dim(i + 2);
        padded &= at < x.dim(i + 2) + p.padsEnd[i];
        position += at * stride;
        stride *= x.dim(i + 2);
      }
      window.padded += padded;
      if (!inside)
        continue;
      position += restOut * stride;
      window.positions.push_back(position);
      window.values.push_back(x.data<float>()[position]);
    }
    windows.push_back(window);
  }
  return windows;
}

struct PoolCase {
  Shape x;
  PoolParams params;
  bool ceilMode;
};

std::vector<PoolCase> poolCases() {
  return {
      {{2, 3, 11}, window({3}, {2}, {1}, {1}, {0}), false},
      {{1, 2, 12, 70}, square(3, 2, 1), false},
      {{1, 2, 9, 41}, square(5, 1, 2), false},
      {{1, 2, 9, 41}, square(3, 3, 0), true},
      {{1, 1, 5, 6}, square(3, 2, 1), true},
      {{1, 1, 1, 1}, square(3, 1, 1), false},
      {{1, 1, 2, 2}, square(7, 2, 5), true},
      {{2, 1, 8, 9}, window({2, 3}, {1, 2}, {3, 2}, {2, 0}, {1, 3}), false},
      {{1, 2, 5, 6, 7},
       window({3, 2, 3}, {2, 1, 2}, {1, 2, 1}, {1, 0, 1}, {0, 1, 1}),
       true},
      {{1, 2, 3, 3, 3, 4},
       window({2, 2, 2, 2}, {1, 1, 2, 1}, {1, 1, 1, 1}, {0, 1, 0, 1},
              {1, 0, 0, 1}),
       false},
  };
}

TEST(PoolTest, MatchesLoopOverWindows) {
  unsigned seed = 1;
  for (const PoolCase &test : poolCases()) {
    SCOPED_TRACE(toString(test.x));
    Tensor x = randomFloats(test.x, seed++);
    Shape shape = outputShape(x, test.params, test.ceilMode);
    std::vector<Window> windows = windowsOf(x, shape, test.params);
    std::vector<double> max, average, averageWithPad, l1, l2, l3;
    std::vector<int64_t> positions;
    for (const Window &w : windows) {
      double best = -infinity, sum = 0, abs = 0, squares = 0, cubes = 0;
      int64_t position = -1;
      for (size_t i = 0; i < w.values.size(); ++i) {
        double v = w.values[i];
        if (v > best)
          best = v, position = w.positions[i];
        sum += v;
        abs += std::abs(v);
        squares += v * v;
        cubes += std::pow(std::abs(v), 3);
      }
      max.push_back(best);
      positions.push_back(position);
      average.push_back(w.values.empty() ? 0 : sum / double(w.values.size()));
      averageWithPad.push_back(w.padded ? sum / double(w.padded) : 0);
      l1.push_back(abs);
      l2.push_back(std::sqrt(squares));
      l3.push_back(std::cbrt(cubes));
    }
    PoolParams params = test.params;
    Tensor y(DType::F32, shape), indices(DType::I64, shape);
    auto isMax = [&] {
      for (int64_t i = 0; i < y.size(); ++i)
        ASSERT_EQ(y.data<float>()[i], float(max[i])) << i;
    };
    maxPool(x, y, nullptr, params);
    isMax();
    std::fill_n(y.data<float>(), y.size(), 0.0f);
    maxPool(x, y, &indices, params);
    isMax();
    expectValues<int64_t>(indices, positions);
    averagePool(x, y, params);
    expectClose(y, average);
    params.countIncludePad = true;
    averagePool(x, y, params);
    expectClose(y, averageWithPad);
    int64_t p = 1;
    for (const auto &expected : {l1, l2, l3}) {
      params.p = p++;
      lpPool(x, y, params);
      expectClose(y, expected);
    }
  }
}

TEST(PoolTest, CeilModeCountsPaddingButNotBeyond) {
  // The last window covers one pixel, one padding and one beyond.
  Tensor x = tensorOf({1, 1, 4}, {1.f, 2.f, 3.f, 4.f});
  PoolParams params = window({3}, {3}, {1}, {0}, {1});
  params.countIncludePad = true;
  Tensor y(DType::F32, {1, 1, 2});
  averagePool(x, y, params);
  expectValues<float>(y, {2.f, 2.f});
}

TEST(PoolTest, ColumnMajorIndices) {
  Tensor x = iota({1, 2, 3, 4});
  Tensor y(DType::F32, {1, 2, 1, 1}), indices(DType::I64, {1, 2, 1, 1});
  PoolParams params = window({3, 3}, {1, 3}, {1, 1}, {0, 0}, {0, 0});
  maxPool(x, y, &indices, params, /*storageOrder=*/1);
  // Row 2, column 2: 2 * 3 + 2, and 12 more in the second channel.
  expectValues<int64_t>(indices, {8, 20});
}

TEST(PoolTest, SmallIntegersAndTies) {
  Tensor x = tensorOf<uint8_t>({1, 1, 2, 3}, {7, 255, 255, 0, 9, 1});
  Tensor y(DType::U8, {1, 1, 1, 2}), indices(DType::I64, {1, 1, 1, 2});
  maxPool(x, y, nullptr, square(2, 1, 0));
  expectValues<uint8_t>(y, {255, 255});
  maxPool(x, y, &indices, square(2, 1, 0));
  expectValues<int64_t>(indices, {1, 1});
  Tensor s = tensorOf<int8_t>({1, 1, 1, 2}, {-128, -7});
  Tensor z(DType::I8, {1, 1, 2, 3});
  maxPool(s, z, nullptr, window({2, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}));
  expectValues<int8_t>(z, {-128, -7, -7, -128, -7, -7});
}

TEST(PoolTest, ExtremeValues) {
  Tensor x = tensorOf({1, 1, 4}, {-infinity, NAN, 1.f, infinity});
  Tensor y(DType::F32, {1, 1, 3}), indices(DType::I64, {1, 1, 3});
  PoolParams params = window({2}, {1}, {1}, {0}, {0});
  for (Tensor *positions : {(Tensor *)nullptr, &indices}) {
    maxPool(x, y, positions, params);
    EXPECT_TRUE(std::isnan(y.data<float>()[0]));
    EXPECT_TRUE(std::isnan(y.data<float>()[1]));
    EXPECT_EQ(y.data<float>()[2], infinity);
  }
  expectValues<int64_t>(indices, {1, 1, 3});
}

TEST(PoolTest, Global) {
  Tensor x = randomFloats({2, 3, 37, 41}, 5);
  Tensor y(DType::F32, {2, 3, 1, 1});
  std::vector<double> max, average, l1, l3;
  for (int64_t plane = 0; plane < 6; ++plane) {
    double best = -infinity, sum = 0, abs = 0, cubes = 0;
    for (int64_t i = 0; i < 37 * 41; ++i) {
      double v = x.data<float>()[plane * 37 * 41 + i];
      best = std::max(best, v), sum += v, abs += std::abs(v);
      cubes += std::pow(std::abs(v), 3);
    }
    max.push_back(best), average.push_back(sum / (37 * 41));
    l1.push_back(abs), l3.push_back(std::cbrt(cubes));
  }
  globalPool(x, y, PoolKind::Max);
  expectClose(y, max, 0);
  globalPool(x, y, PoolKind::Average);
  // The error is relative to the summands, which are of the order of 1.
  expectClose(y, average);
  globalPool(x, y, PoolKind::Lp, 1);
  expectClose(y, l1);
  globalPool(x, y, PoolKind::Lp, 3);
  expectClose(y, l3);
}

TEST(PoolTest, GlobalAverageOfLargePlaneKeepsAccuracy) {
  Tensor x(DType::F32, {1, 1, 2000, 500}), y(DType::F32, {1, 1, 1, 1});
  std::fill_n(x.data<float>(), x.size(), 0.1f);
  globalPool(x, y, PoolKind::Average);
  expectClose(y, {double(0.1f)}, 1e-6, 0);
}

TEST(PoolTest, EmptyTensorsAndWrongTypes) {
  Tensor x(DType::F32, {0, 3, 4, 4}), y(DType::F32, {0, 3, 2, 2});
  maxPool(x, y, nullptr, square(2, 2, 0));
  averagePool(x, y, square(2, 2, 0));
  Tensor z(DType::F32, {0, 3, 1, 1});
  globalPool(x, z, PoolKind::Average);
  Tensor codes(DType::I32, {1, 1, 2, 2}), out(DType::I32, {1, 1, 1, 1});
  EXPECT_THROW(averagePool(codes, out, square(2, 2, 0)), Error);
}

TEST(PoolTest, DoubleAndThreadsGiveTheSame) {
  Tensor x = randomFloats({2, 8, 40, 40}, 9);
  Tensor xd(DType::F64, x.shape());
  std::copy_n(x.data<float>(), x.size(), xd.data<double>());
  Tensor one(DType::F32, {2, 8, 20, 20}), two = one.clone();
  Tensor yd(DType::F64, {2, 8, 20, 20});
  setThreadCount(1);
  averagePool(x, one, square(3, 2, 1));
  setThreadCount(2);
  averagePool(x, two, square(3, 2, 1));
  averagePool(xd, yd, square(3, 2, 1));
  for (int64_t i = 0; i < one.size(); ++i) {
    ASSERT_EQ(one.data<float>()[i], two.data<float>()[i]);
    ASSERT_NEAR(one.data<float>()[i], yd.data<double>()[i], 1e-6);
  }
}

} // namespace
