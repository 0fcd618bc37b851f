//===- OverridesTest.cpp - Fields of a configuration as flags -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A flag sets its own field, in each of its spellings, and nothing else does.
//===----------------------------------------------------------------------===//
#include "../../../tools/build/Overrides.h"
#include "parallax/Config/BuildConfig.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <gtest/gtest.h>

using namespace parallax;

namespace {

/// The four fields after `arguments` (last first, as CLI11 takes them) were
/// applied to a configuration in which all of them are `initial`.
std::array<bool, 4> applied(std::vector<std::string> arguments, bool initial) {
  CLI::App app;
  BuildOverrides overrides;
  addOverrides(app, overrides);
  std::reverse(arguments.begin(), arguments.end());
  app.parse(arguments);
  BuildConfig config;
  config.onnxOpt = {initial, initial, initial};
  config.debug = {initial};
  overrides.apply(config);
  return {config.onnxOpt.disableOnnxOptimization, config.onnxOpt.modelCheck,
          config.onnxOpt.disableTransformationCheck,
          config.debug.dumpFrontendGraph};
}

const std::string names[] = {
    "--onnx_opt.disable_onnx_optimization", "--onnx_opt.model_check",
    "--onnx_opt.disable_transformation_check", "--debug.dump_frontend_graph"};

TEST(Overrides, NothingGivenChangesNothing) {
  EXPECT_EQ(applied({}, false), (std::array{false, false, false, false}));
  EXPECT_EQ(applied({}, true), (std::array{true, true, true, true}));
}

TEST(Overrides, EachFlagSetsItsOwnField) {
  for (size_t i = 0; i < std::size(names); ++i) {
    std::array<bool, 4> on{}, off;
    off.fill(true);
    on[i] = true;
    off[i] = false;
    EXPECT_EQ(applied({names[i]}, false), on);
    EXPECT_EQ(applied({names[i], "1"}, false), on);
    EXPECT_EQ(applied({names[i], "true"}, false), on);
    EXPECT_EQ(applied({names[i] + "=true"}, false), on);
    EXPECT_EQ(applied({names[i], "0"}, true), off);
    EXPECT_EQ(applied({names[i], "false"}, true), off);
    EXPECT_EQ(applied({names[i] + "=0"}, true), off);
  }
}

TEST(Overrides, BareFlagsStandBesideOthers) {
  EXPECT_EQ(applied({names[0], names[1], "0", names[3]}, false),
            (std::array{true, false, false, true}));
  EXPECT_EQ(applied({names[0], names[1], "0", names[3]}, true),
            (std::array{true, false, true, true}));
}

TEST(Overrides, OtherValuesAreErrors) {
  for (const char *value : {"2", "yes", "True", "{}", "-1"})
    EXPECT_THROW(applied({names[1], value}, false), CLI::ParseError) << value;
  EXPECT_THROW(applied({names[1], "1", "0"}, false), CLI::ParseError);
  EXPECT_THROW(applied({"--onnx_opt.model_chec"}, false), CLI::ParseError);
}

} // namespace
