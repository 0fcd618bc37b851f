//===- SamplesTest.cpp - Configurations as they are published -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A configuration that was written for Pulsar2 must be read as it is. The
// folder `samples` holds those of its documentation, some literally with what
// they leave out, some made whole from a description in words.
//===----------------------------------------------------------------------===//
#include "../Support/TempDir.h"
#include "ConfigLists.h"
#include "parallax/Config/BuildConfig.h"

#include <fmt/format.h>
#include <sstream>

using namespace parallax;
namespace fs = std::filesystem;

namespace {

const fs::path folder = fs::path(PARALLAX_TEST_ROOT) / "Unit/Config/samples";

/// The text of a sample without the lines that stand for what is left out.
std::string textOf(const std::string &name) {
  std::istringstream lines(contentsOf(folder / (name + ".json")));
  std::string text, line;
  while (std::getline(lines, line))
    if (line.find_first_not_of(" .") != std::string::npos)
      text += line + "\n";
  return text;
}

BuildConfig parse(const std::string &text) {
  Texts warnings;
  BuildConfig config = parseBuildConfig(text, "c.json", {}, &warnings);
  EXPECT_EQ(warnings, Texts{});
  // What was read says everything.
  EXPECT_EQ(toJson(parseBuildConfig(toJson(config), "again.json")),
            toJson(config));
  return config;
}

BuildConfig sample(const std::string &name) { return parse(textOf(name)); }

/// A part of a configuration that is shown without what is around it.
BuildConfig sampleOfQuant(const std::string &name) {
  return parse(fmt::format("{{\"quant\": {}}}", textOf(name)));
}

TEST(Samples, LayerTable) {
  QuantConfig quant = sample("layer_table").quant;
  EXPECT_TRUE(quant.precisionAnalysis);
  EXPECT_EQ(quant.precisionAnalysisMode, PrecisionAnalysisMode::NpuBackend);
  EXPECT_EQ(quant.precisionAnalysisMethod, AnalysisMethod::EndToEnd);
}

TEST(Samples, FloatInterface) {
  BuildConfig config = sample("float_interface");
  ASSERT_EQ(config.inputProcessors.size(), 1u);
  const InputProcessor &input = config.inputProcessors[0];
  EXPECT_EQ(input.tensorName, "DEFAULT");
  EXPECT_EQ(input.tensorFormat, ColorSpace::Bgr);
  EXPECT_EQ(input.tensorLayout, TensorLayout::NCHW);
  EXPECT_EQ(input.srcFormat, ColorSpace::Bgr);
  EXPECT_EQ(input.srcDtype, DataType::FP32);
  EXPECT_EQ(input.srcLayout, TensorLayout::NCHW);
  EXPECT_EQ(input.mean, (Reals{0, 0, 0}));
  EXPECT_EQ(input.std, (Reals{1, 1, 1}));
  ASSERT_EQ(config.outputProcessors.size(), 1u);
  EXPECT_EQ(config.outputProcessors[0].tensorName, "DEFAULT");
}

TEST(Samples, FullU16) {
  std::vector<LayerConfig> layers =
      sampleOfQuant("full_u16").quant.layerConfigs;
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].startTensorNames, Texts{"DEFAULT"});
  EXPECT_EQ(layers[0].endTensorNames, Texts{"DEFAULT"});
  EXPECT_EQ(layers[0].dataType, DataType::U16);
  // As it is shown, it lies in the wrong place, and the message says where to.
  expectError([] { parse(textOf("full_u16")); }, "quant.layer_configs");
}

TEST(Samples, Minimal) {
  BuildConfig config = sample("minimal");
  EXPECT_EQ(config.npuMode, NpuMode::NPU1);
  ASSERT_EQ(config.quant.inputConfigs.size(), 1u);
  const InputQuantConfig &input = config.quant.inputConfigs[0];
  EXPECT_EQ(input.tensorName, "input");
  EXPECT_EQ(input.calibrationDataset, "./dataset/imagenet-32-images.tar");
  EXPECT_EQ(input.calibrationFormat, DataFormat::Image);
  EXPECT_EQ(input.calibrationSize, 32);
  EXPECT_EQ(input.calibrationMean, (Reals{103.939, 116.779, 123.68}));
  EXPECT_EQ(input.calibrationStd, (Reals{58, 58, 58}));
  EXPECT_EQ(config.inputProcessors.at(0).srcDtype, DataType::U8);
  EXPECT_EQ(config.compiler.check, 0);
}

TEST(Samples, Transformer) {
  BuildConfig config = sample("transformer");
  EXPECT_EQ(config.npuMode, NpuMode::NPU3);
  EXPECT_TRUE(config.quant.enableSmoothQuant);
  EXPECT_TRUE(config.quant.disableAutoRefineScale);
  EXPECT_EQ(config.quant.convBiasDataType, DataType::FP32);
  ASSERT_EQ(config.quant.layerConfigs.size(), 3u);
  EXPECT_EQ(config.quant.layerConfigs[1].layerName, "op_173:onnx.Softmax_0");
  for (const LayerConfig &layer : config.quant.layerConfigs)
    EXPECT_EQ(layer.dataType, DataType::U16);
}

TEST(Samples, FloatExceptConv) {
  std::vector<LayerConfig> layers =
      sample("float_except_conv").quant.layerConfigs;
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(layers[0].opType, "Conv");
  EXPECT_EQ(layers[0].dataType, DataType::U8);
  EXPECT_EQ(layers[0].outputDataType, DataType::FP32);
  EXPECT_EQ(layers[1].dataType, DataType::FP32);
}

TEST(Samples, TwoInputs) {
  BuildConfig config = sample("two_inputs");
  ASSERT_EQ(config.quant.inputConfigs.size(), 2u);
  EXPECT_EQ(config.quant.inputConfigs[0].calibrationFormat, DataFormat::Binary);
  EXPECT_EQ(config.quant.inputConfigs[1].calibrationFormat, DataFormat::Numpy);
  EXPECT_EQ(config.quant.inputConfigs[1].calibrationSize, -1);
  EXPECT_EQ(config.inputProcessors.at(0).srcDtype, DataType::S32);
}

TEST(Samples, Camera) {
  InputProcessor input = sample("camera").inputProcessors.at(0);
  EXPECT_EQ(input.srcFormat, ColorSpace::Yuv420sp);
  EXPECT_EQ(input.cscMode, CscMode::LimitedRange);
  EXPECT_EQ(input.srcExtraShapes.at(0).shape,
            (std::vector<int64_t>{1, 3, 384, 384}));
  EXPECT_EQ(input.slicing, (std::vector<int64_t>{0, 0, 0, 0, 0, 1, 0, 1}));
}

TEST(Samples, Finetune) {
  QuantConfig quant = sample("finetune").quant;
  EXPECT_TRUE(quant.enableAdaround);
  EXPECT_EQ(quant.finetuneEpochs, 50);
  EXPECT_EQ(quant.finetuneLr, 1e-4);
  EXPECT_EQ(quant.device, "cuda:0");
}

} // namespace
