//===- QuantParamsTest.cpp - Scales and zero points from ranges -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Ranges that are strange, and weights against a search that is written out.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/QuantParams.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

#include <cfloat>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>

using namespace parallax;

namespace {

using enum DataType;

constexpr DataType codeTypes[] = {U8, S8, U16, S16};

struct Limits {
  int64_t low, high;
};

Limits limitsOf(DataType type) {
  switch (type) {
  case U8:
    return {0, 255};
  case S8:
    return {-128, 127};
  case U16:
    return {0, 65535};
  default:
    return {-32768, 32767};
  }
}

TEST(QuantParamsTest, ParametersByHand) {
  EXPECT_EQ(affineParams({-1, 1.55}, U8), (AffineParams{0.01f, 100, 0, 255}));
  EXPECT_EQ(affineParams({-1, 1.55}, S8),
            (AffineParams{0.01f, -28, -128, 127}));
  EXPECT_EQ(affineParams({0, 655.35}, U16), (AffineParams{0.01f, 0, 0, 65535}));
  EXPECT_EQ(affineParams({0, 655.35}, S16),
            (AffineParams{0.01f, -32768, -32768, 32767}));
}

TEST(QuantParamsTest, RangesAreWidenedToZero) {
  for (DataType type : codeTypes) {
    EXPECT_EQ(affineParams({2, 5}, type), affineParams({0, 5}, type));
    EXPECT_EQ(affineParams({-5, -2}, type), affineParams({-5, 0}, type));
  }
}

TEST(QuantParamsTest, ZeroIsNotInTheMiddleBetweenTwoCodes) {
  EXPECT_EQ(affineParams({-1, 1}, U8), (AffineParams{1 / 127.0f, 128, 0, 255}));
  EXPECT_EQ(affineParams({-1, 1}, S8),
            (AffineParams{1 / 127.0f, 0, -128, 127}));
  EXPECT_EQ(affineParams({-1, 1}, U16),
            (AffineParams{1 / 32767.0f, 32768, 0, 65535}));
  EXPECT_EQ(affineParams({-0.5, 254.5}, U8),
            (AffineParams{float(254.5 / 254), 1, 0, 255}));
  EXPECT_EQ(affineParams({-254.5, 0.5}, U8),
            (AffineParams{float(254.5 / 254), 254, 0, 255}));
  // Pixels minus their mean keep different codes, but for two pairs, however
  // ties are rounded.
  AffineParams params = affineParams({-127.5, 127.5}, U8);
  std::set<int64_t> codes;
  for (int pixel = 0; pixel < 256; ++pixel) {
    double steps = (pixel - 127.5) / double(params.scale);
    EXPECT_GT(std::abs(steps - std::floor(steps) - 0.5), 0.001) << pixel;
    codes.insert(std::lround(steps));
  }
  EXPECT_GE(codes.size(), 254u);
}

TEST(QuantParamsTest, ZeroHasACodeWhateverTheRange) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Interval ranges[] = {{-1, 1},
                             {0, 0},
                             {1e-45, 1e-45},
                             {-1e-40, 0},
                             {0, 1e-38},
                             {-FLT_MAX, FLT_MAX},
                             {-3.4e38, 1},
                             {0, 1e300},
                             {-infinity, infinity},
                             {infinity, -infinity},
                             {nan, nan},
                             {nan, 1},
                             {-1, nan},
                             {5, -5},
                             {-1e-7, 1e7}};
  for (DataType type : codeTypes)
    for (Interval range : ranges) {
      SCOPED_TRACE(testing::Message() << range.low << " to " << range.high
                                      << " type " << int(type));
      AffineParams params = affineParams(range, type);
      EXPECT_TRUE(std::isnormal(params.scale)) << params.scale;
      EXPECT_GT(params.scale, 0);
      EXPECT_EQ(params.low, limitsOf(type).low);
      EXPECT_EQ(params.high, limitsOf(type).high);
      EXPECT_GE(params.zeroPoint, params.low);
      EXPECT_LE(params.zeroPoint, params.high);
    }
}

TEST(QuantParamsTest, EveryCodeStandsForAFiniteNumber) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double ends[] = {0, 1, 1e4, 1e9, 1e36, 1e38, 3.4e38, FLT_MAX, infinity};
  for (DataType type : codeTypes)
    for (double low : ends)
      for (double high : ends) {
        SCOPED_TRACE(testing::Message()
                     << -low << " to " << high << " type " << int(type));
        AffineParams params = affineParams({-low, high}, type);
        // As C7 of docs/numerics.md computes them.
        auto valueOf = [&](int64_t code) {
          return float(code - params.zeroPoint) * params.scale;
        };
        for (int64_t code = params.low; code <= params.high; ++code)
          ASSERT_TRUE(std::isfinite(valueOf(code))) << code;
        EXPECT_EQ(valueOf(params.zeroPoint), 0);
        // Nothing of the range is lost but a code.
        double most = std::min(std::max(low, high), double(FLT_MAX));
        double reached = std::max(-double(valueOf(params.low)),
                                  double(valueOf(params.high)));
        EXPECT_GE(reached, most - 1.01 * double(params.scale));
      }
}

TEST(QuantParamsTest, TheEndsOfTheRangeAreCovered) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> exponent(-30, 30);
  for (DataType type : codeTypes)
    for (int i = 0; i < 200; ++i) {
      Interval range = {-std::exp(exponent(generator)),
                        std::exp(exponent(generator))};
      AffineParams params = affineParams(range, type);
      auto scale = double(params.scale);
      double low = double(params.low - params.zeroPoint) * scale;
      double high = double(params.high - params.zeroPoint) * scale;
      // Within half a code, and with at most one that is not needed.
      EXPECT_LE(low, range.low + 0.51 * scale);
      EXPECT_GE(low, range.low - 1.01 * scale);
      EXPECT_GE(high, range.high - 0.51 * scale);
      EXPECT_LE(high, range.high + 1.01 * scale);
    }
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

Tensor weights(Shape shape, unsigned seed) {
  Tensor tensor(DType::F32, std::move(shape));
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(0, 0.1f);
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.data<float>()[i] = normal(generator);
  return tensor;
}

/// The values of one channel.
std::vector<float> channelOf(const Tensor &tensor, size_t axis,
                             int64_t channel) {
  int64_t inner = 1;
  for (size_t i = axis + 1; i < tensor.shape().size(); ++i)
    inner *= tensor.dim(i);
  std::vector<float> values;
  for (int64_t i = 0; i < tensor.size(); ++i)
    if (i / inner % tensor.dim(axis) == channel)
      values.push_back(tensor.data<float>()[i]);
  return values;
}

double errorOf(const std::vector<float> &values, double scale, double limit) {
  double error = 0;
  for (float value : values) {
    double code = std::clamp(std::nearbyint(value / scale), -limit, limit);
    error += (value - code * scale) * (value - code * scale);
  }
  return error;
}

/// The least error among the ranges from 60 % to 100 %, in steps of 2 %.
double leastError(const std::vector<float> &values, double limit) {
  double magnitude = 0, least = INFINITY;
  for (float value : values)
    magnitude = std::max(magnitude, std::abs(double(value)));
  for (int percent = 60; percent <= 100; percent += 2)
    least = std::min(least,
                     errorOf(values, magnitude * percent / 100 / limit, limit));
  return least;
}

TEST(QuantParamsTest, RefinedScalesHaveTheLeastError) {
  for (size_t axis : {0u, 1u, 2u}) {
    Tensor tensor = weights({6, 5, 40}, unsigned(axis) + 1);
    // An outlier that a narrower range cuts off.
    tensor.data<float>()[17] = 0.9f;
    WeightOptions options;
    options.refineThreshold = 0;
    WeightCodes codes = quantizeWeights(tensor, int64_t(axis), options);
    ASSERT_EQ(int64_t(codes.scales.size()), tensor.dim(axis));
    EXPECT_EQ(codes.codes.dtype(), DType::I8);
    double total = 0;
    for (int64_t c = 0; c < tensor.dim(axis); ++c) {
      std::vector<float> values = channelOf(tensor, axis, c);
      auto scale = double(codes.scales[size_t(c)]);
      double error = errorOf(values, scale, 127);
      EXPECT_NEAR(error, leastError(values, 127), 1e-4 * error);
      total += error;
    }
    EXPECT_NEAR(codes.squaredError, total, 1e-4 * total);
  }
}

TEST(QuantParamsTest, WeightsOfAnySizeStayFinite) {
  for (DataType type : {S8, S16})
    for (float most : {1e30f, 3.4e38f, FLT_MAX})
      for (float least : {0.0f, 0x1p120f}) {
        Tensor tensor = weights({2, 8}, 4);
        tensor.data<float>()[3] = -most;
        WeightOptions options;
        options.type = type;
        options.minScales = {least, 0.0f};
        WeightCodes codes = quantizeWeights(tensor, 0, options);
        float limit = type == S8 ? 127 : 32767;
        for (float scale : codes.scales) {
          EXPECT_TRUE(std::isnormal(scale));
          EXPECT_TRUE(std::isfinite(limit * scale)) << scale;
        }
        EXPECT_TRUE(std::isfinite(codes.squaredError));
      }
}

TEST(QuantParamsTest, CodesAreTheNearestOnes) {
  for (DataType type : {S8, S16}) {
    Tensor tensor = weights({7, 33}, 5);
    WeightOptions options;
    options.type = type;
    options.refineThreshold = -1;
    WeightCodes codes = quantizeWeights(tensor, 0, options);
    double limit = type == S8 ? 127 : 32767;
    for (int64_t c = 0; c < 7; ++c) {
      std::vector<float> values = channelOf(tensor, 0, c);
      float magnitude = 0;
      for (float value : values)
        magnitude = std::max(magnitude, std::abs(value));
      // The whole range, the most negative code left out.
      EXPECT_FLOAT_EQ(codes.scales[size_t(c)], magnitude / float(limit));
      for (int64_t i = 0; i < 33; ++i) {
        double code = type == S8 ? codes.codes.data<int8_t>()[c * 33 + i]
                                 : codes.codes.data<int16_t>()[c * 33 + i];
        EXPECT_LE(std::abs(code), limit);
        EXPECT_LE(std::abs(code - double(values[size_t(i)]) /
                                      double(codes.scales[size_t(c)])),
                  0.5 + 1e-3);
      }
    }
  }
}

TEST(QuantParamsTest, TheThresholdKeepsTheWholeRange) {
  Tensor tensor = weights({4, 64}, 9);
  WeightOptions whole, never;
  whole.refineThreshold = -1;
  never.refineThreshold = 1e9;
  EXPECT_EQ(quantizeWeights(tensor, 0, whole).scales,
            quantizeWeights(tensor, 0, never).scales);
}

TEST(QuantParamsTest, ScalesHaveLowerBounds) {
  Tensor tensor(DType::F32, {3, 4});
  std::fill_n(tensor.data<float>(), tensor.size(), 0.0f);
  tensor.data<float>()[4] = 1;
  WeightOptions options;
  options.minScales = {0.5f, 0.001f, 0.0f};
  WeightCodes codes = quantizeWeights(tensor, 0, options);
  EXPECT_EQ(codes.scales[0], 0.5f);
  EXPECT_FLOAT_EQ(codes.scales[1], 1 / 127.0f);
  EXPECT_TRUE(std::isnormal(codes.scales[2]));
  EXPECT_EQ(codes.codes.data<int8_t>()[4], 127);
  for (int64_t i : {0, 5, 8, 11})
    EXPECT_EQ(codes.codes.data<int8_t>()[i], 0);
}

TEST(QuantParamsTest, TheNumberOfThreadsDoesNotMatter) {
  Tensor tensor = weights({37, 101}, 11);
  auto with = [&](int threads) {
    ThreadCountScope scope(threads);
    return quantizeWeights(tensor, 1, {});
  };
  WeightCodes one = with(1), two = with(2);
  EXPECT_EQ(one.scales, two.scales);
  EXPECT_EQ(one.squaredError, two.squaredError);
  EXPECT_TRUE(std::equal(one.codes.data<int8_t>(),
                         one.codes.data<int8_t>() + one.codes.size(),
                         two.codes.data<int8_t>()));
}

TEST(QuantParamsTest, OnlyFloatsAreWeights) {
  EXPECT_THROW(quantizeWeights(Tensor(DType::I32, {2, 2}), 0, {}), Error);
}

} // namespace
