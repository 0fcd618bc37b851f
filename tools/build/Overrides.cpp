//===- Overrides.cpp - Fields of a configuration as flags -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One table serves the command line and the configuration.
//===----------------------------------------------------------------------===//
#include "Overrides.h"
#include "parallax/Config/BuildConfig.h"

#include <CLI/CLI.hpp>

namespace parallax {
namespace {

struct Override {
  const char *name;
  const char *help;
  std::optional<bool> BuildOverrides::*given;
  bool &(*field)(BuildConfig &);
};

const Override table[] = {
    {"--onnx_opt.disable_onnx_optimization", "keep the network as imported",
     &BuildOverrides::disableOnnxOptimization,
     [](BuildConfig &config) -> bool & {
       return config.onnxOpt.disableOnnxOptimization;
     }},
    {"--onnx_opt.model_check",
     "compare the optimized network with the imported one",
     &BuildOverrides::modelCheck,
     [](BuildConfig &config) -> bool & { return config.onnxOpt.modelCheck; }},
    {"--onnx_opt.disable_transformation_check",
     "do not check each rewrite of the network",
     &BuildOverrides::disableTransformationCheck,
     [](BuildConfig &config) -> bool & {
       return config.onnxOpt.disableTransformationCheck;
     }},
    {"--debug.dump_frontend_graph", "save the network after each step",
     &BuildOverrides::dumpFrontendGraph,
     [](BuildConfig &config) -> bool & {
       return config.debug.dumpFrontendGraph;
     }},
};

} // namespace

void BuildOverrides::apply(BuildConfig &config) const {
  for (const Override &entry : table)
    if (this->*entry.given)
      entry.field(config) = *(this->*entry.given);
}

void addOverrides(CLI::App &app, BuildOverrides &overrides) {
  for (const Override &entry : table)
    app.add_option(
           entry.name,
           [&target = overrides.*entry.given](const CLI::results_t &given) {
             // The value of a bare flag is empty.
             target = given[0] != "0" && given[0] != "false";
             return true;
           },
           entry.help)
        ->expected(0, 1)
        ->check(CLI::IsMember({"1", "0", "true", "false"}))
        ->type_name("[BOOL]");
}

} // namespace parallax
