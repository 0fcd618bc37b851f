//===- OutputVerdictTest.cpp - Whether an output may be used --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Tensors whose cosine hides what matters, from values to the verdict.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/OutputVerdict.h"

#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>

using namespace parallax;

namespace {

constexpr int64_t places = 64;

/// A value by sample, channel and place.
using ValueFn = std::function<double(int64_t, int64_t, int64_t)>;

/// An output of 1 × channels × places.
struct Output {
  int64_t samples = 8, channels = 1;
  ValueFn reference = {}, quantized = {};
  int64_t width = places;
  bool choosesClasses = false;
  /// Whether the layer says that places are the channels.
  bool isTurned = false;

  PrecisionReport report() const {
    PrecisionReport report;
    report.samples = samples;
    report.tables.push_back(
        {AnalysisMethod::EndToEnd, AnalysisMode::NPUBackend, {}, {}});
    PrecisionRow &row = report.tables[0].rows.emplace_back();
    row.node = row.tensor = "y";
    row.isOutput = true;
    row.groups = groupsAlong(isTurned ? 2 : 1, row.metrics);
    if (isTurned) {
      ComparisonResult ignored;
      row.groups = chooseGroups(
          row.groups, groupsAlong(1, ignored, &ChannelGroups::stableResult));
    }
    return report;
  }
  OutputVerdict verdict() const {
    return judgeOutputs(report()).front().verdict;
  }

private:
  std::vector<ChannelGroup> groupsAlong(
      int64_t axis, ComparisonResult &metrics,
      decltype(&ChannelGroups::result) found = &ChannelGroups::result) const {
    TensorComparison sums(axis, {}, choosesClasses);
    ChannelGroups groups;
    for (int64_t sample = 0; sample < samples; ++sample) {
      TensorComparison one(axis, {}, choosesClasses);
      one.add(tensorOf(sample, quantized), tensorOf(sample, reference));
      sums.merge(one);
      groups.add(one);
    }
    metrics = sums.result();
    return (groups.*found)(sums);
  }

  Tensor tensorOf(int64_t sample, const ValueFn &value) const {
    Tensor tensor(DType::F32,
                  width == 1 ? Shape{1, channels} : Shape{1, channels, width});
    for (int64_t i = 0; i < channels * width; ++i)
      tensor.data<float>()[i] = float(value(sample, i / width, i % width));
    return tensor;
  }
};

/// From -1 to 1, different for every sample, channel and place.
double noise(int64_t sample, int64_t channel, int64_t place) {
  return std::sin(double(1 + sample * 7919 + channel * 104729 + place * 31));
}

/// Rounded to steps, as codes are.
ValueFn rounded(const ValueFn &value, double step) {
  return [=](int64_t sample, int64_t channel, int64_t place) {
    return std::round(value(sample, channel, place) / step) * step;
  };
}

double boxesAndScores(int64_t sample, int64_t channel, int64_t place) {
  double unit = (1 + noise(sample, channel, place)) / 2;
  return channel < 4 ? 640 * unit : 0.93 * unit * unit;
}

TEST(OutputVerdict, FineCodesAreGood) {
  OutputVerdict verdict = Output{.channels = 4,
                                 .reference = noise,
                                 .quantized = rounded(noise, 0.01)}
                              .verdict();
  EXPECT_EQ(verdict.quality, OutputQuality::Good) << verdict.reason;
  EXPECT_EQ(verdict.reason, "");
  ASSERT_EQ(verdict.groups.size(), 1u);
  const ChannelGroup &group = verdict.groups[0];
  EXPECT_EQ(group.samples, 8);
  EXPECT_TRUE(group.channels.empty()) << "it is the whole output";
  EXPECT_LE(group.lowest, group.mean);
  EXPECT_LE(group.mean, group.highest);
  EXPECT_GT(group.deviation, 0);
  EXPECT_NEAR(group.cosine, group.mean, 1e-5);
}

TEST(OutputVerdict, BoxesDoNotHideScores) {
  Output output{.channels = 84,
                .reference = boxesAndScores,
                .quantized = rounded(boxesAndScores, 2.5)};
  PrecisionReport report = output.report();
  EXPECT_GT(report.tables[0].rows[0].metrics.cosine, 0.999);
  OutputVerdict verdict = output.verdict();
  EXPECT_EQ(verdict.quality, OutputQuality::Bad);
  EXPECT_TRUE(verdict.reason.starts_with("channels 4–83 (")) << verdict.reason;
  EXPECT_TRUE(verdict.reason.ends_with("are all 0 on the NPU"));
  ASSERT_EQ(verdict.groups.size(), 2u);
  EXPECT_EQ(verdict.groups[0].channels, (std::vector<ChannelRange>{{0, 3}}));
  EXPECT_EQ(verdict.groups[1].channels, (std::vector<ChannelRange>{{4, 83}}));
  EXPECT_EQ(verdict.weakestCosine(), 0);

  report.tables[0].mode = AnalysisMode::Reference;
  EXPECT_TRUE(judgeOutputs(report)[0].verdict.reason.ends_with(
      "are all 0 after quantization"));
  output.quantized = rounded(boxesAndScores, 0.01);
  EXPECT_EQ(output.verdict().quality, OutputQuality::Good);
}

TEST(OutputVerdict, ChannelsAreFoundAlongBothDimensions) {
  Output output{.channels = 16,
                .reference = boxesAndScores,
                .quantized = rounded(boxesAndScores, 2.5),
                .width = 32,
                .isTurned = true};
  OutputVerdict verdict = output.verdict();
  EXPECT_EQ(verdict.quality, OutputQuality::Bad);
  EXPECT_TRUE(verdict.reason.starts_with("channels 4–15 (")) << verdict.reason;
  // Groups with ranges of their own are judged by themselves, and may be good.
  output.quantized = rounded(boxesAndScores, 0.01);
  EXPECT_EQ(output.verdict().quality, OutputQuality::Good);
  EXPECT_EQ(output.verdict().groups.size(), 2u);
  // Scores beside boxes from 0 to 1 are lost, too.
  ValueFn relative = [](int64_t sample, int64_t channel, int64_t place) {
    return boxesAndScores(sample, channel, place) / (channel < 4 ? 640 : 1);
  };
  output.reference = relative;
  output.quantized = [&](int64_t sample, int64_t channel, int64_t place) {
    return channel > 12 ? 0.5 : relative(sample, channel, place);
  };
  EXPECT_EQ(output.verdict().quality, OutputQuality::Bad);
  EXPECT_TRUE(output.verdict().reason.starts_with("channels 13–15 ("))
      << output.verdict().reason;
}

TEST(OutputVerdict, ScoresMayBeSmallInSomeSamples) {
  // Some classes are in no part of a picture, and others in the next one.
  Output output{.channels = 16,
                .reference =
                    [](int64_t sample, int64_t channel, int64_t place) {
                      bool isFound = (channel + sample) % 5 > 0;
                      return noise(sample, channel, place) * (channel < 4 ? 640
                                                              : isFound   ? 0.9
                                                                        : 0.01);
                    },
                .width = 32,
                .isTurned = true};
  output.quantized = rounded(output.reference, 5);
  EXPECT_EQ(output.verdict().quality, OutputQuality::Bad);
  EXPECT_TRUE(output.verdict().reason.starts_with("channels 4–15 ("))
      << output.verdict().reason;
  EXPECT_EQ(output.verdict().groups.size(), 2u);
}

TEST(OutputVerdict, PlacesAreNoChannels) {
  // Something is heard at another time in every sample, and silence is lost.
  Output output{.channels = 32,
                .reference =
                    [](int64_t sample, int64_t time, int64_t feature) {
                      bool isLoud = (time + sample * 5) % 32 < 8;
                      return noise(sample, time, feature) * (isLoud ? 40 : 1);
                    },
                .width = 24,
                .isTurned = true};
  output.quantized = rounded(output.reference, 2.1);
  EXPECT_EQ(output.verdict().groups.size(), 1u);
  EXPECT_EQ(output.verdict().quality, OutputQuality::Good)
      << output.verdict().reason;
  // Where channels lie is also clear if both dimensions have groups.
  output.reference = [](int64_t sample, int64_t channel, int64_t feature) {
    return noise(sample, channel, feature) * (feature < 4 ? 40 : 1) *
           (channel < 4 ? 40 : 1);
  };
  output.quantized = output.reference;
  EXPECT_EQ(output.verdict().groups[0].channels,
            (std::vector<ChannelRange>{{0, 3}}));
}

TEST(OutputVerdict, KeypointsShareTheRangeOfBoxes) {
  // Boxes, a score, and points of x, y and how visible they are.
  ValueFn pose = [](int64_t sample, int64_t channel, int64_t place) {
    bool isScore = channel == 4 || (channel > 4 && (channel - 5) % 3 == 2);
    double unit = (1 + noise(sample, channel, place)) / 2;
    return isScore ? unit : 640 * unit;
  };
  OutputVerdict verdict =
      Output{.channels = 11, .reference = pose, .quantized = pose}.verdict();
  ASSERT_EQ(verdict.groups.size(), 2u);
  EXPECT_EQ(verdict.groups[0].channels,
            (std::vector<ChannelRange>{{0, 3}, {5, 6}, {8, 9}}));
  EXPECT_EQ(channelsText(verdict.groups[1].channels), "channels 4, 7, 10");
}

TEST(OutputVerdict, ProbabilitiesCompareAsTheyAre) {
  // Softmax: most classes are never likely, and become 0.
  ValueFn softmax = [](int64_t sample, int64_t channel, int64_t place) {
    bool isChosen = channel == (sample + place) % 10;
    return isChosen ? 0.95 : channel < 10 ? 0.005 : 1e-5;
  };
  Output output{.channels = 100,
                .reference = softmax,
                .quantized = rounded(softmax, 1.0 / 256)};
  PrecisionReport report = output.report();
  EXPECT_EQ(report.tables[0].rows[0].groups.size(), 1u);
  EXPECT_EQ(output.verdict().quality, OutputQuality::Good);
}

TEST(OutputVerdict, ASmallDeadChannelDoesNotCount) {
  ValueFn small = [](int64_t sample, int64_t channel, int64_t place) {
    return noise(sample, channel, place) * (channel == 3 ? 0.07 : 1);
  };
  Output output{
      .channels = 4,
      .reference = small,
      .quantized = [&](int64_t sample, int64_t channel, int64_t place) {
        return channel == 3 ? 0 : small(sample, channel, place);
      }};
  PrecisionReport report = output.report();
  EXPECT_EQ(report.tables[0].rows[0].metrics.deadChannels, 1);
  // It holds more than 1/16 of the range of the others.
  EXPECT_EQ(output.verdict().reason,
            "channel 3 (-0.07 … 0.07) is all 0 on the NPU");
  output.reference = [&](int64_t sample, int64_t channel, int64_t place) {
    return noise(sample, channel, place) * (channel == 3 ? 0.02 : 0.3);
  };
  output.quantized = [&](int64_t sample, int64_t channel, int64_t place) {
    return channel == 3 ? 0 : output.reference(sample, channel, place);
  };
  EXPECT_EQ(output.verdict().quality, OutputQuality::Bad);
  output.reference = [](int64_t sample, int64_t channel, int64_t place) {
    double value = noise(sample, channel, place);
    return channel == 3 ? 0.5 + 0.02 * value : value;
  };
  output.quantized = [&](int64_t sample, int64_t channel, int64_t place) {
    return channel == 3 ? 0.5 : output.reference(sample, channel, place);
  };
  EXPECT_EQ(output.verdict().quality, OutputQuality::Good);
}

TEST(OutputVerdict, DustIsNoGroup) {
  // Features that training has left at zero.
  ValueFn features = [](int64_t sample, int64_t channel, int64_t place) {
    return noise(sample, channel, place) * (channel == 3 ? 1e-7 : 5);
  };
  OutputVerdict verdict = Output{.channels = 8,
                                 .reference = features,
                                 .quantized = rounded(features, 0.01)}
                              .verdict();
  EXPECT_EQ(verdict.groups.size(), 1u);
  EXPECT_EQ(verdict.quality, OutputQuality::Good) << verdict.reason;
}

TEST(OutputVerdict, AGroupIsLostAsAWhole) {
  // Most classes are not in these pictures.
  ValueFn rare = [](int64_t sample, int64_t channel, int64_t place) {
    double value = boxesAndScores(sample, channel, place);
    return channel % 3 == 0 && channel > 3 ? value * 1e-3 : value;
  };
  Output output{
      .channels = 84, .reference = rare, .quantized = rounded(rare, 2.5)};
  EXPECT_EQ(output.verdict().reason,
            "channels 4–83 (0 … 0.93) are all 0 on the NPU");
}

TEST(OutputVerdict, OneWrongSampleIsEnough) {
  Output output{.samples = 32, .channels = 2, .reference = noise};
  output.quantized = [](int64_t sample, int64_t channel, int64_t place) {
    return noise(sample, channel, place) * (sample == 17 ? -1 : 1);
  };
  OutputVerdict verdict = output.verdict();
  EXPECT_EQ(verdict.quality, OutputQuality::Bad);
  EXPECT_NE(verdict.reason.find("sample 17 keeps"), std::string::npos)
      << verdict.reason;
  EXPECT_EQ(verdict.groups[0].worstSample, 17);
}

TEST(OutputVerdict, SamplesWithoutSignalDoNotCount) {
  // Nothing to be found in every second picture: the noise of that is 0.
  Output output{
      .reference = [](int64_t sample, int64_t channel, int64_t place) {
        double unit = (1 + noise(sample, channel, place)) / 2;
        return sample % 2 == 0 ? 1e-4 * unit : unit;
      }};
  output.quantized = rounded(output.reference, 1.0 / 256);
  EXPECT_EQ(output.verdict().quality, OutputQuality::Good);
  // What appears where nothing is counts in full.
  output.quantized = [&](int64_t sample, int64_t channel, int64_t place) {
    return sample == 2 ? noise(5, channel, place)
                       : output.reference(sample, channel, place);
  };
  EXPECT_EQ(output.verdict().quality, OutputQuality::Bad);
}

TEST(OutputVerdict, ASingleNumberHasNoDirection) {
  Output output{.reference = [](int64_t sample, int64_t,
                                int64_t) { return 0.1 + 0.1 * double(sample); },
                .width = 1};
  output.quantized = rounded(output.reference, 1.0 / 256);
  EXPECT_EQ(output.verdict().quality, OutputQuality::Good);
  output.quantized = [&](int64_t sample, int64_t, int64_t) {
    return sample == 7 ? 0.1 : output.reference(sample, 0, 0);
  };
  EXPECT_EQ(output.verdict().quality, OutputQuality::Bad);
}

TEST(OutputVerdict, FeaturesOfOneNumberAreOneGroup) {
  Output output{.channels = 16,
                .reference =
                    [](int64_t sample, int64_t channel, int64_t) {
                      return sample == 0 && channel == 3
                                 ? 1e-3
                                 : noise(sample, channel, 0);
                    },
                .width = 1};
  output.quantized = output.reference;
  EXPECT_EQ(output.verdict().groups.size(), 1u);
}

TEST(OutputVerdict, FewSamplesDecideNothing) {
  Output output{
      .samples = 1, .channels = 2, .reference = noise, .quantized = noise};
  EXPECT_EQ(output.verdict().quality, OutputQuality::Undecided);
  EXPECT_EQ(output.verdict().reason, "one sample is too few");
  // What is bad in one sample is bad.
  output.quantized = [](int64_t, int64_t, int64_t) { return 1; };
  EXPECT_EQ(output.verdict().quality, OutputQuality::Bad);
}

TEST(OutputVerdict, SamplesThatDifferMuchDecideLittle) {
  PrecisionReport report =
      Output{.channels = 1, .reference = noise, .quantized = noise}.report();
  ChannelGroup &group = report.tables[0].rows[0].groups[0];
  auto verdict = [&] { return judgeOutputs(report)[0].verdict; };
  group = {.cosine = 0.992,
           .samples = 8,
           .mean = 0.992,
           .deviation = 0.001,
           .worstSample = 3,
           .lowest = 0.96,
           .highest = 0.999};
  EXPECT_EQ(verdict().quality, OutputQuality::Good);
  EXPECT_EQ(decimalsOf(group), 4);
  group.deviation = 0.01;
  EXPECT_EQ(verdict().quality, OutputQuality::Undecided);
  EXPECT_NE(verdict().reason.find("too few or too different"),
            std::string::npos);
  EXPECT_EQ(decimalsOf(group), 3);
  group.deviation = 0.001;
  group.lowest = 0.94;
  EXPECT_NE(verdict().reason.find("sample 3 keeps 0.940"), std::string::npos);
  group.cosine = group.mean = 0.985;
  EXPECT_TRUE(verdict().reason.starts_with(
      "its cosine is below 0.99: measure the accuracy"))
      << verdict().reason;
  group.cosine = group.mean = 0.978;
  EXPECT_EQ(verdict().quality, OutputQuality::Bad);
  group.deviation = 0.01;
  EXPECT_EQ(verdict().quality, OutputQuality::Undecided);
}

TEST(OutputVerdict, NothingToCompareIsNotGood) {
  ValueFn zero = [](int64_t, int64_t, int64_t) { return 0; };
  Output zeros{.channels = 2, .reference = zero, .quantized = zero};
  EXPECT_EQ(zeros.verdict().reason,
            "it is one and the same number in the float network");
  EXPECT_FALSE(zeros.verdict().isCompared);
  EXPECT_EQ(whyNotJudged(zeros.report()),
            fmt::format("of output '{}', it is one and the same number in the "
                        "float network",
                        zeros.report().tables[0].rows[0].tensor));
  PrecisionReport report =
      Output{.channels = 2, .reference = noise, .quantized = noise}.report();
  PrecisionRow &row = report.tables[0].rows[0];
  auto verdict = [&] { return judgeOutputs(report)[0].verdict; };
  EXPECT_EQ(verdict().quality, OutputQuality::Good);
  EXPECT_EQ(whyNotJudged(report), "");
  report.inputs.emplace_back().metrics.reference.count = 100;
  EXPECT_EQ(verdict().reason, "the inputs hold the same number in all samples");
  report.inputs[0].metrics.reference.max = 1;
  EXPECT_EQ(verdict().quality, OutputQuality::Good);
  row.metrics.count = 0;
  EXPECT_EQ(verdict().reason, "it has no elements");
  row.metrics.samples = 0;
  EXPECT_EQ(verdict().reason, "no sample was compared");
  EXPECT_EQ(verdict().quality, OutputQuality::Undecided);
  EXPECT_FALSE(areOutputsGood({}));
}

TEST(OutputVerdict, ZerosThatBecomeNumbersAreBad) {
  Output output{.channels = 2,
                .reference = [](int64_t, int64_t, int64_t) { return 0; }};
  output.quantized = noise;
  EXPECT_EQ(output.verdict().quality, OutputQuality::Bad);
}

TEST(OutputVerdict, TheLargestElementCountsIfItIsClear) {
  // Two classes that are nearly equal, or far apart.
  auto classes = [](double lead) {
    return [lead](int64_t sample, int64_t channel, int64_t) {
      return channel == sample % 8 ? 10.0
             : channel == 8        ? 10 - lead
                                   : noise(sample, channel, 0);
    };
  };
  auto overtaken = [](const ValueFn &value) {
    return [value](int64_t sample, int64_t channel, int64_t place) {
      return value(sample, channel, place) +
             (channel == 8 && sample % 4 == 0 ? 1.1 : 0);
    };
  };
  Output output{
      .samples = 64, .channels = 10, .width = 1, .choosesClasses = true};
  output.reference = classes(0.5);
  output.quantized = overtaken(output.reference);
  EXPECT_EQ(output.report().tables[0].rows[0].metrics.agreement, 0.75);
  EXPECT_EQ(output.verdict().quality, OutputQuality::Good);
  output.reference = classes(1);
  output.quantized = overtaken(output.reference);
  EXPECT_EQ(output.verdict().quality, OutputQuality::Bad);
  EXPECT_EQ(output.verdict().reason,
            "the largest element is clearly at another place in 16 of 64");
}

TEST(OutputVerdict, IntegersHaveToBeEqual) {
  PrecisionReport report;
  report.tables.push_back(
      {AnalysisMethod::EndToEnd, AnalysisMode::NPUBackend, {}, {}});
  PrecisionRow &row = report.tables[0].rows.emplace_back();
  row.isOutput = true;
  row.metrics.isExact = true;
  row.metrics.samples = 10;
  row.metrics.count = row.metrics.rows = 1000;
  row.metrics.worstSampleCosine = 0.5;
  auto qualityAt = [&](double agreement) {
    row.metrics.agreement = agreement;
    return judgeOutputs(report)[0].verdict.quality;
  };
  EXPECT_EQ(qualityAt(1), OutputQuality::Good);
  EXPECT_EQ(qualityAt(0.98), OutputQuality::Undecided);
  EXPECT_EQ(qualityAt(0.9), OutputQuality::Bad);
}

TEST(OutputWorth, GroupsOfChannelsCountAlike) {
  // Boxes of 100, scores of 0.5, by 1 x 6 x 8.
  Tensor output(DType::F32, {1, 6, 8});
  for (int64_t i = 0; i < output.size(); ++i)
    output.data<float>()[i] = i < 32 ? 100.0f + float(i) : 0.5f;
  Tensor plain(DType::F32, {1, 2, 8});
  std::fill_n(plain.data<float>(), plain.size(), 3.0f);
  std::vector<float> worth(48), other(16);
  std::vector<Tensor> outputs = {output, plain};
  std::vector<std::span<float>> weights = {worth, other};
  ASSERT_TRUE(weighByGroups(outputs, weights));
  double boxes = 0, scores = 0;
  for (int64_t i = 0; i < output.size(); ++i) {
    double value = output.data<float>()[i];
    (i < 32 ? boxes : scores) += worth[size_t(i)] * value * value;
  }
  EXPECT_NEAR(boxes, 1, 1e-5);
  EXPECT_NEAR(scores, 1, 1e-5);
  EXPECT_EQ(other, std::vector<float>(16, 1.0f));
  // Nothing is known where no output has groups.
  EXPECT_FALSE(
      weighByGroups(std::span(outputs).last(1), std::span(weights).last(1)));
}

} // namespace
