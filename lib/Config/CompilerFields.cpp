//===- CompilerFields.cpp - The fields about compilation ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// How the quantized network becomes a program for the NPU. Parts of it can be
// compiled in their own way.
//===----------------------------------------------------------------------===//
#include "Field.h"

#include <fmt/format.h>

namespace parallax::config {
namespace {

void checkCompiler(const CompilerConfig &config, const ObjectScope &scope) {
  bool hasStart = scope.given("start_tensor_names");
  bool hasEnd = scope.given("end_tensor_names");
  if (hasStart != hasEnd)
    scope.error(
        fmt::format("needs {} beside {}",
                    hasStart ? "end_tensor_names" : "start_tensor_names",
                    hasStart ? "start_tensor_names" : "end_tensor_names"));
  if (!scope.hasErrors())
    for (const CompilerConfig &part : config.subConfigs)
      if (part.startTensorNames.empty())
        scope.error("sub_configs", "must give start_tensor_names and "
                                   "end_tensor_names in each element");
}

Field subConfigs() {
  using C = CompilerConfig;
  Field result =
      field("sub_configs", &C::subConfigs,
            "Parts of the network that are compiled in another way. What an "
            "element does not set is as in the object around it.");
  result.inherit = [](void *element, const void *owner) {
    auto &part = *static_cast<C *>(element);
    part = *static_cast<const C *>(owner);
    part.startTensorNames.clear();
    part.endTensorNames.clear();
    part.subConfigs.clear();
  };
  return result;
}

} // namespace

template <> Message describe<CompilerConfig>() {
  using C = CompilerConfig;
  constexpr std::string_view oneBatch =
      "a model is compiled for the batch of its inputs";
  constexpr std::string_view oneSchedule =
      "layers run one after the other, as docs/targets.md says";
  constexpr std::string_view onePart = "the network is compiled in one way";
  return message<C>(
      "CompilerConfig", "How the quantized network is compiled and checked.",
      {
          field("static_batch_sizes", &C::staticBatchSizes,
                "Batch sizes to compile for.")
              .atLeast(1)
              .inactive(oneBatch),
          field("max_dynamic_batch_size", &C::maxDynamicBatchSize,
                "The largest batch that is put together from smaller "
                "ones at run time; 0 means none.")
              .atLeast(0)
              .inactive(oneBatch),
          field("ddr_bw_limit", &C::ddrBwLimit,
                "The memory bandwidth to plan with, in GB/s; 0 means "
                "all of it.")
              .atLeast(0),
          field("disable_ir_fix", &C::disableIrFix,
                "Do not adapt reshapes to several batch sizes.")
              .inactive(oneBatch),
          field("check", &C::check,
                "How the compiled model, read back from its file, is "
                "compared with the program that it was written from: 0 "
                "not at all, 1 within tolerances, 2 bit by bit, 3 by "
                "cosine.")
              .between(0, 3),
          field("check_mode", &C::checkMode,
                "Whether outputs or all layers are compared."),
          field("check_rtol", &C::checkRtol,
                "For check 1: the relative tolerance.")
              .atLeast(0),
          field("check_atol", &C::checkAtol,
                "For check 1: the absolute tolerance.")
              .atLeast(0),
          field("check_cosine_simularity", &C::checkCosineSimularity,
                "For check 3: the cosine that must be reached.")
              .between(-1, 1),
          field("check_tensor_black_list", &C::checkTensorBlackList,
                "Regular expressions of tensors that are not "
                "compared."),
          field("input_sample_dir", &C::inputSampleDir,
                "A folder of inputs for the check, in the format of the "
                "compiled model; without it they are random.")
              .path(),
          field("npu_perf", &C::npuPerf,
                "Save the cycles that each layer takes on the NPU, as "
                "op_profile.csv and as trace.json for "
                "chrome://tracing."),
          field("enable_slice_mode", &C::enableSliceMode,
                "Schedule slices of layers.")
              .inactive(oneSchedule),
          field("enable_tile_mode", &C::enableTileMode,
                "Schedule tiles of layers.")
              .inactive(oneSchedule),
          field("enable_data_soft_compression", &C::enableDataSoftCompression,
                "Compress weights in a way that software undoes.")
              .inactive("a compiled model holds plain codes"),
          field("compiler_group_patterns", &C::compilerGroupPatterns,
                "Groups of operators that are scheduled together.")
              .inactive(oneSchedule),
          field("start_tensor_names", &C::startTensorNames,
                "In sub_configs only: where the part begins.")
              .onlyInFiles()
              .inactive(onePart),
          field("end_tensor_names", &C::endTensorNames,
                "In sub_configs only: where the part ends.")
              .onlyInFiles()
              .inactive(onePart),
          subConfigs().inactive(onePart),
      },
      checkCompiler);
}

template <> Message describe<GroupPattern>() {
  using C = GroupPattern;
  return message<C>("GroupPattern", "Operators that are scheduled together.",
                    {
                        field("nodes", &C::nodes, "The operators."),
                        field("type", &C::type, "How the group is scheduled."),
                        field("match_mode", &C::matchMode,
                              "Whether operators or tensors are matched."),
                    });
}

template <> Message describe<PatternNode>() {
  using C = PatternNode;
  return message<C>(
      "PatternNode", "An operator of a group.",
      {
          field("types", &C::types, "The types it may have."),
          field("inputs", &C::inputs, "Its inputs."),
          field("outputs", &C::outputs, "Its results."),
          field("properties", &C::properties, "Attributes that it must have."),
      });
}

} // namespace parallax::config
