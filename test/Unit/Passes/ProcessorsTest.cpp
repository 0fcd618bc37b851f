//===- ProcessorsTest.cpp - Layers at inputs and outputs ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A network with layers in front must give, on what arrives at run time, the
// very bits that the network itself gives on what it takes.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Processors/Processors.h"
#include "OptimizeTestSupport.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Random.h"

#include <set>

namespace parallax {
namespace {

class ProcessorsTest : public OptimizeTest {
protected:
  ProcessorsTest() { context.loadDialect<mlir::quant::QuantDialect>(); }

  ProcessorReport add(const std::string &config) {
    BuildConfig request = parseBuildConfig(config, "config");
    ProcessorReport report = orThrow(&context, [&] {
      return addProcessors(function(), request.inputProcessors,
                           request.outputProcessors,
                           request.quant.inputConfigs);
    });
    EXPECT_TRUE(succeeded(mlir::verify(*module)));
    return report;
  }

  Tensor run(const Tensor &input) {
    Executable executable = prepare(function(), referenceKernels());
    ExecutionState state(executable);
    return state.run(std::span(&input, 1))[0].clone();
  }
};

/// A convolution on pictures of 3 x 6 x 8.
const char *const pictureNetwork = R"(
func.func @main(%x: tensor<1x3x6x8xf32> {nn.name = "image"}) -> (tensor<1x2x5x7xf32> {nn.name = "y"}) {
  %w = nn.constant dense<[[[[0.3, -0.2], [0.7, 0.1]], [[-0.4, 0.9], [0.2, 0.25]], [[0.6, -0.8], [0.15, 0.35]]], [[[-0.1, 0.45], [0.05, 0.5]], [[0.33, 0.66], [-0.99, 0.12]], [[0.21, 0.43], [0.65, -0.87]]]]> : tensor<2x3x2x2xf32> loc("w"("w"))
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x3x6x8xf32>, tensor<2x3x2x2xf32>) -> tensor<1x2x5x7xf32> loc("conv"("y"))
  return %y : tensor<1x2x5x7xf32>
})";

template <typename T> Tensor randomCodes(Shape shape, unsigned seed) {
  Tensor tensor(dtypeOf<T>(), std::move(shape));
  uint64_t state = seed * 7919 + 1;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    tensor.data<T>()[i] = T(state >> 40);
  }
  return tensor;
}

void expectSameBits(const Tensor &actual, const Tensor &expected) {
  ASSERT_EQ(actual.shape(), expected.shape());
  ASSERT_EQ(actual.dtype(), expected.dtype());
  EXPECT_EQ(
      std::memcmp(actual.rawData(), expected.rawData(), expected.byteSize()),
      0);
}

/// What the network takes, from codes that arrive in NHWC.
template <typename T, typename Map>
Tensor toNCHW(const Tensor &codes, Map map) {
  int64_t height = codes.dim(1), width = codes.dim(2), channels = codes.dim(3);
  Tensor tensor(DType::F32, {codes.dim(0), channels, height, width});
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t i = 0; i < height * width; ++i)
      tensor.data<float>()[c * height * width + i] =
          map(codes.data<T>()[i * channels + c], size_t(c));
  return tensor;
}

const float mean[] = {123.675f, 116.28f, 103.53f};
const float deviation[] = {58.395f, 57.12f, 57.375f};

TEST_F(ProcessorsTest, PixelsGiveTheBitsOfTheNetwork) {
  Tensor pixels = randomCodes<uint8_t>({1, 6, 8, 3}, 1);
  parse(pictureNetwork);
  Tensor expected = run(toNCHW<uint8_t>(pixels, [](uint8_t code, size_t c) {
    return (float(code) - mean[c]) / deviation[c];
  }));
  add(R"({"quant": {"input_configs": [{"tensor_name": "image",
            "calibration_dataset": "x.tar",
            "calibration_mean": [123.675, 116.28, 103.53],
            "calibration_std": [58.395, 57.12, 57.375]}]},
          "input_processors": [{"tensor_name": "DEFAULT", "src_dtype": "U8",
            "src_layout": "NHWC"}]})");
  expectSameBits(run(pixels), expected);
}

TEST_F(ProcessorsTest, OtherTypesThatArrive) {
  parse(pictureNetwork);
  Tensor codes = randomCodes<int16_t>({1, 6, 8, 3}, 2);
  Tensor plain =
      toNCHW<int16_t>(codes, [](int16_t code, size_t) { return float(code); });
  Tensor expected = run(plain);
  add(R"({"input_processors": [{"tensor_name": "image", "src_dtype": "S16",
          "src_layout": "NHWC"}]})");
  expectSameBits(run(codes), expected);

  parse(pictureNetwork);
  Tensor halves(DType::F16, {1, 6, 8, 3});
  for (int64_t i = 0; i < halves.size(); ++i)
    halves.data<Half>()[i] = Half(float(i) * 0.37f - 20);
  expected = run(
      toNCHW<Half>(halves, [](Half value, size_t) { return float(value); }));
  add(R"({"input_processors": [{"tensor_name": "image", "src_dtype": "FP16",
          "src_layout": "NHWC"}]})");
  expectSameBits(run(halves), expected);
}

TEST_F(ProcessorsTest, CodesOfAModelBefore) {
  parse(pictureNetwork);
  Tensor codes = randomCodes<uint16_t>({1, 6, 8, 3}, 3);
  Tensor expected = run(toNCHW<uint16_t>(codes, [](uint16_t code, size_t c) {
    float value = float(int(code) - 1000) * 0.0123f;
    return (value - mean[c]) / deviation[c];
  }));
  add(R"({"input_processors": [{"tensor_name": "image", "src_dtype": "U16",
          "src_layout": "NHWC", "scale": 0.0123, "zeropoint": 1000,
          "mean": [123.675, 116.28, 103.53],
          "std": [58.395, 57.12, 57.375]}]})");
  expectSameBits(run(codes), expected);
}

TEST_F(ProcessorsTest, BordersAreCutAndAddedBeforeNormalization) {
  parse(pictureNetwork);
  // One row is cut off at the top and two columns at the end; then a column is
  // added at the begin.
  Tensor codes = randomCodes<uint8_t>({1, 7, 9, 3}, 4);
  Tensor middle(DType::U8, {1, 6, 8, 3});
  for (int64_t h = 0; h < 6; ++h)
    for (int64_t w = 0; w < 8; ++w)
      for (int64_t c = 0; c < 3; ++c)
        middle.data<uint8_t>()[(h * 8 + w) * 3 + c] =
            w == 0 ? 114 : codes.data<uint8_t>()[((h + 1) * 9 + w - 1) * 3 + c];
  Tensor expected = run(toNCHW<uint8_t>(
      middle, [](uint8_t code, size_t) { return float(code) / 255; }));
  add(R"({"input_processors": [{"tensor_name": "image", "src_dtype": "U8",
          "src_layout": "NHWC", "std": [255], "slicing": [0,0,1,0,0,2,0,0],
          "padding": [0,0,0,0,1,0,0,0], "padding_constant_value": 114}]})");
  expectSameBits(run(codes), expected);
}

TEST_F(ProcessorsTest, CameraPictures) {
  parse(pictureNetwork);
  // Full range and a matrix of its own: red is luma, green U, blue V.
  Tensor codes = randomCodes<uint8_t>({1, 9, 8, 1}, 5);
  Tensor planes(DType::U8, {1, 6, 8, 3});
  const uint8_t *from = codes.data<uint8_t>();
  for (int64_t h = 0; h < 6; ++h)
    for (int64_t w = 0; w < 8; ++w) {
      uint8_t *pixel = planes.data<uint8_t>() + (h * 8 + w) * 3;
      pixel[0] = from[h * 8 + w];
      pixel[1] = from[(6 + h / 2) * 8 + w / 2 * 2 + 1];
      pixel[2] = from[(6 + h / 2) * 8 + w / 2 * 2];
    }
  Tensor expected = run(toNCHW<uint8_t>(planes, [](uint8_t code, size_t c) {
    return (float(code) - mean[c]) / deviation[c];
  }));
  add(R"({"input_processors": [{"tensor_name": "image", "tensor_format": "RGB",
          "src_format": "YVU420SP", "src_dtype": "U8", "csc_mode": "Matrix",
          "csc_mat": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0],
          "mean": [123.675, 116.28, 103.53],
          "std": [58.395, 57.12, 57.375]}]})");
  expectSameBits(run(codes), expected);
}

TEST_F(ProcessorsTest, OutputsInAnotherOrder) {
  Tensor x = randomCodes<uint8_t>({1, 6, 8, 3}, 6);
  Tensor floats =
      toNCHW<uint8_t>(x, [](uint8_t code, size_t) { return float(code); });
  parse(pictureNetwork);
  Tensor plain = run(floats);
  add(R"({"output_processors": [{"tensor_name": "DEFAULT",
          "dst_perm": [0, 2, 3, 1], "output_dtype": "U8"}]})");
  Executable executable = prepare(function(), referenceKernels());
  EXPECT_EQ(executable.outputs[0].name, "y");
  Tensor moved = run(floats);
  ASSERT_EQ(moved.shape(), (Shape{1, 5, 7, 2}));
  for (int64_t i = 0; i < 35; ++i)
    for (int64_t c = 0; c < 2; ++c)
      EXPECT_EQ(moved.data<float>()[i * 2 + c],
                plain.data<float>()[c * 35 + i]);
}

TEST_F(ProcessorsTest, AnErrorLeavesTheNetworkAlone) {
  parse(pictureNetwork);
  std::string before = print();
  EXPECT_THROW(add(R"({"input_processors": [{"tensor_name": "image",
                        "src_dtype": "U8"}],
                       "output_processors": [{"tensor_name": "y",
                        "dst_perm": [1, 0]}]})"),
               Error);
  EXPECT_EQ(print(), before);
}

//===----------------------------------------------------------------------===//
// Names and ranges
//===----------------------------------------------------------------------===//

TensorRange rangeOf(const std::string &tensor, double low, double high) {
  TensorRange range;
  range.node = range.tensor = tensor;
  range.values = range.u8 = range.u16 = {low, high};
  return range;
}

std::map<std::string, std::string> elementsByName(mlir::func::FuncOp view) {
  std::map<std::string, std::string> types;
  auto add = [&](Value value) {
    std::string text;
    llvm::raw_string_ostream(text)
        << cast<RankedTensorType>(value.getType()).getElementType();
    EXPECT_TRUE(types.emplace(getTensorName(value), text).second)
        << getTensorName(value) << " is not unique";
  };
  for (Value argument : view.getArguments())
    add(argument);
  for (Operation &op : view.front().without_terminator())
    for (Value result : op.getResults())
      add(result);
  return types;
}

TEST_F(ProcessorsTest, RangesOfThePartsBeforeTheNetwork) {
  parse(pictureNetwork);
  Calibration calibration;
  calibration.tensors = {rangeOf("image", -2, 2.5), rangeOf("y", -7, 9)};
  calibration.tensors[0].channelAxis = 1;
  calibration.tensors[0].channelMin = {-2, -1, -1};
  calibration.tensors[0].channelMax = {2, 1, 2.5};
  add(R"({"input_processors": [{"tensor_name": "image", "src_dtype": "U8",
          "src_layout": "NHWC", "mean": [100], "std": [50]}],
          "output_processors": [{"tensor_name": "y",
          "dst_perm": [0, 2, 3, 1]}]})");
  addProcessorRanges(function(), calibration);
  size_t count = calibration.tensors.size();
  addProcessorRanges(function(), calibration);
  EXPECT_EQ(calibration.tensors.size(), count);

  setCalibration(function(), calibration);
  EXPECT_EQ(
      elementsByName(function()),
      (std::map<std::string, std::string>{
          {"image", "ui8"},
          {"image/cast", "!quant.calibrated<f32<0.000000e+00:2.550000e+02>>"},
          {"image/normalize",
           "!quant.calibrated<f32<-2.000000e+00:2.500000e+00>>"},
          {"image/transpose",
           "!quant.calibrated<f32<-2.000000e+00:2.500000e+00>>"},
          {"w", "f32"},
          {"y/network", "!quant.calibrated<f32<-7.000000e+00:9.000000e+00>>"},
          {"y", "!quant.calibrated<f32<-7.000000e+00:9.000000e+00>>"}}));
  for (const TensorRange &range : calibration.tensors)
    if (range.tensor == "image/normalize") {
      EXPECT_EQ(range.channelAxis, 3);
      EXPECT_EQ(range.channelMax, (std::vector<float>{2, 1, 2.5}));
    }
}

TEST_F(ProcessorsTest, RangesOfFloatsThatArrive) {
  parse(pictureNetwork);
  Calibration calibration;
  calibration.tensors = {rangeOf("image", -2, 2.5), rangeOf("y", -7, 9)};
  calibration.tensors[0].channelAxis = 1;
  calibration.tensors[0].channelMin = {-2, -1, -1};
  calibration.tensors[0].channelMax = {2, 1, 2.5};
  add(R"({"input_processors": [{"tensor_name": "image",
          "mean": [100, 0, 0], "std": [50, 1, 1]}]})");
  addProcessorRanges(function(), calibration);
  for (const TensorRange &range : calibration.tensors)
    if (range.tensor == "image") {
      EXPECT_EQ(range.node, "image");
      EXPECT_EQ(range.u8.low, -2);
      EXPECT_EQ(range.u8.high, 225);
      EXPECT_EQ(range.channelMin, (std::vector<float>{0, -1, -1}));
      EXPECT_EQ(range.channelMax, (std::vector<float>{200, 1, 2.5}));
    }
  setCalibration(function(), calibration);
  EXPECT_EQ(elementsByName(function()).at("image/normalize"),
            "!quant.calibrated<f32<-2.000000e+00:2.500000e+00>>");
}

TEST_F(ProcessorsTest, RangesOfCodesOfAModelBefore) {
  parse(pictureNetwork);
  Calibration calibration;
  calibration.tensors = {rangeOf("image", -2, 2.5), rangeOf("y", -7, 9)};
  add(R"({"input_processors": [{"tensor_name": "image", "src_dtype": "S8",
          "scale": 0.5, "zeropoint": -28, "mean": [1]}]})");
  addProcessorRanges(function(), calibration);
  bool isFound = false;
  for (const TensorRange &range : calibration.tensors)
    if (range.tensor == "image/dequantize") {
      isFound = true;
      EXPECT_EQ(range.u8.low, -50);
      EXPECT_EQ(range.u8.high, 77.5);
    }
  EXPECT_TRUE(isFound);
}

} // namespace
} // namespace parallax
