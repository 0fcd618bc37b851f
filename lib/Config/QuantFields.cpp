//===- QuantFields.cpp - The fields about quantization --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Calibration, mixed precision, algorithms and the precision analysis.
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include "parallax/Support/Error.h"
#include "parallax/Support/NamePattern.h"

#include <fmt/format.h>

namespace parallax::config {
namespace {

constexpr std::string_view noFinetuning =
    "tuning weights by training is not implemented";

void checkQuantInput(const InputQuantConfig &config, const ObjectScope &scope) {
  checkNormalization(scope, {"calibration_mean", config.calibrationMean},
                     {"calibration_std", config.calibrationStd});
}

void checkPattern(const ObjectScope &scope, std::string_view field,
                  const std::string &text) {
  try {
    NamePattern pattern(text);
  } catch (const Error &error) {
    scope.error(field, error.what());
  }
}

/// An entry selects what it is about in exactly one way.
void checkSelectors(const ObjectScope &scope, std::string_view what,
                    const std::vector<std::string> &all,
                    const std::vector<std::string> &given) {
  if (given.empty())
    scope.error(fmt::format("selects no {}: give {}", what, alternatives(all)));
  else if (given.size() > 1)
    scope.error(fmt::format("selects {} in {} ways, by {}: keep one of "
                            "them and use further entries for the others",
                            what, given.size(), fmt::join(given, " and by ")));
}

void checkTensor(const TensorConfig &config, const ObjectScope &scope) {
  const std::vector<std::string> all = {"tensor_names", "tensor_name_regex",
                                        "layer_names", "op_types"};
  std::vector<std::string> given;
  for (const std::string &name : all)
    if (scope.given(name))
      given.push_back(name);
  checkSelectors(scope, "tensors", all, given);
  checkPattern(scope, "tensor_name_regex", config.tensorNameRegex);
  if (config.bits != 0 && config.bits != 8 && config.bits != 16)
    scope.error("bits", fmt::format("must be 8, 16 or 0, not {}", config.bits));
}

void checkQuant(const QuantConfig &, const ObjectScope &scope) {
  if (scope.given("tensor_configs") && scope.given("calibration_cache"))
    scope.error("tensor_configs",
                "can't choose ranges beside calibration_cache, which has them: "
                "leave one of the two out");
}

void checkLayer(const LayerConfig &config, const ObjectScope &scope) {
  const std::string bothEnds = "start_tensor_names with end_tensor_names";
  bool hasStart = scope.given("start_tensor_names");
  bool hasEnd = scope.given("end_tensor_names");
  std::vector<std::string> all = {"layer_name", "layer_names",
                                  "layer_name_regex", "op_type", "op_types"};
  std::vector<std::string> given;
  for (const std::string &name : all)
    if (scope.given(name))
      given.push_back(name);
  if (hasStart || hasEnd)
    given.push_back(hasStart && hasEnd ? bothEnds
                    : hasStart         ? "start_tensor_names"
                                       : "end_tensor_names");
  all.push_back(bothEnds);
  checkSelectors(scope, "layers", all, given);
  if (given.size() == 1 && hasStart != hasEnd)
    scope.error(fmt::format(
        "needs {} beside {}",
        hasStart ? "end_tensor_names" : "start_tensor_names", given[0]));
  checkPattern(scope, "layer_name_regex", config.layerNameRegex);
}

/// The methods in words.
const std::string &methodDoc() {
  constexpr std::string_view meanings[] = {
#define CALIBRATION_METHOD(kind, name, meaning, ...) meaning,
#include "parallax/Config/CalibrationMethods.def"
  };
  static const std::string text = fmt::format(
      "How the range of a tensor is chosen: {}, or {}.",
      fmt::join(std::span(meanings).first(std::size(meanings) - 1), ", "),
      meanings[std::size(meanings) - 1]);
  return text;
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
              .path()
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
          field("calibration_resize", &C::calibrationResize,
                "How pictures are brought to the size of the input: Stretch "
                "(the default), Letterbox with gray borders, or CenterCrop, "
                "which keeps 7/8 of the shorter side. It must be what the "
                "network was trained with."),
      },
      checkQuantInput);
}

template <> Message describe<LayerConfig>() {
  using C = LayerConfig;
  const std::vector<std::string> types = {
      "DefaultDataType", "U8", "S8", "U16", "S16", "FP32"};
  return message<C>(
      "LayerConfig",
      "The precision of some layers, which are selected in exactly one way. An "
      "entry that names a layer overrides one for its type, and that overrides "
      "one "
      "for a part of the network; of two entries of the same kind the later "
      "one wins. Names are those of the optimized network, "
      "frontend/optimized.onnx, or of the nodes of the model. What every entry "
      "matched and what came of it is in quant/layer_config_audit.json.",
      {
          field("layer_name", &C::layerName, "One layer."),
          field("layer_names", &C::layerNames, "Several layers."),
          field("layer_name_regex", &C::layerNameRegex,
                "All layers whose whole name matches a regular expression "
                "(ECMAScript, without back-references)."),
          field("op_type", &C::opType, "All layers of a type."),
          field("op_types", &C::opTypes, "All layers of several types."),
          field("start_tensor_names", &C::startTensorNames,
                "Where a part of the network begins: tensors, not layers. "
                "DEFAULT stands for the inputs of the model."),
          field("end_tensor_names", &C::endTensorNames,
                "Where that part ends. DEFAULT stands for the outputs of the "
                "model."),
          field("data_type", &C::dataType,
                "The type that the layers compute in. Operators that only move "
                "data have the type of their consumers.")
              .oneOf(types),
          field("weight_data_type", &C::weightDataType,
                "The type of the weights of convolutions, matrix products and "
                "recurrent layers.")
              .oneOf({"DefaultDataType", "S8", "S16", "FP32"}),
          field("output_data_type", &C::outputDataType,
                "The type of the layers' results; by default the type that "
                "their consumers read.")
              .oneOf(types),
      },
      checkLayer);
}

template <> Message describe<TensorConfig>() {
  using C = TensorConfig;
  return message<C>(
      "TensorConfig",
      "How the ranges of some tensors are chosen, which are selected in "
      "exactly one way. Of two entries for the same tensor the later one wins. "
      "Names are those of the optimized network, frontend/optimized.onnx. A "
      "tensor that only a Relu or Clip reads has the range of what that makes "
      "of it, so it has its method, too.",
      {
          field("tensor_names", &C::tensorNames,
                "Tensors: inputs of the network or results of layers."),
          field("tensor_name_regex", &C::tensorNameRegex,
                "All tensors whose whole name matches a regular expression "
                "(ECMAScript, without back-references)."),
          field("layer_names", &C::layerNames, "The results of layers."),
          field("op_types", &C::opTypes,
                "The results of all layers of these types."),
          field("calibration_method", &C::calibrationMethod, methodDoc())
              .required(),
          field("percentile", &C::percentile,
                "For the method Percentile: the part of the values that must "
                "lie within the range; 0 means quant.percentile.")
              .between(0.5, 1)
              .orExactly(0),
          field("bits", &C::bits,
                "Only the range for codes of so many bits, 8 or 16, is chosen "
                "in that way; 0 means both. What is best for 8 bits often cuts "
                "more than 16 bits need.")
              .between(8, 16)
              .orExactly(0),
      },
      checkTensor);
}

template <> Message describe<QuantConfig>() {
  using C = QuantConfig;
  return message<C>(
      "QuantConfig", "How the network is calibrated, quantized and analyzed.",
      {
          field("input_configs", &C::inputConfigs,
                "The calibration samples of each input."),
          field("layer_configs", &C::layerConfigs,
                "Layers that get another precision than the default."),
          field("calibration_method", &C::calibrationMethod, methodDoc()),
          field("tensor_configs", &C::tensorConfigs,
                "Tensors whose ranges are chosen in another way than "
                "calibration_method says."),
          field("percentile", &C::percentile,
                "For the method Percentile: the part of the values that must "
                "lie within the range.")
              .between(0.5, 1),
          field("histogram_bins", &C::histogramBins,
                "For the methods other than MinMax: the number of bins that "
                "values are counted in.")
              .between(128, 65536),
          field("calibration_cache", &C::calibrationCache,
                "The calibration.json of an earlier build, whose ranges are "
                "taken instead of collecting them again.")
              .path(),
          field("save_range_provenance", &C::saveRangeProvenance,
                "Save from which sample each end of a range came, and report "
                "samples that look wrong."),
          field("precision_analysis", &C::precisionAnalysis,
                "Compare the quantized network with the float one, layer by "
                "layer."),
          field("precision_analysis_method", &C::precisionAnalysisMethod,
                "PerLayer gives each layer the inputs of the float network; "
                "EndToEnd lets errors accumulate from the first layer on."),
          field("precision_analysis_mode", &C::precisionAnalysisMode,
                "What executes the quantized network: Reference computes with "
                "rounded floats, NPUBackend with the bits of the NPU; Both "
                "does both in one run."),
          field("precision_analysis_size", &C::precisionAnalysisSize,
                "How many samples to analyze, if there are as many; -1 means "
                "all.")
              .atLeast(1)
              .orExactly(-1),
          field("precision_analysis_columns", &C::precisionAnalysisColumns,
                "The columns of the precision tables: those of Pulsar2, or "
                "also SQNR, the largest error in steps, the worst sample and "
                "channel, saturation, dead channels, changed classes "
                "and cycles."),
          field("precision_analysis_dump", &C::precisionAnalysisDump,
                "Save all tensors that are compared as .npy files; "
                "precision_analysis_size says of how many samples."),
          field(
              "input_sample_dir", &C::inputSampleDir,
              "Samples to analyze: a folder with a .npy or .bin file for each "
              "input, a folder of such folders, or pictures, arrays or an "
              "archive as for the calibration; empty means those that "
              "calibration_hold_out keeps.")
              .path(),
          field("calibration_hold_out", &C::calibrationHoldOut,
                "Keep samples for the analysis: where there are fewer than "
                "four beyond calibration_size, every fourth of at least 16 "
                "samples is not calibrated on."),
          field("highest_mix_precision", &C::highestMixPrecision,
                "Compute every layer in 16 bits: U16, with weights S16; what "
                "layer_configs say overrides it."),
          field("conv_bias_data_type", &C::convBiasDataType,
                "The type of the biases of convolutions.")
              .oneOf({"S32", "FP32"}),
          field("ln_scale_data_type", &C::lnScaleDataType,
                "The type of the scales of layer normalizations.")
              .oneOf({"FP32", "S32", "U32"}),
          field("qdq_format", &C::qdqFormat,
                "The types of activations and weights of 8 bits in "
                "quant_axmodel.onnx. U8S8 has the codes of the NPU; U8U8 has "
                "weights with the zero point 128 that stand for the same "
                "values, and that runtimes multiply without saturation."),
          field("refine_weight_threshold", &C::refineWeightThreshold,
                "A range narrower than that of the weights is taken for a "
                "channel if it lowers the mean squared error by more than this "
                "part of the weights' mean square; -1 means never.")
              .atLeast(0)
              .below(1e-4)
              .orExactly(-1),
          field("disable_auto_refine_scale", &C::disableAutoRefineScale,
                "Take the whole range of weights, whatever "
                "refine_weight_threshold says."),
          field("enable_smooth_quant", &C::enableSmoothQuant,
                "Move outliers of activations into the weights (SmoothQuant), "
                "wherever that lowers the error."),
          field("smooth_quant_threshold", &C::smoothQuantThreshold,
                "The larger, the more layers are smoothed: those whose input "
                "has a median of the channels' magnitudes below this part of "
                "the greatest.")
              .between(0, 1),
          field("smooth_quant_strength", &C::smoothQuantStrength,
                "How much of the difference between channels goes into the "
                "weights; \"auto\" searches the best for each tensor.")
              .between(0, 1),
          field("enable_equalization", &C::enableEqualization,
                "Balance the weights of neighbouring layers, channel by "
                "channel, wherever that lowers the error."),
          field("enable_bias_correction", &C::enableBiasCorrection,
                "Correct the bias of a layer by its mean error, wherever that "
                "lowers the error."),
          field("transformer_opt_level", &C::transformerOptLevel,
                "How much of a transformer is quantized in special ways.")
              .between(0, 2)
              .inactive("the layers of transformers are recognized at every "
                        "level"),
          field("check", &C::check, "1 checks the types of all layers.")
              .between(0, 1)
              .inactive("the types of all layers are always checked"),
          field("disable_quant_optimization", &C::disableQuantOptimization,
                "Give every tensor parameters of its own, except where an "
                "operator needs them to be the same."),
          field("enable_easy_quant", &C::enableEasyQuant,
                "Search the ranges that give the consumers of a tensor the "
                "least error (EasyQuant)."),
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
      },
      checkQuant);
}

} // namespace parallax::config
