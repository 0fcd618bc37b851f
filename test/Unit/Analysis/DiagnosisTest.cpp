//===- DiagnosisTest.cpp - Why a network loses ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each cause is read off facts of a network that has nothing else wrong.
//===----------------------------------------------------------------------===//
#include "AnalysisChain.h"
#include "parallax/Analysis/Suggest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace parallax;

namespace {

testing::AssertionResult says(const std::string &facts,
                              const std::string &text) {
  return facts.find(text) != std::string::npos
             ? testing::AssertionSuccess()
             : testing::AssertionFailure() << facts;
}

/// The first diagnosis of a tensor.
Diagnosis find(const PrecisionReport &report, const std::string &tensor,
               Cause cause) {
  std::string others;
  for (const Diagnosis &diagnosis : diagnose(report)) {
    if (diagnosis.tensor == tensor && diagnosis.cause == cause)
      return diagnosis;
    others += diagnosis.tensor + " " + std::string(nameOf(diagnosis.cause)) +
              ": " + diagnosis.facts + "\n";
  }
  ADD_FAILURE() << "no " << nameOf(cause) << " of " << tensor << " among\n"
                << others;
  return {};
}

//===----------------------------------------------------------------------===//
// Causes
//===----------------------------------------------------------------------===//

TEST(Diagnosis, AHealthyNetworkHasNone) {
  EXPECT_TRUE(diagnose(Chain().report).empty());
  EXPECT_TRUE(diagnose({}).empty());
  Chain chain;
  chain.report.attribution.reset();
  EXPECT_TRUE(diagnose(chain.report).empty());
}

TEST(Diagnosis, Saturation) {
  Chain chain;
  chain.layer(1).metrics.saturated = 0.031;
  chain.layer(1).metrics.cosine = 0.9;
  chain.layer(1).metrics.reference.max = 5.125;
  chain.layer(1).metrics.mse = 0.2;
  Diagnosis found = find(chain.report, "b_out", Cause::Saturation);
  EXPECT_EQ(found.node, "b");
  EXPECT_TRUE(says(found.facts, "3.1 % of the values"));
  EXPECT_TRUE(says(found.facts, "they reach 5.12"));
}

TEST(Diagnosis, DeadChannelsThoughTheCosineIsGood) {
  Chain chain;
  chain.layer(2).metrics.deadChannels = 6;
  EXPECT_TRUE(says(find(chain.report, "c_out", Cause::DeadChannels).facts,
                   "6 of 8 channels vary by less than half a step"));
  // A few without an effect on the outputs are not reported.
  chain.layer(2).metrics.deadChannels = 0;
  chain.layer(0).metrics.deadChannels = 1;
  EXPECT_TRUE(diagnose(chain.report).empty());
}

TEST(Diagnosis, ClassesThatAreNeverLikelyAreNotDead) {
  Chain chain;
  chain.layer(2).metrics.deadChannels = 6;
  chain.layer(2).type = "Softmax";
  EXPECT_TRUE(diagnose(chain.report).empty());
  // Of outputs that are judged, those count that hold something.
  chain.layer(2).type = "Sigmoid";
  ChannelGroup group;
  chain.layer(2).groups = {group};
  EXPECT_TRUE(diagnose(chain.report).empty());
  group.lost.channels = {{4, 5}};
  chain.layer(2).groups = {group};
  find(chain.report, "c_out", Cause::DeadChannels);
  // The same if they are moved into an output.
  chain.layer(1).metrics.deadChannels = 6;
  chain.layer(2).metrics.deadChannels = 0;
  chain.layer(2).moves = true;
  find(chain.report, "b_out", Cause::DeadChannels);
  chain.layer(2).groups = {ChannelGroup()};
  EXPECT_TRUE(diagnose(chain.report).empty());
  chain.layer(1).metrics.deadChannels = 0;
  chain.layer(2).metrics.deadChannels = 6;
  chain.layer(2).moves = false;
  // What is bad has another reason.
  chain.layer(2).type = "Softmax";
  chain.layer(2).groups.clear();
  chain.layer(2).metrics.cosine = 0.9;
  OutlierRow outliers{.tensor = "c_out", .channels = 8};
  outliers.peak = {7, 0.9, 0.01};
  chain.report.outliers = {outliers};
  find(chain.report, "c_out", Cause::CoarseStep);
}

TEST(Diagnosis, ActivationOutliersOfWhatABadLayerReads) {
  Chain chain;
  OutlierRow outliers{.tensor = "a_out", .channels = 8};
  outliers.peak = {7, 90, 1.5};
  chain.report.outliers = {outliers};
  chain.layer(0).codes->scale = 0.5;
  chain.layer(1).metrics.cosine = 0.98;
  chain.layer(1).metrics.mse = 0.04;
  Diagnosis found = find(chain.report, "a_out", Cause::ActivationOutliers);
  EXPECT_TRUE(
      says(found.facts, "channel 7 reaches 90, the median channel 1.5"));
  EXPECT_TRUE(says(found.facts, "b, which reads it"));
  // Where the weights of the layer make the channel loud, they are the cause.
  chain.report.weights[0].outputs = {7, 20, 1};
  EXPECT_TRUE(says(find(chain.report, "a_out", Cause::WeightRange).facts,
                   "channel 7 of the weights reaches 20, the median "
                   "channel 1"));
}

TEST(Diagnosis, WeightRange) {
  Chain chain;
  chain.lose(0.1, 2, &AttributionRow::weights);
  chain.report.weights[1].inputs = {3, 4, 0.5};
  chain.report.weights[1].mse = 0.001;
  Diagnosis found = find(chain.report, "b_out", Cause::WeightRange);
  EXPECT_TRUE(says(found.facts, "10 % of their size"));
  EXPECT_TRUE(says(found.facts, "channel 3 of what it reads they reach 4"));
  EXPECT_NEAR(found.loss, 0.1, 0.001);
}

TEST(Diagnosis, CoarseStep) {
  Chain chain;
  chain.lose(0.1, 2, &AttributionRow::activations);
  chain.layer(1).codes->scale = 0.02f;
  EXPECT_TRUE(says(find(chain.report, "b_out", Cause::CoarseStep).facts,
                   "one step of 0.02 is 2 % of the root mean square 1"));
  chain.layer(1).codes = AffineParams{4, 128, 0, 255};
  EXPECT_TRUE(says(find(chain.report, "b_out", Cause::CoarseStep).facts,
                   "the codes cover -512 … 508, the values lie in -3 … "
                   "3"));
}

/// Codes are wide because the calibration has seen so much, or because somebody
/// else shares them.
TEST(Diagnosis, WideRange) {
  Chain chain;
  chain.lose(0.1, 2, &AttributionRow::activations);
  chain.layer(1).codes = AffineParams{4, 128, 0, 255};
  chain.layer(1).metrics.deadChannels = 6;
  chain.layer(1).metrics.cosine = 0.9;
  find(chain.report, "b_out", Cause::DeadChannels);
  std::vector<Diagnosis> found =
      diagnose(chain.report, {{"b_out", {-512, 508}}});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].tensor, "b_out");
  EXPECT_EQ(found[0].cause, Cause::WideRange);
  EXPECT_TRUE(says(found[0].facts, "the codes cover -512 … 508, the values lie "
                                   "in -3 … 3; 6 of 8 channels vary"));
  EXPECT_EQ(diagnose(chain.report, {{"b_out", {-3, 3}}})[0].cause,
            Cause::DeadChannels);
}

TEST(Diagnosis, Upstream) {
  Chain chain;
  chain.lose(0.1, 2, &AttributionRow::activations);
  Diagnosis found = find(chain.report, "c_out", Cause::Upstream);
  EXPECT_TRUE(says(found.facts, "with what it reads 0.90000; the most "
                                "comes from b (100 %)"));
}

TEST(Diagnosis, InputPreparation) {
  Chain chain;
  chain.report.calibratedInputs = {{"image", {64, -150, 150, 3, 3600}}};
  Diagnosis found = find(chain.report, "image", Cause::InputPreparation);
  EXPECT_TRUE(says(found.facts, "mean 3 and standard deviation 60, those "
                                "that are analyzed have 0 and 1"));
  // Moved, but as wide.
  chain.report.calibratedInputs = {{"image", {64, 0, 6, 3, 1}}};
  find(chain.report, "image", Cause::InputPreparation);
  // Nothing to see.
  chain.report.calibratedInputs = {{"image", {64, -3, 3, 0.1, 1.1}}};
  EXPECT_TRUE(diagnose(chain.report).empty());
}

TEST(Diagnosis, ANarrowCalibrationIsSaturation) {
  Chain chain;
  chain.report.calibratedInputs = {{"image", {64, -0.75, 0.75, 0, 1.0 / 16}}};
  chain.report.inputs[0].codes->scale /= 4;
  chain.report.inputs[0].metrics.saturated = 0.4;
  EXPECT_TRUE(says(find(chain.report, "image", Cause::Saturation).facts,
                   "40 % of the values lie beyond"));
}

TEST(Diagnosis, MachineArithmeticComesFirst) {
  Chain chain;
  chain.lose(0.1, 2, &AttributionRow::activations);
  BitDifference difference;
  difference.tensor = "a_out";
  difference.elements = 128;
  difference.differing = 12;
  difference.maxCodes = 3;
  difference.difference = DifferenceClass::Accumulator;
  chain.report.differences = {difference};
  EXPECT_EQ(diagnose(chain.report)[0].cause, Cause::MachineArithmetic);
  EXPECT_TRUE(says(diagnose(chain.report)[0].facts,
                   "12 of 128 codes differ between the engines, by up to "
                   "3"));
  chain.report.differences[0].difference = DifferenceClass::RoundingTie;
  EXPECT_NE(diagnose(chain.report)[0].cause, Cause::MachineArithmetic);
  chain.report.differences[0].difference = DifferenceClass::ReferenceNotFinite;
  EXPECT_EQ(diagnose(chain.report)[0].cause, Cause::ReferenceArithmetic);
}

} // namespace
