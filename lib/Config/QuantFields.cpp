//===- QuantFields.cpp - The fields about quantization --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Calibration, mixed precision, algorithms and the precision analysis.
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include <fmt/format.h>

namespace parallax::config {
namespace {

constexpr std::string_view awaitsQuantizer = "awaits the stage that quantizes";
constexpr std::string_view awaitsAnalysis =
    "awaits the stage that analyzes precision";
constexpr std::string_view noFinetuning =
    "awaits the stage that tunes weights by training";

void checkInput(const InputQuantConfig &config, const ObjectScope &scope) {
  checkNormalization(scope, {"calibration_mean", config.calibrationMean},
                     {"calibration_std", config.calibrationStd});
}

void checkLayer(const LayerConfig &, const ObjectScope &scope) {
  const std::string bothEnds = "start_tensor_names with end_tensor_names";
  bool hasStart = scope.given("start_tensor_names");
  bool hasEnd = scope.given("end_tensor_names");
  std::vector<std::string> all = {"layer_name", "layer_names", "op_type",
                                  "op_types"};
  std::vector<std::string> given;
  for (const std::string &name : all)
    if (scope.given(name))
      given.push_back(name);
  if (hasStart || hasEnd)
    given.push_back(hasStart && hasEnd ? bothEnds
                    : hasStart         ? "start_tensor_names"
                                       : "end_tensor_names");
  all.push_back(bothEnds);
  if (given.empty())
    scope.error(fmt::format("selects no layers: give {}", alternatives(all)));
  else if (given.size() > 1)
    scope.error(fmt::format("selects layers in {} ways, by {}: keep one of "
                            "them and use further entries for the others",
                            given.size(), fmt::join(given, " and by ")));
  else if (hasStart != hasEnd)
    scope.error(fmt::format(
        "needs {} beside {}",
        hasStart ? "end_tensor_names" : "start_tensor_names", given[0]));
}

std::vector<std::string> devices() {
  std::vector<std::string> names = {"cpu"};
  for (int i = 0; i < 8; ++i)
    names.push_back(fmt::format("cuda:{}", i));
  return names;
}

} // namespace

template <> Message describe<InputQuantConfig>() {
  using C = InputQuantConfig;
  return message<C>(
      "InputQuantConfig",
      "The calibration samples of one input, or of all. Samples of several "
      "inputs belong together if their files have the same name.",
      {
          field("tensor_name", &C::tensorName,
                "The input of the model, or DEFAULT for all of them.")
              .required(),
          field("calibration_dataset", &C::calibrationDataset,
                "The samples: a .tar, .tar.gz or .zip archive.")
              .required(),
          field("calibration_format", &C::calibrationFormat,
                "What the files of the archive are: pictures, .npy arrays, raw "
                ".bin data, or .npy files that hold a dictionary of arrays by "
                "input."),
          field("calibration_size", &C::calibrationSize,
                "How many samples to use, if the archive holds as many; -1 "
                "means all.")
              .atLeast(1)
              .orExactly(-1),
          field("calibration_mean", &C::calibrationMean,
                "Subtracted from pictures, per channel."),
          field("calibration_std", &C::calibrationStd,
                "What pictures are divided by after that, per channel.")
              .above(0),
      },
      checkInput);
}

template <> Message describe<LayerConfig>() {
  using C = LayerConfig;
  const std::vector<std::string> types = {
      "DefaultDataType", "U8", "S8", "U16", "S16", "FP32"};
  return message<C>(
      "LayerConfig",
      "The precision of some layers, which are selected in exactly one way. An "
      "entry that names a layer wins over one for its type, and that over one "
      "for a part of the network. Names are those of the optimized network, "
      "frontend/optimized.onnx.",
      {
          field("layer_name", &C::layerName, "One layer."),
          field("layer_names", &C::layerNames, "Several layers."),
          field("op_type", &C::opType, "All layers of a type."),
          field("op_types", &C::opTypes, "All layers of several types."),
          field("start_tensor_names", &C::startTensorNames,
                "Where a part of the network begins: tensors, not layers. "
                "DEFAULT stands for the inputs of the model."),
          field("end_tensor_names", &C::endTensorNames,
                "Where that part ends. DEFAULT stands for the outputs of the "
                "model."),
          field("data_type", &C::dataType, "The type of the layers' results.")
              .oneOf(types),
          field("weight_data_type", &C::weightDataType,
                "The type of the weights of convolutions.")
              .oneOf({"DefaultDataType", "S8", "S16", "FP32"}),
          field("output_data_type", &C::outputDataType,
                "The type of the results of convolutions, if it is another one "
                "than that of their arithmetic.")
              .oneOf(types),
      },
      checkLayer);
}

template <> Message describe<QuantConfig>() {
  using C = QuantConfig;
  return message<C>(
      "QuantConfig", "How the network is calibrated, quantized and analyzed.",
      {
          field("input_configs", &C::inputConfigs,
                "The calibration samples of each input."),
          field("layer_configs", &C::layerConfigs,
                "Layers that get another precision than the default.")
              .inactive(awaitsQuantizer),
          field("calibration_method", &C::calibrationMethod,
                "How the range of a tensor is chosen: all that was seen, all "
                "but rare values, the least squared error, or the least loss "
                "of information."),
          field("percentile", &C::percentile,
                "For the method Percentile: the part of the values that must "
                "lie within the range.")
              .between(0.5, 1),
          field("histogram_bins", &C::histogramBins,
                "For the methods other than MinMax: the number of bins that "
                "values are counted in.")
              .between(128, 65536),
          field("calibration_cache", &C::calibrationCache,
                "A file that keeps the ranges: they are taken from it while "
                "model, samples and settings are the same. Empty means none."),
          field("save_range_provenance", &C::saveRangeProvenance,
                "Save from which sample and element each end of a range came."),
          field("precision_analysis", &C::precisionAnalysis,
                "Compare the quantized network with the float one, layer by "
                "layer.")
              .inactive(awaitsAnalysis),
          field("precision_analysis_method", &C::precisionAnalysisMethod,
                "PerLayer gives each layer the inputs of the float network; "
                "EndToEnd lets errors accumulate from the first layer on.")
              .inactive(awaitsAnalysis),
          field("precision_analysis_mode", &C::precisionAnalysisMode,
                "What executes the quantized network: Reference computes with "
                "rounded floats, NPUBackend with the bits of the NPU.")
              .inactive(awaitsAnalysis),
          field("precision_analysis_size", &C::precisionAnalysisSize,
                "How many samples to analyze, if there are as many; -1 means "
                "all.")
              .atLeast(1)
              .orExactly(-1)
              .inactive(awaitsAnalysis),
          field("input_sample_dir", &C::inputSampleDir,
                "A folder of samples to analyze, in the format of the model's "
                "inputs; empty means those of the calibration.")
              .inactive(awaitsAnalysis),
          field("highest_mix_precision", &C::highestMixPrecision,
                "Give every layer the highest precision that it can have; "
                "layer_configs have no effect then.")
              .inactive(awaitsQuantizer),
          field("conv_bias_data_type", &C::convBiasDataType,
                "The type of the biases of convolutions.")
              .oneOf({"S32", "FP32"})
              .inactive(awaitsQuantizer),
          field("ln_scale_data_type", &C::lnScaleDataType,
                "The type of the scales of layer normalizations.")
              .oneOf({"FP32", "S32", "U32"})
              .inactive(awaitsQuantizer),
          field("refine_weight_threshold", &C::refineWeightThreshold,
                "The error up to which the scales of weights are refined; -1 "
                "means not at all.")
              .atLeast(0)
              .below(1e-4)
              .orExactly(-1)
              .inactive(awaitsQuantizer),
          field("disable_auto_refine_scale", &C::disableAutoRefineScale,
                "Do not refine the scales of weights and inputs.")
              .inactive(awaitsQuantizer),
          field("enable_smooth_quant", &C::enableSmoothQuant,
                "Move outliers of activations into the weights (SmoothQuant).")
              .inactive(awaitsQuantizer),
          field("smooth_quant_threshold", &C::smoothQuantThreshold,
                "The larger, the more layers are smoothed.")
              .between(0, 1)
              .inactive(awaitsQuantizer),
          field("smooth_quant_strength", &C::smoothQuantStrength,
                "How much of the difficulty goes into the weights.")
              .between(0, 1)
              .inactive(awaitsQuantizer),
          field("transformer_opt_level", &C::transformerOptLevel,
                "How much of a transformer is quantized in special ways.")
              .between(0, 2)
              .inactive(awaitsQuantizer),
          field("check", &C::check, "1 checks the types of all layers.")
              .between(0, 1)
              .inactive(awaitsQuantizer),
          field("disable_quant_optimization", &C::disableQuantOptimization,
                "Do not rewrite the quantized network.")
              .inactive(awaitsQuantizer),
          field("enable_easy_quant", &C::enableEasyQuant,
                "Search scales that keep the direction of each layer's result "
                "(EasyQuant).")
              .inactive(awaitsQuantizer),
          field("enable_brecq", &C::enableBrecq,
                "Tune weights block by block (BRECQ).")
              .inactive(noFinetuning),
          field("enable_lsq", &C::enableLsq,
                "Tune weights and step sizes (LSQ).")
              .inactive(noFinetuning),
          field("enable_adaround", &C::enableAdaround,
                "Tune the rounding of weights (AdaRound).")
              .inactive(noFinetuning),
          field("finetune_epochs", &C::finetuneEpochs,
                "How often tuning goes through the samples.")
              .atLeast(1)
              .inactive(noFinetuning),
          field("finetune_block_size", &C::finetuneBlockSize,
                "How many layers are tuned together.")
              .atLeast(1)
              .inactive(noFinetuning),
          field("finetune_batch_size", &C::finetuneBatchSize,
                "How many samples make one step of tuning.")
              .atLeast(1)
              .inactive(noFinetuning),
          field("finetune_lr", &C::finetuneLr, "The learning rate of tuning.")
              .above(0)
              .inactive(noFinetuning),
          field("device", &C::device, "What calibration and tuning run on.")
              .oneOf(devices())
              .inactive("everything runs on the CPU"),
      });
}

} // namespace parallax::config
