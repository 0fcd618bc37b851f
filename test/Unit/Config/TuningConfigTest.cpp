//===- TuningConfigTest.cpp - The section about tuning --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Its defaults, both ways to limit the types of layers, and its mistakes.
//===----------------------------------------------------------------------===//
#include "ConfigLists.h"
#include "parallax/Config/BuildConfig.h"
#include "parallax/Config/Description.h"
#include "parallax/Support/Error.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace parallax;

namespace {

TuningConfig readTuning(const std::string &text) {
  return parseBuildConfig(fmt::format(R"({{"tuning": {}}})", text), "c.json")
      .tuning;
}

std::string tuningErrors(const std::string &text) {
  try {
    readTuning(text);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(TuningConfigTest, Defaults) {
  TuningConfig tuning = readTuning("{}");
  EXPECT_EQ(tuning.strategy, TuningStrategy::Auto);
  EXPECT_EQ(tuning.accuracyCriterion.criterion, LossCriterion::Relative);
  EXPECT_TRUE(tuning.accuracyCriterion.higherIsBetter);
  EXPECT_EQ(tuning.accuracyCriterion.tolerableLoss, 0.01);
  EXPECT_EQ(tuning.objective, TuningObjective::Cycles);
  EXPECT_EQ(tuning.exitPolicy.timeout, 0);
  EXPECT_EQ(tuning.exitPolicy.maxTrials, 100);
  EXPECT_EQ(tuning.randomSeed, 1);
  EXPECT_EQ(tuning.validationShare, 0.5);
  // A lever that is added later belongs to them as well.
  EXPECT_EQ(tuning.levers.size(), enumNames<TuningLever>().size());
  EXPECT_TRUE(readTuning(R"({"levers": []})").levers.empty());
}

TEST(TuningConfigTest, AllowedTypesAsListAndAsObject) {
  for (const char *text : {R"([{"pattern": "b.*", "types": ["U8"]},
            {"pattern": ".*", "types": ["U16", "FP32"]}])",
                           R"({"b.*": ["U8"], ".*": ["U16", "FP32"]})"}) {
    for (const char *field : {"op_name_dict", "op_type_dict"}) {
      SCOPED_TRACE(fmt::format("{}: {}", field, text));
      TuningConfig tuning =
          readTuning(fmt::format(R"({{"{}": {}}})", field, text));
      const std::vector<AllowedTypes> &entries =
          field == std::string("op_name_dict") ? tuning.opNameDict
                                               : tuning.opTypeDict;
      // In the order of the text, not of the alphabet.
      ASSERT_EQ(entries.size(), 2u);
      EXPECT_EQ(entries[0].pattern, "b.*");
      EXPECT_EQ(entries[0].types, std::vector{DataType::U8});
      EXPECT_EQ(entries[1].pattern, ".*");
      EXPECT_EQ(entries[1].types, (std::vector{DataType::U16, DataType::FP32}));
    }
  }
}

TEST(TuningConfigTest, MistakesInAllowedTypes) {
  EXPECT_EQ(tuningErrors(R"({"op_name_dict": {"a(": ["U8"], "b": []}})"),
            "c.json:1:30: 'tuning.op_name_dict[0].pattern' is not a regular "
            "expression: '(' and ')' don't pair up\n"
            "c.json:1:49: 'tuning.op_name_dict[1].types' must have at least "
            "one type");
  EXPECT_EQ(tuningErrors(R"({"op_type_dict": [{"pattern": "a"}]})"),
            "c.json:1:30: 'tuning.op_type_dict[0]' needs the field 'types'");
  EXPECT_EQ(tuningErrors(R"({"op_type_dict": {"Conv": ["S8"]}})"),
            "c.json:1:39: 'tuning.op_type_dict[0].types[0]' must be U8, U16 or "
            "FP32, not 'S8'; did you mean 'U8'?");
  EXPECT_EQ(tuningErrors(R"({"op_type_dict": {"Add": "U8"}})"),
            "c.json:1:37: 'tuning.op_type_dict[0].types' must be a list "
            "[ ... ], not 'U8'");
  EXPECT_EQ(tuningErrors(R"({"op_type_dict": {"A": ["U8"], "A": ["U16"]}})"),
            "c.json:1:43: 'tuning.op_type_dict.A' is given twice");
  EXPECT_EQ(tuningErrors(R"({"op_type_dict": "Conv"})"),
            "c.json:1:29: 'tuning.op_type_dict' must be a list [ ... ] or an "
            "object { ... }, not 'Conv'");
}

TEST(TuningConfigTest, MistakesElsewhere) {
  EXPECT_EQ(tuningErrors(R"({"strategy": "custom"})"),
            "c.json:1:12: 'tuning' needs a custom_command, which says what to "
            "try next");
  EXPECT_EQ(tuningErrors(R"({"strategy": "bayesian"})"),
            "c.json:1:25: 'tuning.strategy' must be auto, basic, mse, "
            "exhaustive, random or custom, not 'bayesian'");
  EXPECT_EQ(tuningErrors(R"({"accuracy_criterion": {"tolerable_loss": -0.1}})"),
            "c.json:1:54: 'tuning.accuracy_criterion.tolerable_loss' must be "
            "at least 0, not -0.1");
  EXPECT_EQ(tuningErrors(R"({"exit_policy": {"max_trials": 0}})"),
            "c.json:1:43: 'tuning.exit_policy.max_trials' must be at least 1, "
            "not 0");
  EXPECT_EQ(tuningErrors(R"({"validation_share": 1})"),
            "c.json:1:33: 'tuning.validation_share' must be between 0 and 0.9, "
            "not 1");
  EXPECT_EQ(tuningErrors(R"({"levers": ["brecq"]})"),
            "c.json:1:24: 'tuning.levers[0]' must be calibration, "
            "equalization, smooth_quant, easy_quant or bias_correction, not "
            "'brecq'");
}

TEST(TuningConfigTest, EditorsTakeBothWays) {
  auto schema = nlohmann::json::parse(configSchema());
  const auto &forms =
      schema.at("definitions").at("TuningConfig").at("properties");
  const auto &choices = forms.at("op_name_dict").at("anyOf");
  EXPECT_EQ(choices.at(0).at("items").at("$ref"), "#/definitions/AllowedTypes");
  EXPECT_EQ(choices.at(1).at("additionalProperties").at("items").at("enum"),
            nlohmann::json({"U8", "U16", "FP32"}));
}

TEST(TuningConfigTest, NamesNoPaths) {
  BuildConfig config;
  config.tuning.customCommand = "next.sh";
  config.tuning.opNameDict = {{"a", {DataType::U8}}};
  forEachPath(config, [](const std::string &, std::string &path) {
    EXPECT_EQ(path, "");
  });
}

} // namespace
