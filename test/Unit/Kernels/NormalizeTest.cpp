//===- NormalizeTest.cpp - Normalization kernels --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each kernel is compared with its formula in double precision, written per
// element, and tried on large offsets, one-element axes and extreme values.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Kernels/Normalize.h"
#include "KernelTestSupport.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

#include <functional>
#include <map>

using namespace parallax;
using namespace parallax::kernels;
using namespace parallax::test;

namespace {

struct Stats {
  double count = 0, sum = 0, mean = 0, variance = 0, squares = 0;
};

/// Statistics of the elements that share a key.
std::map<Shape, Stats> statsBy(const Tensor &x,
                               const std::function<Shape(const Shape &)> &key) {
  std::map<Shape, Stats> stats;
  auto each = [&](auto fn) {
    for (int64_t i = 0; i < x.size(); ++i)
      fn(stats[key(unravel(i, x.shape()))], double(x.data<float>()[i]));
  };
  each([](Stats &s, double v) {
    s.count += 1, s.sum += v, s.squares += v * v, s.mean = s.sum / s.count;
  });
  each([](Stats &s, double v) {
    s.variance += (v - s.mean) * (v - s.mean) / s.count;
  });
  return stats;
}

/// Calls fn(coordinates, value) for each element and collects the results.
std::vector<double>
mapElements(const Tensor &x,
            const std::function<double(const Shape &, double)> &fn) {
  std::vector<double> result;
  for (int64_t i = 0; i < x.size(); ++i)
    result.push_back(fn(unravel(i, x.shape()), x.data<float>()[i]));
  return result;
}

TEST(NormalizeTest, BatchNorm) {
  for (Shape shape : {Shape{2, 3, 5, 7}, Shape{4, 3}, Shape{2, 3, 0}}) {
    Tensor x = randomFloats(shape, 1), y(DType::F32, shape);
    Tensor scale = randomFloats({3}, 2), bias = randomFloats({3}, 3),
           mean = randomFloats({3}, 4), var = randomFloats({3}, 5, 0.01f, 3);
    const float *s = scale.data<float>(), *b = bias.data<float>(),
                *m = mean.data<float>(), *v = var.data<float>();
    batchNorm(x, scale, bias, mean, var, y, 1e-3f);
    expectClose(
        y, mapElements(x, [&](const Shape &at, double value) {
          int64_t c = at[1];
          return (value - m[c]) / std::sqrt(v[c] + double(1e-3f)) * s[c] + b[c];
        }));
  }
}

TEST(NormalizeTest, BatchNormOfRankOneHasOneChannel) {
  Tensor x = tensorOf({3}, {1.f, 2.f, 3.f}), y(DType::F32, {3});
  Tensor one = tensorOf({1}, {1.f}), two = tensorOf({1}, {2.f});
  batchNorm(x, two, one, two, one, y, 0);
  expectValues<float>(y, {-1.f, 1.f, 3.f});
}

TEST(NormalizeTest, InstanceAndGroupNorm) {
  // An offset that is large against the deviation must not cost accuracy.
  for (float offset : {0.0f, 1000.0f}) {
    Tensor x = randomFloats({2, 6, 5, 9}, 6, offset - 1, offset + 1);
    Tensor y(DType::F32, x.shape());
    Tensor scale = randomFloats({6}, 7), bias = randomFloats({6}, 8);
    auto expected = [&](int64_t groups, bool perChannel) {
      int64_t size = 6 / groups;
      auto stats = statsBy(x, [&](const Shape &at) {
        return Shape{at[0], at[1] / size};
      });
      return mapElements(x, [&](const Shape &at, double value) {
        const Stats &s = stats[{at[0], at[1] / size}];
        int64_t entry = perChannel ? at[1] : at[1] / size;
        return (value - s.mean) / std::sqrt(s.variance + double(1e-5f)) *
                   scale.data<float>()[entry] +
               bias.data<float>()[entry];
      });
    };
    instanceNorm(x, scale, bias, y, 1e-5f);
    expectClose(y, expected(6, true));
    groupNorm(x, scale, bias, y, 3, 1e-5f, true);
    expectClose(y, expected(3, true));
    groupNorm(x, scale, bias, y, 2, 1e-5f, false);
    expectClose(y, expected(2, false));
  }
}

TEST(NormalizeTest, LayerNorm) {
  Tensor x = randomFloats({3, 4, 5, 7}, 9, 50, 52), y(DType::F32, x.shape());
  struct {
    Shape scale, bias;
    int64_t axis;
  } tests[] = {{{7}, {7}, -1}, {{5, 7}, {5, 7}, 2},    {{5, 1}, {7}, 2},
               {{}, {1}, 3},   {{4, 1, 7}, {5, 1}, 1}, {{4, 1, 1}, {7}, 3}};
  for (auto &test : tests) {
    Tensor scale = randomFloats(test.scale, 10),
           bias = randomFloats(test.bias, 11);
    int64_t axis = test.axis < 0 ? test.axis + 4 : test.axis;
    auto key = [&](const Shape &at) {
      return Shape(at.begin(), at.begin() + axis);
    };
    auto stats = statsBy(x, key);
    // Broadcasting from the right, written out.
    auto entry = [](const Tensor &t, const Shape &at) {
      int64_t flat = 0;
      for (int64_t i = 0; i < t.rank(); ++i)
        flat = flat * t.dim(i) +
               (t.dim(i) == 1 ? 0 : at[at.size() - t.rank() + i]);
      return double(t.data<float>()[flat]);
    };
    for (bool withBias : {true, false}) {
      Shape outer(x.shape().begin(), x.shape().begin() + axis);
      Tensor mean(DType::F32, outer), inv(DType::F32, outer);
      layerNorm(x, scale, withBias ? &bias : nullptr, y, &mean, &inv, test.axis,
                1e-5f);
      expectClose(y, mapElements(x, [&](const Shape &at, double v) {
                    const Stats &s = stats[key(at)];
                    return (v - s.mean) / std::sqrt(s.variance + 1e-5) *
                               entry(scale, at) +
                           (withBias ? entry(bias, at) : 0);
                  }));
      std::vector<double> means, invs;
      for (auto &[k, s] : stats) {
        means.push_back(s.mean);
        invs.push_back(1 / std::sqrt(s.variance + 1e-5));
      }
      expectClose(mean, means);
      expectClose(inv, invs);
    }
    rmsNorm(x, scale, y, test.axis, 1e-5f);
    expectClose(y, mapElements(x, [&](const Shape &at, double v) {
                  const Stats &s = stats[key(at)];
                  return v / std::sqrt(s.squares / s.count + 1e-5) *
                         entry(scale, at);
                }));
  }
}

TEST(NormalizeTest, OneElementGivesTheBias) {
  Tensor x = tensorOf({2, 1}, {5.f, -3e38f}), y(DType::F32, {2, 1});
  Tensor scale = tensorOf({1}, {2.f}), bias = tensorOf({1}, {0.5f});
  layerNorm(x, scale, &bias, y, nullptr, nullptr, -1, 1e-5f);
  expectValues<float>(y, {0.5f, 0.5f});
}

TEST(NormalizeTest, LpNorm) {
  Tensor x = randomFloats({3, 70, 66}, 12), y(DType::F32, x.shape());
  for (int64_t axis : {0, 1, 2, -1})
    for (int64_t p : {1, 2}) {
      auto key = [&](Shape at) {
        at[axis < 0 ? axis + 3 : axis] = 0;
        return at;
      };
      std::map<Shape, double> sums;
      mapElements(x, [&](const Shape &at, double v) {
        return sums[key(at)] += p == 1 ? std::abs(v) : v * v;
      });
      lpNorm(x, y, axis, p);
      expectClose(y,
                  mapElements(x,
                              [&](const Shape &at, double v) {
                                double s = sums[key(at)];
                                return v / (p == 1 ? s : std::sqrt(s));
                              }),
                  1e-6, 1e-3);
    }
}

TEST(NormalizeTest, LpNormOfZerosAndExtremes) {
  Tensor x = tensorOf({3, 2}, {0.f, 0.f, 3e30f, 4e30f, 3e-30f, 4e-30f});
  Tensor y(DType::F32, {3, 2});
  lpNorm(x, y, 1, 2);
  expectClose(y, {0, 0, 0.6, 0.8, 0.6, 0.8});
}

TEST(NormalizeTest, LpNormBelowEpsilon) {
  // Rows, and the same numbers as columns: norms of 0, 5, 1/2 and 5e-30.
  std::vector<float> x{0, 0, 3, -4, 0.3f, -0.4f, 3e-30f, 4e-30f};
  std::vector<double> expected{0, 0, 0.6, -0.8, 0.15, -0.2, 1.5e-30, 2e-30};
  Tensor rows = tensorOf({4, 2}, x), y(DType::F32, {4, 2});
  lpNorm(rows, y, 1, 2, 2);
  expectClose(y, expected);
  Tensor columns(DType::F32, {2, 4}), z(DType::F32, {2, 4});
  std::vector<double> transposed(8);
  for (int i = 0; i < 8; ++i) {
    int to = i % 2 * 4 + i / 2;
    columns.data<float>()[to] = x[size_t(i)];
    transposed[size_t(to)] = expected[size_t(i)];
  }
  lpNorm(columns, z, 0, 2, 2);
  expectClose(z, transposed);
  Tensor sums = tensorOf({2, 2}, {1.f, -3.f, 0.25f, 0.25f});
  Tensor w(DType::F32, {2, 2});
  lpNorm(sums, w, 1, 1, 2);
  expectClose(w, {0.25, -0.75, 0.125, 0.125});
}

TEST(NormalizeTest, LpNormOfNaNAndInfinity) {
  Tensor x = tensorOf({2, 2}, {NAN, 1.f, INFINITY, 1.f});
  Tensor y(DType::F32, {2, 2});
  for (int64_t p : {1, 2}) {
    lpNorm(x, y, 1, p, 0.5f);
    expectClose(y, {NAN, NAN, NAN, 0});
  }
  Tensor empty(DType::F32, {2, 0}), none(DType::F32, {2, 0});
  lpNorm(empty, none, 1, 2, 0.5f);
}

TEST(NormalizeTest, Lrn) {
  Tensor x = randomFloats({2, 7, 3, 5}, 13, -5, 5), y(DType::F32, x.shape());
  for (int64_t size : {1, 2, 3, 5, 20})
    for (float beta : {0.75f, 0.5f, 0.6f}) {
      lrn(x, y, size, 0.1f, beta, 1.5f);
      expectClose(
          y, mapElements(x, [&](const Shape &at, double v) {
            double sum = 0;
            int64_t before = (size - 1) / 2;
            for (int64_t c = at[1] - before; c <= at[1] - before + size - 1;
                 ++c)
              if (c >= 0 && c < 7) {
                double u =
                    x.data<float>()[((at[0] * 7 + c) * 3 + at[2]) * 5 + at[3]];
                sum += u * u;
              }
            return v /
                   std::pow(double(1.5f) + double(0.1f) / double(size) * sum,
                            double(beta));
          }));
    }
}

TEST(NormalizeTest, MeanVariance) {
  Tensor x = randomFloats({3, 4, 5, 6}, 14, 9, 11), y(DType::F32, x.shape());
  for (Shape axes : {Shape{0, 2, 3}, Shape{1}, Shape{-1}, Shape{0, 1, 2, 3},
                     Shape{0, 1}, Shape{1, 3}}) {
    auto key = [&](Shape at) {
      for (int64_t axis : axes)
        at[axis < 0 ? axis + 4 : axis] = 0;
      return at;
    };
    auto stats = statsBy(x, key);
    meanVarianceNorm(x, y, axes);
    expectClose(y, mapElements(x, [&](const Shape &at, double v) {
                  const Stats &s = stats[key(at)];
                  return (v - s.mean) / (std::sqrt(s.variance) + 1e-9);
                }));
  }
}

TEST(NormalizeTest, Softmax) {
  for (Shape shape : {Shape{3, 70, 65}, Shape{2, 1, 3}, Shape{5, 1000},
                      Shape{4, 0}, Shape{0, 4}}) {
    Tensor x = randomFloats(shape, 15, -20, 20), y(DType::F32, shape);
    // Multiples of 2^-10: subtracting the maximum is exact, so that what is
    // measured is the kernel and not the input's rounding.
    for (int64_t i = 0; i < x.size(); ++i)
      x.data<float>()[i] = std::round(x.data<float>()[i] * 1024) / 1024;
    for (int64_t axis = 0; axis < x.rank(); ++axis) {
      auto key = [&](Shape at) {
        at[axis] = 0;
        return at;
      };
      std::map<Shape, double> sums;
      mapElements(x, [&](const Shape &at, double v) {
        return sums[key(at)] += std::exp(v);
      });
      softmax(x, y, axis, false);
      expectClose(
          y,
          mapElements(x, [&](const Shape &at,
                             double v) { return std::exp(v) / sums[key(at)]; }),
          1e-6, 1e-30);
      softmax(x, y, axis, true);
      expectClose(y, mapElements(x, [&](const Shape &at, double v) {
                    return v - std::log(sums[key(at)]);
                  }));
    }
  }
}

TEST(NormalizeTest, SoftmaxOfExtremes) {
  Tensor x = tensorOf({4, 3}, {3e38f, 3e38f, -3e38f, -infinity, 0.f, -infinity,
                               -infinity, -infinity, -infinity, NAN, 0.f, 0.f});
  Tensor y(DType::F32, {4, 3});
  softmax(x, y, 1, false);
  expectClose(y, {0.5, 0.5, 0, 0, 1, 0, NAN, NAN, NAN, NAN, NAN, NAN}, 0);
}

TEST(NormalizeTest, Hardmax) {
  Tensor x = tensorOf({2, 3}, {1.f, 3.f, 3.f, 4.f, 2.f, 1.f});
  Tensor y(DType::F32, {2, 3});
  hardmax(x, y, 1);
  expectValues<float>(y, {0, 1, 0, 1, 0, 0});
  hardmax(x, y, 0);
  expectValues<float>(y, {0, 1, 1, 1, 0, 0});
}

TEST(NormalizeTest, ThreadsGiveTheSameBits) {
  Tensor x = randomFloats({7, 300, 40}, 16), one(DType::F32, x.shape());
  Tensor two = one.clone();
  setThreadCount(1);
  softmax(x, one, 1, false);
  setThreadCount(2);
  softmax(x, two, 1, false);
  for (int64_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(one.data<float>()[i], two.data<float>()[i]);
}

TEST(NormalizeTest, OtherTypesAreRefused) {
  Tensor x(DType::I32, {2, 2}), y(DType::I32, {2, 2});
  EXPECT_THROW(softmax(x, y, 1, false), Error);
}

} // namespace
