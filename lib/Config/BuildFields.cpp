//===- BuildFields.cpp - The fields of a configuration --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The outermost object, and the options of the stages before quantization.
//===----------------------------------------------------------------------===//
#include "Field.h"

#include "parallax/Config/Target.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace parallax::config {
namespace {

struct OtherChip {
  std::string_view name;
  /// All modes if none is listed.
  std::vector<NpuMode> modes;
};

/// Chips of Pulsar2 that no target file describes: configurations for them are
/// valid, but nothing can be compiled for them.
const std::vector<OtherChip> &otherChips() {
  using enum NpuMode;
  static const std::vector<OtherChip> table = {{"M76H", {NPU1, NPU2, NPU3}},
                                               {"AX615", {NPU1, NPU2}},
                                               {"AX637", {NPU1}},
                                               {"AX8860", {NPU1, NPU2, NPU4}},
                                               {"AX620L", {}},
                                               {"LAMBERT", {}},
                                               {"LAGUNA", {}}};
  return table;
}

/// Modes of a file are known when it is read.
void checkHardware(const BuildConfig &config, const ObjectScope &scope) {
  const std::string &hardware = config.targetHardware;
  if (isTargetFile(hardware))
    return;
  std::vector<std::string> chips = targetNames();
  std::vector<NpuMode> modes;
  auto isHardware = [&](std::string_view name) {
    return isSameChip(name, hardware);
  };
  if (std::any_of(chips.begin(), chips.end(), isHardware)) {
    for (const TargetMode &mode : findTarget(hardware).modes)
      modes.push_back(mode.npuMode);
  } else {
    std::vector<std::string> described = chips, others;
    for (const OtherChip &chip : otherChips())
      others.emplace_back(chip.name);
    chips.insert(chips.end(), others.begin(), others.end());
    auto chip = std::find_if(
        otherChips().begin(), otherChips().end(),
        [&](const OtherChip &chip) { return isHardware(chip.name); });
    if (chip == otherChips().end())
      return scope.error("target_hardware",
                         fmt::format("must be {} or the path of a .json file, "
                                     "not '{}'{} ({} have no description)",
                                     fmt::join(described, ", "), hardware,
                                     suggestion(hardware, chips),
                                     fmt::join(others, ", ")));
    modes = chip->modes;
  }
  if (modes.empty() || std::count(modes.begin(), modes.end(), config.npuMode))
    return;
  std::vector<std::string> names;
  for (NpuMode mode : modes)
    names.emplace_back(configName(mode));
  scope.error("npu_mode",
              fmt::format("must be {} on {}, not {}", alternatives(names),
                          hardware, configName(config.npuMode)));
}

void checkBuild(const BuildConfig &config, const ObjectScope &scope) {
  if (scope.hasErrors())
    return;
  checkHardware(config, scope);
  std::filesystem::path name = config.outputName;
  if (!name.has_filename() || name.is_absolute() ||
      std::find(name.begin(), name.end(), "..") != name.end())
    scope.error("output_name", fmt::format("is '{}', which must be the name of "
                                           "a file inside of output_dir",
                                           config.outputName));
  if (config.modelType == ModelType::OptimizedQuantAxModel ||
      config.modelType == ModelType::Isp)
    scope.error("model_type",
                fmt::format("{} can't be read; ONNX, QuantONNX and "
                            "QuantAxModel can",
                            configName(config.modelType)));
  if (!config.compiler.startTensorNames.empty() ||
      !config.compiler.endTensorNames.empty())
    scope.error("compiler", "can't name start or end tensors itself; only "
                            "elements of its sub_configs can");
}

} // namespace

const Message &rootMessage() { return *typeOf<BuildConfig>().message(); }

template <> Message describe<BuildConfig>() {
  using C = BuildConfig;
  return message<C>(
      "BuildConfig",
      "The whole file. Paths are relative to the folder in which the build is "
      "started.",
      {
          field("input", &C::input, "The model: a file in ONNX format.").path(),
          field("output_dir", &C::outputDir,
                "The folder for all results, created if need be.")
              .path(),
          field("output_name", &C::outputName,
                "The file name of the compiled model."),
          field("work_dir", &C::workDir,
                "The folder that archives of samples are unpacked to; empty "
                "means the folder of the results.")
              .path(),
          field("model_type", &C::modelType,
                "What the model file holds: a float network, or one that was "
                "quantized before and whose parameters are taken as they are."),
          field("target_hardware", &C::targetHardware,
                "The chip that the model is compiled for: a name, or the path "
                "of a .json file that describes it (docs/targets.md).")
              .pathIf(isTargetFile),
          field("npu_mode", &C::npuMode,
                "How much of the chip's NPU the model may use. Three groups at "
                "most on AX650 and M76H, two on AX620E and AX615, one on M57 "
                "and AX637; one, two or four on AX8860."),
          field("input_shapes", &C::inputShapes,
                "Shapes for inputs that the model leaves open: "
                "name:1x3x224x224;other:1x10. They hold before "
                "input_processors."),
          field("onnx_opt", &C::onnxOpt, "How the float network is optimized."),
          field("quant", &C::quant,
                "How the network is calibrated, quantized and analyzed."),
          field("input_processors", &C::inputProcessors,
                "What is done to inputs before they enter the network."),
          field("output_processors", &C::outputProcessors,
                "What is done to outputs after they leave the network."),
          field("const_processors", &C::constProcessors,
                "Constants of the model to replace before the import."),
          field("op_processors", &C::opProcessors,
                "Attributes of nodes to set before the import."),
          field("quant_op_processors", &C::quantOpProcessors,
                "Attributes of operators to set in the quantized network.")
              .inactive("the quantized network can't be changed yet"),
          field("compiler", &C::compiler,
                "How the quantized network is compiled and checked."),
          field("evaluation", &C::evaluation,
                "A task with labelled samples, on which accuracy is measured."),
          field("tuning", &C::tuning,
                "What `parallax tune` looks for, and how."),
          field("debug", &C::debug, "Options for debugging."),
      },
      checkBuild);
}

template <> Message describe<OnnxOptions>() {
  using C = OnnxOptions;
  return message<C>(
      "OnnxOptions", "How the float network is optimized.",
      {
          field("disable_onnx_optimization", &C::disableOnnxOptimization,
                "Keep the network as it was imported."),
          field("enable_onnxsim", &C::enableOnnxsim,
                "Simplify the model by an outside program first.")
              .inactive("the built-in optimizer already simplifies"),
          field("model_check", &C::modelCheck,
                "Compare the optimized network with the imported one."),
          field("disable_transformation_check", &C::disableTransformationCheck,
                "Do not check each rewrite of the network by executing both "
                "sides."),
          field("save_tensors_data", &C::saveTensorsData,
                "Keep tensors in files to save memory.")
              .inactive("weights are mapped from the model file anyway"),
      });
}

template <> Message describe<DebugOptions>() {
  using C = DebugOptions;
  return message<C>(
      "DebugOptions", "Options for debugging.",
      {
          field("dump_frontend_graph", &C::dumpFrontendGraph,
                "Save the network as MLIR after its import and after its "
                "optimization."),
          field("dump_phases", &C::dumpPhases,
                "Save the network as MLIR after every phase of the build, in "
                "the folder phases; weights are left out."),
      });
}

template <> Message describe<onnx_import::OpProcessor>() {
  using C = onnx_import::OpProcessor;
  return message<C>(
      "OpProcessor", "Sets attributes of one operator.",
      {
          field("op_name", &C::opName,
                "The name of the node, or op_<n>:onnx.<Type> for one without a "
                "name.")
              .required(),
          field("attrs", &C::attrs,
                "Names and values: numbers, strings, true, false or lists of "
                "these.")
              .required(),
      });
}

template <> Message describe<onnx_import::ConstProcessor>() {
  using C = onnx_import::ConstProcessor;
  return message<C>(
      "ConstProcessor", "Replaces the values of one constant; its type stays.",
      {
          field("name", &C::name,
                "The initializer, or the output of a Constant node.")
              .required(),
          field("data", &C::data, "The values, in row-major order."),
          field("data_path", &C::dataPath,
                "Instead of data: a .npy, .bin or .txt file with the values.")
              .path(),
      });
}

} // namespace parallax::config
