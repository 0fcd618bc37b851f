//===- CalibrateTest.cpp - Ranges of a network's tensors ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Against a straightforward implementation that keeps every activation; any
// number of threads gives the same file.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Calibrate/Calibrate.h"
#include "OptimizeTestSupport.h"
#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Dialect/NN/QuantRule.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Passes/Calibrate/CalibrationFile.h"
#include "parallax/Passes/Calibrate/TensorMethods.h"
#include "parallax/Support/Error.h"

#include "../Support/TempDir.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Verifier.h"

#include <cmath>
#include <fstream>
#include <map>

using namespace parallax;

namespace {

constexpr const char *convReluNetwork = R"(
func.func @main(%x: tensor<1x2x8x8xf32> {nn.name = "x"}) -> (tensor<1x4x8x8xf32> {nn.name = "y"}) {
  %w = nn.constant dense<[[[[0.5]], [[-1.0]]], [[[2.0]], [[0.25]]], [[[-0.5]], [[1.0]]], [[[1.0]], [[1.0]]]]> : tensor<4x2x1x1xf32>
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x2x8x8xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x8x8xf32> loc("conv"("t"))
  %1 = nn.relu %0 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> loc("relu"("y"))
  return %1 : tensor<1x4x8x8xf32>
}
)";

constexpr size_t waveSampleCount = 7;

/// The third sample is five times as large as the others.
std::vector<Tensor> load(size_t sample) {
  Tensor tensor(DType::F32, {1, 2, 8, 8});
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.data<float>()[i] = std::sin(float(i) * 0.37f + float(sample)) *
                              (sample == 2 ? 5.0f : 1.0f);
  return {tensor};
}

/// Keeps every value of every tensor.
class Keeper : public Observer {
public:
  explicit Keeper(std::map<std::string, std::vector<float>> &values)
      : values(values) {}
  void onResult(const LayerResult &layer, const Tensor &value) override {
    std::span<const float> data = value.values<float>();
    values[layer.tensor].insert(values[layer.tensor].end(), data.begin(),
                                data.end());
  }

private:
  std::map<std::string, std::vector<float>> &values;
};

class CalibrateTest : public OptimizeTest {
protected:
  CalibrateTest() {
    context.loadDialect<mlir::quant::QuantDialect>();
    parse(convReluNetwork);
    PrepareOptions options;
    options.observe = true;
    executable = prepare(function(), referenceKernels(), options);
  }

  NetworkStatistics collect(QuantMethod method, int threads = 1) {
    CalibrationOptions options;
    options.method = method;
    options.threads = threads;
    return collectStatistics(executable, waveSampleCount, load, options);
  }

  Executable executable;
};

TEST_F(CalibrateTest, ExtremesAreThoseOfAllValues) {
  std::map<std::string, std::vector<float>> values;
  SampleCallbacks callbacks;
  callbacks.load = load;
  callbacks.observe = [&](size_t) { return std::make_unique<Keeper>(values); };
  callbacks.consume = [](size_t, std::span<const Tensor>) {};
  runSamples(executable, waveSampleCount, 1, callbacks);
  for (QuantMethod method : {QuantMethod::MinMax, QuantMethod::Kl}) {
    NetworkStatistics statistics = collect(method);
    ASSERT_EQ(statistics.size(), 3u);
    EXPECT_EQ(statistics[0].tensor, "x");
    for (const TensorStatistics &tensor : std::span(statistics).subspan(1)) {
      const std::vector<float> &all = values[tensor.tensor];
      EXPECT_EQ(tensor.histogram.count(), int64_t(all.size()));
      EXPECT_EQ(tensor.histogram.min(), *std::ranges::min_element(all));
      EXPECT_EQ(tensor.histogram.max(), *std::ranges::max_element(all));
      EXPECT_EQ(tensor.channelAxis, 1);
      ASSERT_EQ(tensor.channelMax.size(), 4u);
      for (size_t channel = 0; channel < 4; ++channel) {
        float most = -INFINITY;
        for (size_t i = 0; i < all.size(); ++i)
          if (i / 64 % 4 == channel)
            most = std::max(most, all[i]);
        EXPECT_EQ(tensor.channelMax[channel], most);
      }
    }
  }
}

TEST_F(CalibrateTest, TensorsMayHaveAMethodOfTheirOwn) {
  CalibrationOptions options;
  options.percentile = 0.9;
  // What the Relu reads has the range of what it makes.
  std::vector<TensorConfig> configs(3);
  configs[0].opTypes = {"Relu"};
  configs[0].calibrationMethod = QuantMethod::Mse;
  configs[1].tensorNames = {"t"};
  configs[1].calibrationMethod = QuantMethod::Percentile;
  configs[1].bits = 8;
  configs[2].tensorNames = {"x"};
  configs[2].calibrationMethod = QuantMethod::Percentile;
  configs[2].percentile = 0.75;
  configs[2].bits = 16;
  options.methodOf = methodsOfTensors(function(), configs, 0.9).byName;
  EXPECT_EQ(options.methodFor("y", 8).method, QuantMethod::Percentile);
  EXPECT_EQ(options.methodFor("y", 16).method, QuantMethod::Mse);
  EXPECT_EQ(options.methodFor("x", 8).method, QuantMethod::MinMax);
  EXPECT_EQ(options.methodFor("x", 16).method, QuantMethod::Percentile);
  auto rangesOf = [&](const CalibrationOptions &options) {
    return chooseRanges(function(),
                        collectStatistics(prepareCalibration(function()),
                                          waveSampleCount, load, options),
                        options, waveSampleCount);
  };
  Calibration mixed = rangesOf(options);
  CalibrationOptions all;
  all.percentile = 0.9;
  Calibration minMax = rangesOf(all);
  all.method = QuantMethod::Percentile;
  Calibration percentile = rangesOf(all);
  ASSERT_EQ(mixed.tensors.size(), 3u);
  EXPECT_EQ(mixed.method, "MinMax");
  EXPECT_EQ(mixed.tensors[0].u8Method, "");
  EXPECT_EQ(mixed.tensors[0].u8, minMax.tensors[0].u8);
  EXPECT_LT(mixed.tensors[0].u16.high, percentile.tensors[0].u16.high);
  all.percentile = 0.75;
  EXPECT_EQ(mixed.tensors[0].u16, rangesOf(all).tensors[0].u16);
  for (size_t i : {1, 2}) {
    EXPECT_EQ(mixed.tensors[i].u8Method, "Percentile");
    EXPECT_EQ(mixed.tensors[i].u16Method, "MSE");
    EXPECT_EQ(mixed.tensors[i].u8, percentile.tensors[i].u8);
    EXPECT_NE(mixed.tensors[i].u8, minMax.tensors[i].u8);
  }
  // The file says so, and can be read back.
  TempDir folder;
  std::ofstream(folder / "c.json") << toJson(mixed);
  EXPECT_EQ(toJson(readCalibration(folder / "c.json")), toJson(mixed));
}

TEST_F(CalibrateTest, TensorsThatAreNotThereAreNamed) {
  std::vector<TensorConfig> configs(1);
  configs[0].tensorNames = {"yy"};
  configs[0].layerNames = {"rely"};
  TensorMethods methods = methodsOfTensors(function(), configs, 0.9);
  EXPECT_TRUE(methods.byName.empty());
  EXPECT_EQ(methods.unmatched,
            (std::vector<std::string>{
                "'quant.tensor_configs[0]': the network has no tensor 'yy'; "
                "did you mean 'y'?",
                "'quant.tensor_configs[0]': the network has no layer 'rely'; "
                "did you mean 'relu'?"}));
}

TEST_F(CalibrateTest, KnowsWhichSampleSetTheRange) {
  for (const TensorStatistics &tensor : collect(QuantMethod::MinMax)) {
    EXPECT_EQ(tensor.maxSample, 2u);
    // Without it the range would be less than half as wide.
    EXPECT_LT(tensor.nextMax, tensor.histogram.max() / 2);
    EXPECT_GT(tensor.nextMax, 0);
  }
}

TEST_F(CalibrateTest, AnyNumberOfThreadsGivesTheSameRanges) {
  for (auto [method, name] : enumNames<QuantMethod>()) {
    CalibrationOptions options;
    options.method = method;
    NetworkStatistics one = collect(method, 1), three = collect(method, 3);
    ASSERT_EQ(one.size(), three.size());
    for (size_t i = 0; i < one.size(); ++i)
      for (int bits : {8, 16}) {
        Interval a = chooseRange(one[i], options, bits);
        Interval b = chooseRange(three[i], options, bits);
        EXPECT_EQ(a.low, b.low);
        EXPECT_EQ(a.high, b.high);
        EXPECT_LE(a.low, 0);
        EXPECT_GE(a.high, 0);
      }
  }
}

TEST_F(CalibrateTest, BlocksOfChannelsGiveTheSame) {
  parse(R"(
func.func @main(%x: tensor<1x2x8x8xf32> {nn.name = "x"}) -> (tensor<1x16x8x8xf32> {nn.name = "y"}, tensor<1x12x8x8xf32> {nn.name = "z"}) {
  %w = nn.constant dense<0.5> : tensor<16x2x3x3xf32>
  %v = nn.constant dense<-0.25> : tensor<12x16x3x3xf32>
  %b = nn.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, -1.0, -2.0, -3.0, -4.0, -5.0, -6.0, -7.0, -8.0]> : tensor<16xf32>
  %0 = nn.conv %x, %w, %b {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
    : (tensor<1x2x8x8xf32>, tensor<16x2x3x3xf32>, tensor<16xf32>) -> tensor<1x16x8x8xf32> loc("a"("t"))
  %1 = nn.relu %0 : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> loc("b"("y"))
  %2 = nn.conv %1, %v {dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
    : (tensor<1x16x8x8xf32>, tensor<12x16x3x3xf32>) -> tensor<1x12x8x8xf32> loc("c"("z"))
  return %1, %2 : tensor<1x16x8x8xf32>, tensor<1x12x8x8xf32>
}
)");
  PrepareOptions plain, blocks;
  plain.observe = blocks.observe = blocks.observeBlocks = true;
  CalibrationOptions options;
  options.method = QuantMethod::Kl;
  auto collect = [&](const PrepareOptions &prepared) {
    return collectStatistics(prepare(function(), referenceKernels(), prepared),
                             waveSampleCount, load, options);
  };
  NetworkStatistics expected = collect(plain), actual = collect(blocks);
  ASSERT_EQ(actual.size(), 4u);
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i].channelAxis, 1);
    EXPECT_EQ(actual[i].channelMin, expected[i].channelMin);
    EXPECT_EQ(actual[i].channelMax, expected[i].channelMax);
    EXPECT_EQ(actual[i].histogram.min(), expected[i].histogram.min());
    EXPECT_TRUE(std::ranges::equal(actual[i].histogram.counts(),
                                   expected[i].histogram.counts()));
  }
}

/// A clamp and what it clamps are one layer: the clamped values are those of
/// the two apart, and what is clamped has their range.
TEST_F(CalibrateTest, ClampsStayWithTheirLayer) {
  NetworkStatistics apart = collect(QuantMethod::MinMax);
  PrepareOptions options;
  options.observe = true;
  options.fusesObserved = nn::isSingleClamp;
  executable = prepare(function(), referenceKernels(), options);
  NetworkStatistics together = collect(QuantMethod::MinMax);
  ASSERT_EQ(apart.size(), 3u);
  ASSERT_EQ(together.size(), 2u);
  EXPECT_EQ(together[1].tensor, "y");
  EXPECT_EQ(together[1].histogram.max(), apart[2].histogram.max());
  EXPECT_EQ(together[1].channelMax, apart[2].channelMax);

  Calibration calibration;
  for (const TensorStatistics &tensor : together) {
    TensorRange range;
    range.tensor = tensor.tensor;
    range.u8 = chooseRange(tensor, {}, 8);
    calibration.tensors.push_back(range);
  }
  addClampedRanges(function(), calibration);
  ASSERT_EQ(calibration.tensors.size(), 3u);
  EXPECT_EQ(calibration.tensors[1].tensor, "t");
  EXPECT_EQ(calibration.tensors[1].node, "conv");
  EXPECT_EQ(calibration.tensors[1].u8.low, 0);
  EXPECT_EQ(calibration.tensors[1].u8.high, calibration.tensors[2].u8.high);
}

/// Everything that later passes need comes back from types and attributes.
TEST_F(CalibrateTest, TheNetworkKeepsItsRanges) {
  Calibration calibration =
      chooseRanges(function(), collect(QuantMethod::Percentile), {}, 1);
  ASSERT_EQ(calibration.tensors.size(), 3u);
  calibration.tensors[0].u16 = {-7, 9};
  calibration.tensors[1].values = {-INFINITY, INFINITY};
  calibration.tensors[1].infs = 3;
  calibration.tensors[2].u8 = {-3e38, -3e38};
  setCalibration(function(), calibration);
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
  EXPECT_TRUE(succeeded(requireCalibrated(function())));
  Calibration kept = getCalibration(function());
  ASSERT_EQ(kept.tensors.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const TensorRange &a = calibration.tensors[i], &b = kept.tensors[i];
    EXPECT_EQ(a.tensor, b.tensor);
    EXPECT_EQ(a.node, b.node);
    EXPECT_EQ(a.values, b.values);
    EXPECT_EQ(a.u8, b.u8);
    EXPECT_EQ(a.u16, b.u16);
    EXPECT_EQ(a.infs, b.infs);
    EXPECT_EQ(a.channelAxis, b.channelAxis);
    EXPECT_EQ(a.channelMin, b.channelMin);
    EXPECT_EQ(a.channelMax, b.channelMax);
  }
  std::string before = print();
  { RangesAside aside(function()); }
  EXPECT_EQ(print(), before);
  removeCalibration(function());
  EXPECT_EQ(print().find("calibrat"), std::string::npos);
}

/// Ranges change nothing of what is computed, nor of how: the engine fuses as
/// it does without them.
TEST_F(CalibrateTest, RangesChangeNoBit) {
  auto run = [&] {
    Executable prepared = prepare(function(), referenceKernels());
    ExecutionState state(prepared);
    Tensor result = state.run(load(0))[0].clone();
    return std::pair(prepared.steps.size(),
                     std::vector<float>(result.values<float>().begin(),
                                        result.values<float>().end()));
  };
  auto plain = run();
  setCalibration(function(),
                 chooseRanges(function(), collect(QuantMethod::MinMax), {}, 1));
  EXPECT_EQ(run(), plain);
}

TEST(CalibrationFile, ReadsWhatItWrites) {
  Calibration calibration{"KL", 32, {}, {}};
  calibration.oddSamples = {{"b.jpg", OddSample::Repeats, "a.jpg", 0},
                            {"c.jpg", OddSample::WidensRanges, "", 7}};
  TensorRange range;
  range.node = "conv", range.tensor = "t\"1";
  range.count = 64, range.nans = 1, range.infs = 2;
  range.values = {-0.1, 1e30};
  range.u8 = {-0.1, 0.30000001192092896};
  range.u16 = {0, 1};
  range.channelMin = {-0.1f, INFINITY}, range.channelMax = {3, -INFINITY};
  range.maxSample = "cat.jpg";
  calibration.tensors.push_back(range);
  TempDir folder;
  std::string text = toJson(calibration);
  Calibration read = readCalibration(folder.write("calibration.json", text));
  EXPECT_EQ(toJson(read), text);
  EXPECT_EQ(read.tensors[0].u8.high, range.u8.high);
  EXPECT_EQ(read.tensors[0].channelMin[1], INFINITY);
  EXPECT_EQ(read.tensors[0].maxSample, "cat.jpg");
  ASSERT_EQ(read.oddSamples.size(), 2u);
  EXPECT_EQ(read.oddSamples[0].of, "a.jpg");
  EXPECT_EQ(read.oddSamples[1].kind, OddSample::WidensRanges);
  EXPECT_EQ(read.oddSamples[1].tensors, 7);
}

TEST(CalibrationFile, RefusesWhatItIsNot) {
  TempDir folder;
  EXPECT_THROW(readCalibration(folder.path() / "absent.json"), Error);
  try {
    readCalibration(folder.path());
    ADD_FAILURE() << "no error";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("it is a folder"),
              std::string::npos)
        << error.what();
  }
  for (const char *text :
       {"", "[]", "{}", "{\"version\": 2}", "{\"version\": \"1\"}",
        R"({"version": 1, "method": "KL", "samples": 1, "tensors": 3})",
        R"({"version": 1, "method": "KL", "samples": 1, "tensors": [],
            "odd_samples": [{"sample": "a", "kind": "ugly", "of": "",
                             "tensors": 0}]})",
        R"({"version": 1, "method": "KL", "samples": 1, "tensors": [{}]})"})
    EXPECT_THROW(readCalibration(folder.write("bad.json", text)), Error)
        << text;
  try {
    readCalibration(folder.write("bad.json", "{\"version\": 1."));
    ADD_FAILURE() << "no error";
  } catch (const Error &error) {
    std::string message = error.what();
    EXPECT_NE(message.find("bad.json: parse error at line 1"),
              std::string::npos)
        << message;
  }
}

} // namespace
