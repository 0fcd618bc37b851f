//===- TensorComparisonTest.cpp - A tensor on two engines -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// All layouts of channels against sums that are made one pair after the other
// in long double; values that are not numbers, extreme magnitudes, and the same
// bits however samples are merged.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/TensorComparison.h"
#include "../../../lib/Analysis/PairColumns.h"
#include "AnalysisTestSupport.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Random.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace parallax;

namespace {

constexpr float infF = std::numeric_limits<float>::infinity();
constexpr float nanF = std::numeric_limits<float>::quiet_NaN();

ComparisonResult compare(const Tensor &a, const Tensor &b, int64_t axis = 1,
                         std::optional<AffineParams> codes = {},
                         bool tracksRows = false, bool summarizes = false) {
  TensorComparison comparison(axis, codes, tracksRows, summarizes);
  comparison.add(a, b);
  return comparison.result();
}

struct Pair {
  Tensor a, b;
};

/// A reference, and what a coarse scale leaves of it. Channels have different
/// magnitudes.
Pair randomPair(const Shape &shape, uint64_t seed) {
  Random random(seed);
  Pair pair{Tensor(DType::F32, shape), Tensor(DType::F32, shape)};
  for (int64_t i = 0; i < pair.a.size(); ++i) {
    float value = (random.real() * 2 - 1) * (random.next() % 8 ? 1.0f : 5.0f);
    pair.b.data<float>()[i] = value;
    pair.a.data<float>()[i] = std::round(value * 20) / 20;
  }
  return pair;
}

struct Literal {
  long double dot = 0, squareA = 0, squareB = 0, squareError = 0, maxAbs = 0;
  long double sumA = 0, sumB = 0;
  float minA = infF, maxA = -infF, minB = infF, maxB = -infF;
  int64_t pairs = 0, special = 0, unequal = 0, beyond = 0;

  void add(float x, float y, const AffineParams &codes) {
    if (!std::isfinite(x) || !std::isfinite(y)) {
      ++special;
      unequal += !(x == y || (std::isnan(x) && std::isnan(y)));
      return;
    }
    ++pairs;
    long double error = (long double)x - y;
    dot += (long double)x * y;
    squareA += (long double)x * x;
    squareB += (long double)y * y;
    squareError += error * error;
    sumA += x;
    sumB += y;
    maxAbs = std::max(maxAbs, std::abs(error));
    minA = std::min(minA, x);
    maxA = std::max(maxA, x);
    minB = std::min(minB, y);
    maxB = std::max(maxB, y);
    double code = double(y) / double(codes.scale) + double(codes.zeroPoint);
    beyond += code < double(codes.low) - 0.5 || code > double(codes.high) + 0.5;
  }
  double cosine() const {
    if (squareA == 0 || squareB == 0)
      return squareA == squareB && unequal == 0;
    return double(dot / std::sqrt(squareA) / std::sqrt(squareB));
  }
};

/// The channel of each element by its index along the axis.
int64_t channelAt(const Shape &shape, int64_t axis, int64_t index) {
  if (axis < 0 || axis >= int64_t(shape.size()))
    return 0;
  return index / stridesOf(shape)[size_t(axis)] % shape[size_t(axis)];
}

void expectNear(double value, long double expected) {
  EXPECT_NEAR(value, double(expected), 1e-6 * double(std::abs(expected)));
}

/// Sums lose digits where values of both signs cancel out.
void expectSummary(const ValueSummary &found, int64_t count, float min,
                   float max, long double sum, long double squares) {
  long double mean = sum / (long double)count;
  long double meanSquare = squares / (long double)count;
  EXPECT_EQ(found.count, count);
  EXPECT_EQ(found.min, double(min));
  EXPECT_EQ(found.max, double(max));
  EXPECT_NEAR(found.mean, double(mean), 1e-12 * double(std::sqrt(meanSquare)));
  EXPECT_NEAR(found.variance, double(meanSquare - mean * mean),
              1e-12 * double(meanSquare));
  EXPECT_EQ(found.deviation(), std::sqrt(found.variance));
}

void expectLiteral(const Pair &pair, int64_t axis) {
  const Shape &shape = pair.a.shape();
  SCOPED_TRACE(testing::Message()
               << "shape " << toString(shape) << ", axis " << axis);
  AffineParams codes{.scale = 0.02f, .zeroPoint = 60, .low = 0, .high = 255};
  bool hasAxis = axis >= 0 && axis < int64_t(shape.size());
  int64_t channels = hasAxis ? shape[size_t(axis)] : 1;
  std::vector<Literal> literals(static_cast<size_t>(channels));
  Literal total;
  for (int64_t i = 0; i < pair.a.size(); ++i) {
    float x = pair.a.data<float>()[i], y = pair.b.data<float>()[i];
    literals[size_t(channelAt(shape, axis, i))].add(x, y, codes);
    total.add(x, y, codes);
  }

  TensorComparison comparison(axis, codes, false, /*summarizes=*/true);
  comparison.add(pair.a, pair.b);
  ComparisonResult result = comparison.result();
  EXPECT_EQ(result.count, pair.a.size());
  EXPECT_EQ(result.special, total.special);
  EXPECT_NEAR(result.cosine, total.cosine(), 1e-9);
  expectNear(result.mse, total.squareError / (long double)total.pairs);
  expectNear(result.sqnrDb, 10 * std::log10(total.squareB / total.squareError));
  expectNear(result.maxAbs, total.maxAbs);
  expectNear(result.maxSteps, total.maxAbs / (long double)codes.scale);
  EXPECT_EQ(result.saturated, double(total.beyond) / double(total.pairs));
  expectSummary(result.quantized, total.pairs, total.minA, total.maxA,
                total.sumA, total.squareA);
  expectSummary(result.reference, total.pairs, total.minB, total.maxB,
                total.sumB, total.squareB);
  EXPECT_EQ(result.channels, axis < 0 ? 0 : channels);
  if (axis < 0) {
    EXPECT_TRUE(comparison.channelSums().empty());
    EXPECT_EQ(result.worstChannel, -1);
    return;
  }

  ASSERT_EQ(comparison.channelSums().size(), literals.size());
  ASSERT_EQ(comparison.channelExtents().size(), literals.size());
  double worst = 2;
  for (size_t i = 0; i < literals.size(); ++i) {
    const PairSums &sums = comparison.channelSums()[i];
    EXPECT_NEAR(sums.cosine(), literals[i].cosine(), 1e-9);
    expectNear(sums.squareError, literals[i].squareError);
    expectNear(sums.squareA, literals[i].squareA);
    expectNear(sums.squareB, literals[i].squareB);
    const ChannelExtent &extent = comparison.channelExtents()[i];
    EXPECT_EQ(extent.minA, literals[i].minA);
    EXPECT_EQ(extent.maxA, literals[i].maxA);
    EXPECT_EQ(extent.minB, literals[i].minB);
    EXPECT_EQ(extent.maxB, literals[i].maxB);
    worst = std::min(worst, literals[i].cosine());
  }
  EXPECT_NEAR(result.worstChannelCosine, worst, 1e-9);
  ASSERT_GE(result.worstChannel, 0);
  EXPECT_NEAR(literals[size_t(result.worstChannel)].cosine(), worst, 1e-9);
}

const std::vector<Shape> shapes{
    {1},          {7},          {8},          {9},          {1, 3, 5, 7},
    {2, 3, 33},   {1, 4, 1025}, {1, 2, 2049}, {3, 5, 1, 1}, {1, 1000},
    {300, 3},     {9, 1},       {131, 16},    {129, 17},    {65, 7},
    {20, 3, 2},   {64, 5, 7},   {257, 40},    {5, 4, 3, 2}, {2, 1, 9, 4},
    {1, 1, 4000}, {33, 8},      {16, 2, 4},   {7, 7},       {2, 100, 3},
};

TEST(TensorComparison, IsTheLiteralSum) {
  uint64_t seed = 0;
  for (const Shape &shape : shapes)
    for (int64_t axis = -1; axis <= int64_t(shape.size()); ++axis)
      expectLiteral(randomPair(shape, ++seed), axis);
}

TEST(TensorComparison, SummarizesBothSides) {
  TensorComparison comparison(-1, {}, false, /*summarizes=*/true);
  comparison.add(tensorOf<float>({1, 1, 4, nanF}),
                 tensorOf<float>({-1, 2, 5, 7}));
  comparison.add(tensorOf<float>({2, 1, 3, 0}),
                 tensorOf<float>({0, 1, 3, infF}));
  ComparisonResult result = comparison.result();
  // 1 1 4 2 1 3, and -1 2 5 0 1 3.
  EXPECT_EQ(result.quantized.count, 6);
  EXPECT_EQ(result.quantized.min, 1);
  EXPECT_EQ(result.quantized.max, 4);
  EXPECT_DOUBLE_EQ(result.quantized.mean, 2);
  EXPECT_DOUBLE_EQ(result.quantized.variance, 32.0 / 6 - 4);
  EXPECT_EQ(result.reference.min, -1);
  EXPECT_EQ(result.reference.max, 5);
  EXPECT_DOUBLE_EQ(result.reference.mean, 10.0 / 6);
  EXPECT_DOUBLE_EQ(result.reference.variance, 40.0 / 6 - 100.0 / 36);
  EXPECT_DOUBLE_EQ(result.reference.deviation(),
                   std::sqrt(40.0 / 6 - 100.0 / 36));
}

TEST(TensorComparison, WhatDoesNotVaryHasNoVariance) {
  Pair pair{Tensor(DType::F32, {1000}), Tensor(DType::F32, {1000})};
  std::fill_n(pair.a.data<float>(), 1000, 0.1f);
  std::fill_n(pair.b.data<float>(), 1000, -12345.678f);
  ComparisonResult result = compare(pair.a, pair.b, 1, {}, false, true);
  EXPECT_EQ(result.quantized.mean, double(0.1f));
  EXPECT_EQ(result.quantized.variance, 0);
  EXPECT_EQ(result.reference.mean, double(-12345.678f));
  EXPECT_EQ(result.reference.deviation(), 0);
}

TEST(TensorComparison, WhatHasNoFinitePairHasNoSummary) {
  auto summary = [](const Tensor &a, const Tensor &b) {
    return compare(a, b, 1, {}, false, /*summarizes=*/true).reference;
  };
  EXPECT_EQ(summary(tensorOf<float>({2}), tensorOf<float>({1})).count, 1);
  EXPECT_EQ(summary(tensorOf<float>({nanF}), tensorOf<float>({1})).count, 0);
  EXPECT_EQ(summary(tensorOf<int64_t>({1}), tensorOf<int64_t>({1})).count, 0);
  EXPECT_EQ(compare(tensorOf<float>({2}), tensorOf<float>({1})).reference.count,
            0)
      << "nobody asked";
}

TEST(TensorComparison, IsTheLiteralSumOfWhatIsFinite) {
  const float odd[] = {nanF, infF, -infF, 3e38f, -3e38f, 1e-42f, 0.0f};
  uint64_t seed = 1000;
  for (const Shape &shape : shapes)
    for (int64_t axis = -1; axis <= int64_t(shape.size()); ++axis) {
      Pair pair = randomPair(shape, ++seed);
      // The first pair stays, so that there is something to measure.
      Random random(seed);
      for (int64_t i = 1; i < pair.a.size(); ++i)
        if (random.next() % 50 == 0) {
          float value = odd[random.next() % std::size(odd)];
          (random.next() % 2 ? pair.a : pair.b).data<float>()[i] = value;
        }
      expectLiteral(pair, axis);
    }
}

TEST(TensorComparison, KnownValues) {
  ComparisonResult r =
      compare(tensorOf<float>({1, 2, 3, 4}, {2, 2}),
              tensorOf<float>({1, 2, 5, 3}, {2, 2}), 0,
              AffineParams{.scale = 0.5f, .zeroPoint = 0, .low = 0, .high = 8});
  EXPECT_EQ(r.samples, 1);
  EXPECT_EQ(r.count, 4);
  EXPECT_EQ(r.mse, 1.25);
  EXPECT_EQ(r.maxAbs, 2);
  EXPECT_EQ(r.maxSteps, 4);
  EXPECT_DOUBLE_EQ(r.cosine, 32 / std::sqrt(30.0 * 39.0));
  EXPECT_DOUBLE_EQ(r.sqnrDb, 10 * std::log10(39.0 / 5.0));
  EXPECT_EQ(r.channels, 2);
  EXPECT_EQ(r.worstChannel, 1);
  EXPECT_DOUBLE_EQ(r.worstChannelCosine, 27 / std::sqrt(25.0 * 34.0));
  // 5 is beyond 4.25; nothing else is.
  EXPECT_EQ(r.saturated, 0.25);
  EXPECT_EQ(r.rows, 0);
  EXPECT_FALSE(r.isExact);
}

TEST(TensorComparison, EqualTensorsAreEqual) {
  Tensor b = randomPair({3, 50, 20}, 1).b;
  for (int64_t axis = -1; axis < 4; ++axis) {
    ComparisonResult r = compare(b, b.clone(), axis);
    EXPECT_EQ(r.cosine, 1);
    EXPECT_EQ(r.worstSampleCosine, 1);
    EXPECT_EQ(r.worstChannelCosine, 1);
    EXPECT_EQ(r.mse, 0);
    EXPECT_EQ(r.sqnrDb, inf);
  }
}

TEST(TensorComparison, CosineOfZeroIsDefined) {
  Tensor zero = tensorOf<float>({0, 0}), one = tensorOf<float>({0, 1});
  EXPECT_EQ(compare(zero, zero).cosine, 1);
  EXPECT_EQ(compare(zero, zero).sqnrDb, inf);
  EXPECT_EQ(compare(zero, one).cosine, 0);
  EXPECT_EQ(compare(zero, one).sqnrDb, 0);
  EXPECT_EQ(compare(one, zero).cosine, 0);
  EXPECT_EQ(compare(one, zero).sqnrDb, -inf);
  EXPECT_EQ(compare(one, tensorOf<float>({0, -3})).cosine, -1);
}

TEST(TensorComparison, NothingIsEqualToNothing) {
  TensorComparison none;
  EXPECT_EQ(none.result().cosine, 1);
  EXPECT_EQ(none.result().worstSample, -1);
  for (const Shape &shape : {Shape{0}, Shape{2, 0, 3}, Shape{0, 4}}) {
    ComparisonResult r = compare(Tensor(DType::F32, shape),
                                 Tensor(DType::F32, shape), 1, {}, true);
    EXPECT_EQ(r.samples, 1);
    EXPECT_EQ(r.count, 0);
    EXPECT_EQ(r.cosine, 1);
    EXPECT_EQ(r.mse, 0);
    EXPECT_EQ(r.sqnrDb, inf);
    EXPECT_EQ(r.worstSample, 0);
    EXPECT_EQ(r.worstChannel, -1);
    EXPECT_EQ(r.agreement, 1);
  }
}

TEST(TensorComparison, ScalarsAreOneChannel) {
  Tensor a(DType::F32, {}), b(DType::F32, {});
  *a.data<float>() = 1;
  *b.data<float>() = 3;
  ComparisonResult r = compare(a, b, 1, {}, true);
  EXPECT_EQ(r.channels, 1);
  EXPECT_EQ(r.cosine, 1);
  EXPECT_EQ(r.mse, 4);
  EXPECT_EQ(r.agreement, 1);
}

TEST(TensorComparison, ExtremeMagnitudesKeepTheirAngle) {
  for (float magnitude :
       {1e-45f, 1e-42f, 1e-38f, 1e-30f, 1e-20f, 1e18f, 1e19f, 1e30f, 8e37f})
    for (int64_t length : {2, 8, 50, 4000})
      for (int64_t axis : {0, 1}) {
        Tensor a(DType::F32, {2, length}), b(DType::F32, {2, length});
        // Of (1, 0) and (1, 1), where ones are of the magnitude.
        for (int64_t i = 0; i < length; ++i) {
          a.data<float>()[i] = magnitude;
          b.data<float>()[i] = magnitude;
          b.data<float>()[length + i] = magnitude;
        }
        ComparisonResult r = compare(a, b, axis);
        EXPECT_NEAR(r.cosine, std::sqrt(0.5), 1e-9) << magnitude;
        EXPECT_NEAR(r.sqnrDb, 10 * std::log10(2.0), 1e-6) << magnitude;
        double square = double(magnitude) * double(magnitude);
        EXPECT_NEAR(r.mse / square, 0.5, 1e-6) << magnitude;
        EXPECT_EQ(r.maxAbs, double(magnitude));
      }
  // Their difference is not representable as a float.
  float most = std::numeric_limits<float>::max();
  for (int64_t length : {1, 8, 40}) {
    Tensor a(DType::F32, {length}), b(DType::F32, {length});
    std::fill_n(a.data<float>(), length, most);
    std::fill_n(b.data<float>(), length, -most);
    ComparisonResult r = compare(a, b);
    EXPECT_EQ(r.special, 0);
    EXPECT_EQ(r.cosine, -1);
    EXPECT_EQ(r.maxAbs, 2 * double(most));
    expectNear(r.mse, 4 * (long double)most * most);
  }
}

TEST(TensorComparison, CountsWhatIsNoNumber) {
  for (int64_t padding : {0, 30}) {
    Shape shape{5 + padding};
    Tensor a(DType::F32, shape), b(DType::F32, shape);
    std::ranges::copy(std::vector{1.0f, nanF, nanF, infF, 4.0f},
                      a.data<float>());
    std::ranges::copy(std::vector{1.0f, 2.0f, nanF, infF, -infF},
                      b.data<float>());
    ComparisonResult r = compare(a, b);
    EXPECT_EQ(r.count, 5 + padding);
    EXPECT_EQ(r.nanA, 2);
    EXPECT_EQ(r.nanB, 1);
    EXPECT_EQ(r.infA, 1);
    EXPECT_EQ(r.infB, 2);
    EXPECT_EQ(r.special, 4);
    EXPECT_EQ(r.unequal, 2);
    EXPECT_EQ(r.cosine, 1);
    EXPECT_EQ(r.maxAbs, 0);
    EXPECT_EQ(r.mse, 0);
  }
}

TEST(TensorComparison, InfinitiesOfDifferentSignsAreUnequal) {
  Tensor a = tensorOf<float>({1, infF, -infF}),
         b = tensorOf<float>({1, infF, infF});
  ComparisonResult r = compare(a, b);
  EXPECT_EQ(r.infA, r.infB);
  EXPECT_EQ(r.special, 2);
  EXPECT_EQ(r.unequal, 1);
  EXPECT_EQ(compare(a, a).unequal, 0);
}

TEST(TensorComparison, NothingMeasuredIsNoAgreement) {
  Tensor numbers = tensorOf<float>({1, 2}),
         nans = tensorOf<float>({nanF, nanF});
  for (const Pair &pair : {Pair{nans, numbers}, Pair{numbers, nans}}) {
    ComparisonResult r = compare(pair.a, pair.b);
    EXPECT_EQ(r.cosine, 0);
    EXPECT_EQ(r.worstSampleCosine, 0);
    EXPECT_EQ(r.worstChannelCosine, 0);
    EXPECT_EQ(r.sqnrDb, -inf);
    EXPECT_EQ(r.mse, 0);
  }
  EXPECT_EQ(compare(nans, nans).cosine, 1);
  Tensor infinities = tensorOf<float>({infF, -infF});
  EXPECT_EQ(compare(infinities, infinities).cosine, 1);
  EXPECT_EQ(compare(infinities, tensorOf<float>({-infF, infF})).cosine, 0);
}

TEST(TensorComparison, DeadAndSparseChannels) {
  // Channels: fine, dead, constant on both sides, zero, zero but not
  // quantized so, dead at a value that is not zero.
  Tensor a = tensorOf<float>({1, 2, 0, 0, 3, 3, 0, 0, 1, 0, 7, 7}, {1, 6, 2});
  Tensor b = tensorOf<float>({1, 3, 0, 1, 4, 4, 0, 0, 0, 0, 6, 8}, {1, 6, 2});
  ComparisonResult r = compare(a, b);
  EXPECT_EQ(r.deadChannels, 2);
  EXPECT_EQ(r.sparseChannels, 2);
  EXPECT_EQ(r.worstChannel, 1);
  EXPECT_EQ(r.worstChannelCosine, 0);
  // What one sample holds revives a channel.
  TensorComparison both;
  both.add(a, b);
  both.add(b, b);
  EXPECT_EQ(both.result().deadChannels, 0);
  EXPECT_EQ(both.result().sparseChannels, 2);
  // Noise below the resolution of a float of the tensor's size is ignored.
  a = tensorOf<float>({1, 2, 0, 0, 0, 0}, {1, 3, 2});
  b = tensorOf<float>({1, 2, 0, 1e-20f, 0, 1e-6f}, {1, 3, 2});
  EXPECT_EQ(compare(a, b).deadChannels, 1);
}

TEST(TensorComparison, SaturationBeginsHalfAStepBeyondTheCodes) {
  AffineParams codes{.scale = 0.5f, .zeroPoint = 2, .low = 0, .high = 10};
  // The codes stand for -1 to 4.
  Tensor b =
      tensorOf<float>({-1.25f, -1.26f, 4.25f, 4.26f, 100, 0, 1, nanF, 2});
  EXPECT_EQ(compare(b, b, 1, codes).saturated, 3.0 / 8);
  EXPECT_EQ(compare(b, b).saturated, 0);
  Tensor many(DType::F32, {200, 20});
  for (int64_t i = 0; i < many.size(); i += 4)
    many.data<float>()[i] = 5;
  for (int64_t axis : {-1, 0, 1})
    EXPECT_EQ(compare(many, many, axis, codes).saturated, 0.25);
}

TEST(TensorComparison, MergeIsSequential) {
  AffineParams codes{.scale = 0.02f, .zeroPoint = 60};
  for (int64_t axis : {-1, 0, 1, 2}) {
    TensorComparison all(axis, codes, true), merged(axis, codes, true);
    for (uint64_t seed = 0; seed < 9; ++seed) {
      // The last dimension is another in each sample.
      Pair pair = randomPair({3, 20, 5 + int64_t(seed * 7)}, seed);
      if (seed == 4)
        pair.a.data<float>()[17] = nanF;
      all.add(pair.a, pair.b);
      TensorComparison one(axis, codes, true);
      one.add(pair.a, pair.b);
      merged.merge(one);
    }
    ComparisonResult x = all.result(), y = merged.result();
    for (auto number :
         {&ComparisonResult::cosine, &ComparisonResult::mse,
          &ComparisonResult::sqnrDb, &ComparisonResult::maxAbs,
          &ComparisonResult::worstSampleCosine,
          &ComparisonResult::worstChannelCosine, &ComparisonResult::saturated,
          &ComparisonResult::agreement})
      EXPECT_EQ(x.*number, y.*number);
    for (auto number :
         {&ComparisonResult::samples, &ComparisonResult::count,
          &ComparisonResult::nanA, &ComparisonResult::special,
          &ComparisonResult::worstSample, &ComparisonResult::worstChannel,
          &ComparisonResult::channels, &ComparisonResult::rows})
      EXPECT_EQ(x.*number, y.*number);
    auto haveSameBits = [](const auto &a, const auto &b) {
      if (a.empty() || a.size() != b.size())
        return a.size() == b.size();
      return std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
    };
    EXPECT_TRUE(haveSameBits(all.channelSums(), merged.channelSums()));
    EXPECT_TRUE(haveSameBits(all.channelExtents(), merged.channelExtents()));
  }
}

TEST(TensorComparison, WorstSampleIsCountedAcrossMerges) {
  Tensor b = tensorOf<float>({1, 2}), good = tensorOf<float>({1, 1}),
         bad = tensorOf<float>({2, -1});
  TensorComparison first, second;
  for (const Tensor &a : {b, good, b})
    first.add(a, b);
  for (const Tensor &a : {good, bad, bad})
    second.add(a, b);
  EXPECT_EQ(first.result().worstSample, 1);
  EXPECT_EQ(second.result().worstSample, 1);
  first.merge(second);
  first.merge(TensorComparison());
  ComparisonResult r = first.result();
  EXPECT_EQ(r.samples, 6);
  EXPECT_EQ(r.worstSample, 4);
  EXPECT_EQ(r.worstSampleCosine, 0);
}

TEST(TensorComparison, KeepsTheCosineOfEachSample) {
  Tensor b = tensorOf<float>({3, 4}), bad = tensorOf<float>({4, -3});
  TensorComparison first, second;
  first.add(b, b);
  second.add(bad, b);
  second.add(b, b);
  first.merge(second);
  EXPECT_EQ(first.sampleCosines(), (std::vector<float>{1, 0, 1}));
  first.clear();
  first.add(bad, b);
  EXPECT_EQ(first.sampleCosines(), (std::vector<float>{0}));
}

TEST(TensorComparison, KnowsTheErrorOfEachChannel) {
  Tensor a = tensorOf<float>({1, 2, 3, 4}, {1, 2, 2}),
         b = tensorOf<float>({1, 2, 6, 8}, {1, 2, 2});
  TensorComparison comparison;
  comparison.add(a, b);
  comparison.add(b, b);
  // Squares of 3 and 4 over four values, two of which are right.
  EXPECT_EQ(comparison.channelErrors(), (std::vector<float>{0, 2.5}));
}

TEST(TensorComparison, RowsAgreeOnRequest) {
  Tensor a = tensorOf<float>({1, 2, 0, 9, 8, 7, 0, 0, 1}, {3, 3});
  Tensor b = tensorOf<float>({0, 9, 1, 1, 0, 0, 5, 0, 1}, {3, 3});
  ComparisonResult r = compare(a, b, 1, {}, true);
  EXPECT_EQ(r.rows, 3);
  EXPECT_EQ(r.agreement, 2.0 / 3);
  EXPECT_EQ(compare(a, b).rows, 0);
  EXPECT_EQ(compare(a, b).agreement, 1);
}

TEST(TensorComparison, IntegersAndTruthValuesAgreeOrNot) {
  TensorComparison comparison;
  int64_t big = int64_t(1) << 60;
  comparison.add(tensorOf<int64_t>({1, big, 3}),
                 tensorOf<int64_t>({1, big, 3}));
  comparison.add(tensorOf<int64_t>({1, big, 3}),
                 tensorOf<int64_t>({1, big + 1, 4}));
  ComparisonResult r = comparison.result();
  EXPECT_TRUE(r.isExact);
  EXPECT_EQ(r.samples, 2);
  EXPECT_EQ(r.count, 6);
  EXPECT_EQ(r.agreement, 4.0 / 6);
  EXPECT_EQ(r.worstSample, 1);
  EXPECT_EQ(r.worstSampleCosine, 1.0 / 3);
  EXPECT_EQ(r.cosine, 1);
  EXPECT_EQ(r.channels, 0);

  EXPECT_EQ(
      compare(tensorOf<uint8_t>({1, 2}), tensorOf<uint8_t>({1, 3})).agreement,
      0.5);
  EXPECT_EQ(
      compare(tensorOf<int64_t>({-1, 2}), tensorOf<int32_t>({-1, 3})).agreement,
      0.5);
  uint8_t bytes[] = {0, 1, 2, 0}, others[] = {0, 7, 1, 1};
  EXPECT_EQ(
      compare(Tensor(DType::Bool, {4}, bytes), Tensor(DType::Bool, {4}, others))
          .agreement,
      0.75);
}

TEST(TensorComparison, FloatsOfOtherWidths) {
  Tensor b = tensorOf<float>({1, 2, 3});
  EXPECT_EQ(compare(tensorOf<double>({1, 2, 4}), b).mse, 1.0 / 3);
  Tensor half(DType::F16, {3});
  for (int i = 0; i < 3; ++i)
    half.data<Half>()[i] = Half(float(i + 2));
  EXPECT_EQ(compare(half, b).mse, 1);
}

TEST(TensorComparison, RefusesWhatCannotBeCompared) {
  TensorComparison comparison;
  EXPECT_THROW(comparison.add(tensorOf<float>({1, 2}), tensorOf<float>({1})),
               Error);
  EXPECT_THROW(comparison.add(tensorOf<float>({1}), tensorOf<int64_t>({1})),
               Error);
  EXPECT_THROW(comparison.add(tensorOf<int64_t>({1}), tensorOf<float>({1})),
               Error);
  EXPECT_EQ(comparison.result().samples, 0);
  comparison.add(tensorOf<float>({1}), tensorOf<float>({1}));
  EXPECT_THROW(comparison.add(tensorOf<int8_t>({1}), tensorOf<int8_t>({1})),
               Error);
  EXPECT_EQ(comparison.result().samples, 1);
}

TEST(TensorComparison, SamplesMayHaveDifferentChannels) {
  TensorComparison comparison;
  comparison.add(tensorOf<float>({1, 2}, {1, 2}),
                 tensorOf<float>({1, 2}, {1, 2}));
  comparison.add(tensorOf<float>({1, 2, 3}, {1, 3}),
                 tensorOf<float>({1, 2, -3}, {1, 3}));
  comparison.add(Tensor(DType::F32, {1, 0}), Tensor(DType::F32, {1, 0}));
  ComparisonResult r = comparison.result();
  EXPECT_EQ(r.channels, 3);
  EXPECT_EQ(r.worstChannel, 2);
  EXPECT_EQ(r.worstChannelCosine, -1);
  EXPECT_EQ(r.worstSample, 1);
}

/// Whichever registers a processor has, sums have the same bits.
TEST(PairColumns, SameBitsOnAnyProcessor) {
  Random random(77);
  for (int64_t rows : {0, 1, 2, 7, 128})
    for (int64_t stride : {8, 11, 64})
      for (bool summarizes : {false, true})
        for (bool isExtreme : {false, true}) {
          std::vector<float> a, b;
          for (int64_t i = 0; i < rows * stride + lanes; ++i) {
            a.push_back(float(random.real() - 0.5));
            b.push_back(a.back() + float(random.real()) * 1e-3f);
            if (isExtreme && random.next() % 5 == 0)
              a.back() = std::ldexp(a.back(), int(random.next() % 250) - 125);
            if (isExtreme && random.next() % 50 == 0)
              b.back() = random.next() % 2 ? infF : nanF;
          }
          PairColumns found, expected;
          // Twice: sums go on.
          for (int turn = 0; turn < 2; ++turn) {
            found.add({a.data(), b.data(), rows, stride}, summarizes);
            expected.addPortably({a.data(), b.data(), rows, stride},
                                 summarizes);
          }
          EXPECT_EQ(std::memcmp(&found, &expected, sizeof(found)), 0)
              << rows << " rows, " << stride << " apart";
        }
}

} // namespace
