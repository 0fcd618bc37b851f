//===- BitEvidenceTest.cpp - How differing bits are classified ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every mistake that the NPU can make, made by hand on numbers whose exact
// results are known.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/BitEvidence.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace parallax {
namespace {

class BitEvidenceTest : public testing::Test {
protected:
  BitEvidenceTest() {
    std::mt19937 generator(11);
    std::uniform_real_distribution<double> distribution(-40, 300);
    for (int i = 0; i < 500; ++i)
      exact.push_back(distribution(generator));
  }

  static int64_t held(double code) {
    return std::clamp<int64_t>(int64_t(code), 0, 255);
  }
  static int64_t rounded(double value) { return held(std::floor(value + 0.5)); }

  /// The evidence for a machine that makes `machine(i)` of element i, all
  /// others being right.
  BitEvidence evidenceOf(const std::function<int64_t(size_t)> &machine) {
    BitEvidence evidence;
    evidence.codes = {0.5f, 100, 0, 255};
    for (size_t i = 0; i < exact.size(); ++i) {
      evidence.reference.push_back(rounded(exact[i]));
      evidence.machine.push_back(machine(i));
      if (evidence.machine[i] != evidence.reference[i])
        evidence.results.push_back({int64_t(i), exact[i], 1e-6, 1e-4});
    }
    EXPECT_FALSE(evidence.results.empty());
    return evidence;
  }

  std::vector<double> exact;
};

TEST_F(BitEvidenceTest, AReferenceThatIsNotFiniteIsToBlame) {
  // NaN becomes the least code.
  auto evidenceOfNaN = [&](auto machine) {
    BitEvidence evidence = evidenceOf(machine);
    for (size_t i = 0; i < 40; ++i) {
      evidence.machine[i] = rounded(exact[i]);
      evidence.reference[i] = 0;
      evidence.results.push_back({int64_t(i), exact[i], 1e-6, 1e-4, false});
    }
    return evidence;
  };
  exact[100] = 17.4999999;
  auto right = [&](size_t i) { return rounded(exact[i] + (i == 100 ? 1 : 0)); };
  BitEvidence evidence = evidenceOfNaN(right);
  EXPECT_EQ(classify(evidence), DifferenceClass::ReferenceNotFinite);
  EXPECT_FALSE(isFault(DifferenceClass::ReferenceNotFinite));
  EXPECT_TRUE(isFaultOfReference(DifferenceClass::ReferenceNotFinite));
  // Where the exact result is none either, nobody else can be blamed.
  for (ExactResult &result : evidence.results) {
    if (!result.isReferenceFinite)
      result.value = NAN;
    result.isReferenceFinite = true;
  }
  EXPECT_EQ(classify(evidence), DifferenceClass::ReferenceNotFinite);
  // A machine that is wrong elsewhere stays wrong.
  auto wrong = [&](size_t i) { return held(exact[i] / 2); };
  EXPECT_TRUE(isFault(classify(evidenceOfNaN(wrong))));
}

TEST_F(BitEvidenceTest, ATieIsNoFault) {
  exact[3] = 17.4999999;
  exact[8] = 40.49995;
  DifferenceClass found = classify(evidenceOf([&](size_t i) {
    return i == 3 || i == 8 ? rounded(exact[i] + 0.4) : rounded(exact[i]);
  }));
  // The second one is a tie for floats, but the NPU has more bits.
  EXPECT_EQ(found, DifferenceClass::Rounding);
  exact[8] = 40;
  found = classify(evidenceOf([&](size_t i) {
    return i == 3 ? rounded(exact[i] + 0.4) : rounded(exact[i]);
  }));
  EXPECT_EQ(found, DifferenceClass::RoundingTie);
  EXPECT_FALSE(isFault(found));
}

TEST_F(BitEvidenceTest, TheReferenceCanBeWrong) {
  BitEvidence evidence =
      evidenceOf([&](size_t i) { return rounded(exact[i]) - (i == 5); });
  evidence.machine.swap(evidence.reference);
  EXPECT_EQ(classify(evidence), DifferenceClass::ReferenceSum);
  EXPECT_FALSE(isFault(DifferenceClass::ReferenceSum));
}

TEST_F(BitEvidenceTest, TruncationIsAWrongRounding) {
  DifferenceClass found = classify(
      evidenceOf([&](size_t i) { return held(std::floor(exact[i])); }));
  EXPECT_EQ(found, DifferenceClass::Rounding);
  EXPECT_TRUE(isFault(found));
}

TEST_F(BitEvidenceTest, AZeroPointMovesAllCodes) {
  for (double offset : {1.0, -1.0, 7.0})
    EXPECT_EQ(classify(evidenceOf(
                  [&](size_t i) { return rounded(exact[i] + offset); })),
              DifferenceClass::ScaleOrZeroPoint)
        << offset;
}

TEST_F(BitEvidenceTest, AWrongShiftIsAProportion) {
  for (double factor : {0.5, 2.0, 0.9})
    EXPECT_EQ(classify(evidenceOf([&](size_t i) {
                return rounded(100 + factor * (exact[i] - 100));
              })),
              DifferenceClass::ScaleOrZeroPoint)
        << factor;
}

TEST_F(BitEvidenceTest, SaturationAtTheWrongCode) {
  EXPECT_EQ(classify(evidenceOf([&](size_t i) {
              return std::min<int64_t>(rounded(exact[i]), 200);
            })),
            DifferenceClass::Saturation);
  // One code too early.
  EXPECT_EQ(classify(evidenceOf([&](size_t i) {
              return std::min<int64_t>(rounded(exact[i]), 254);
            })),
            DifferenceClass::Saturation);
  // Not at all: what is beyond the codes wraps.
  EXPECT_EQ(classify(evidenceOf([&](size_t i) {
              return int64_t(std::floor(exact[i] + 0.5)) & 255;
            })),
            DifferenceClass::Saturation);
}

TEST_F(BitEvidenceTest, OtherSumsAreTheAccumulator) {
  EXPECT_EQ(classify(evidenceOf([&](size_t i) {
              return rounded(exact[i] + double(i % 5) * 4);
            })),
            DifferenceClass::Accumulator);
}

TEST_F(BitEvidenceTest, TheSameCodesElsewhereAreALayout) {
  EXPECT_EQ(
      classify(evidenceOf([&](size_t i) { return rounded(exact[i ^ 1]); })),
      DifferenceClass::Layout);
}

TEST_F(BitEvidenceTest, TiesDoNotHideAFault) {
  auto withTies = [&](size_t i, int64_t code) {
    return i % 7 == 0 ? held(double(code) + 1) : code;
  };
  EXPECT_EQ(classify(evidenceOf([&](size_t i) {
              return std::min<int64_t>(withTies(i, rounded(exact[i])), 200);
            })),
            DifferenceClass::Saturation);
  EXPECT_EQ(classify(evidenceOf(
                [&](size_t i) { return withTies(i, rounded(exact[i ^ 1])); })),
            DifferenceClass::Layout);
}

TEST_F(BitEvidenceTest, AnApproximationDoesNotMoveAllCodes) {
  BitEvidence evidence =
      evidenceOf([&](size_t i) { return rounded(exact[i]) + 1; });
  evidence.arithmetic = LayerArithmetic::Interpolation;
  evidence.tolerance = 16.5;
  EXPECT_EQ(classify(evidence), DifferenceClass::ScaleOrZeroPoint);
}

TEST_F(BitEvidenceTest, TablesAreAllowedWhatTheyAre) {
  auto machine = [&](size_t i) {
    return rounded(exact[i] + 3 * std::sin(double(i)));
  };
  BitEvidence evidence = evidenceOf(machine);
  evidence.arithmetic = LayerArithmetic::Interpolation;
  evidence.tolerance = 4;
  EXPECT_EQ(classify(evidence), DifferenceClass::TableInterpolation);
  evidence.tolerance = 2;
  EXPECT_EQ(classify(evidence), DifferenceClass::TableEntries);
  evidence.arithmetic = LayerArithmetic::DirectTable;
  EXPECT_EQ(classify(evidence), DifferenceClass::TableEntries);
  EXPECT_TRUE(isFault(DifferenceClass::TableEntries));
  evidence.arithmetic = LayerArithmetic::Approximation;
  evidence.tolerance = 4;
  EXPECT_EQ(classify(evidence), DifferenceClass::Approximation);
}

TEST_F(BitEvidenceTest, CountsKnowWhereAndHowFar) {
  auto tensorOf = [](std::vector<uint8_t> codes) {
    return Tensor::fromValues<uint8_t>({int64_t(codes.size())}, codes);
  };
  AffineParams codes{1, 0, 0, 255};
  BitCounts first, second;
  first.elements = second.elements = 4;
  first.add(tensorOf({1, 2, 3, 4}), tensorOf({1, 2, 3, 4}), codes, 0);
  EXPECT_EQ(first.firstSample, -1);
  second.add(tensorOf({1, 2, 255, 0}), tensorOf({1, 7, 252, 0}), codes, 1);
  first.merge(second);
  EXPECT_EQ(first.elements, 8);
  EXPECT_EQ(first.differing, 2);
  EXPECT_EQ(first.low, -3);
  EXPECT_EQ(first.high, 5);
  EXPECT_EQ(first.maxCodes(), 5);
  EXPECT_EQ(first.atEnds, 1);
  EXPECT_EQ(first.firstSample, 1);
  EXPECT_EQ(first.part(), 0.25);
}

TEST_F(BitEvidenceTest, FewCodesNextToEachOtherAreNoSuspects) {
  BitCounts counts;
  counts.elements = 10000;
  counts.differing = 20;
  counts.high = 1;
  EXPECT_FALSE(isSuspect({counts}));
  counts.differing = 2500;
  EXPECT_TRUE(isSuspect({counts}));
  counts.differing = 20;
  counts.atEnds = 15;
  EXPECT_TRUE(isSuspect({counts}));
  counts.atEnds = 0;
  counts.high = 2;
  EXPECT_TRUE(isSuspect({counts}));
  EXPECT_FALSE(isSuspect({counts, LayerArithmetic::Interpolation, 16.5, true}));
  counts.high = 18;
  EXPECT_TRUE(isSuspect({counts, LayerArithmetic::Interpolation, 16.5, true}));
}

} // namespace
} // namespace parallax
