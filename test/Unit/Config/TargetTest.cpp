//===- TargetTest.cpp - Target files --------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The files that Parallax comes with, and the mistakes that people make in
// files of their own.
//===----------------------------------------------------------------------===//
#include "parallax/Config/Target.h"
#include "../Support/TempDir.h"
#include "parallax/Config/BuildConfig.h"
#include "parallax/Config/Description.h"
#include "parallax/Support/Error.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace parallax;

namespace {

/// What parseTarget says about a text, or "" if it has no mistakes.
std::string errorOf(const std::string &text) {
  try {
    parseTarget(text, "chip.json");
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

std::string errorOfArithmetic(const std::string &fields) {
  return errorOf(
      fmt::format(R"({{"name": "a", "arithmetic": {{{}}}}})", fields));
}

TEST(Target, FilesOfParallax) {
  EXPECT_EQ(targetNames(),
            (std::vector<std::string>{"AX620E", "AX650", "generic", "M57"}));
  for (const std::string &name : targetNames()) {
    Target target = findTarget(name);
    EXPECT_FALSE(target.description.empty()) << name;
    EXPECT_FALSE(target.sources.empty()) << name;
    // Nobody has published the bits of these chips.
    EXPECT_EQ(target.arithmetic.accumulatorBits8, 32) << name;
    EXPECT_EQ(target.arithmetic.accumulatorBits16, 48) << name;
    EXPECT_EQ(target.arithmetic.multiplierBits, 31) << name;
    EXPECT_EQ(target.arithmetic.tableKnots, 513) << name;
    EXPECT_EQ(target.arithmetic.rounding, Rounding::HalfUp) << name;
  }
}

/// Operations per second, two for each product, of all cores.
double teraOpsOf(const Target &target, NpuMode mode) {
  return 2 * target.macs[0].perCycle * double(target.coresIn(mode)) *
         target.clockMhz * 1e-6;
}

TEST(Target, PublishedNumbersOfChips) {
  EXPECT_DOUBLE_EQ(teraOpsOf(findTarget("AX650"), NpuMode::NPU3), 18);
  EXPECT_DOUBLE_EQ(teraOpsOf(findTarget("AX620E"), NpuMode::NPU2), 3.2);
  EXPECT_THROW(findTarget("AX620E").coresIn(NpuMode::NPU3), Error);
  EXPECT_EQ(findTarget("M57").modes.size(), 1u);
}

TEST(Target, NamesInAnyCase) {
  for (const char *name : {"AX650", "ax650", "Ax650"})
    EXPECT_EQ(findTarget(name).name, "AX650");
  EXPECT_EQ(findTarget("GENERIC").name, "generic");
  try {
    findTarget("AX637");
    FAIL();
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(),
                 "there is no description of the chip 'AX637'; take AX620E, "
                 "AX650, generic or M57, or give target_hardware the path of a "
                 ".json file that describes it (docs/targets.md)");
  }
}

TEST(Target, FilesOfOthers) {
  TempDir folder;
  std::string path = folder.write(
      "chip_of_somebody.json", "{\"name\": \"mine\", // a comment\n"
                               "\"arithmetic\": {\"multiplier_bits\": 15},}");
  Target target = findTarget(path);
  EXPECT_EQ(target.name, "mine");
  EXPECT_EQ(target.arithmetic.multiplierBits, 15);
  EXPECT_EQ(target.arithmetic.accumulatorBits16, 48);
  EXPECT_THROW(readTarget(path + ".not"), Error);
  EXPECT_THROW(findTarget(folder.path()), Error);
}

TEST(Target, EveryFieldIsRead) {
  Target target = parseTarget(R"({
    "name": "full", "description": "all of it", "sources": ["a", "b"],
    "arithmetic": {"accumulator_bits_8": 24, "accumulator_bits_16": 40,
                   "multiplier_bits": 16, "rounding": "half_away",
                   "table_knots": 1025},
    "activation_types": ["U8", "U16"], "weight_types": ["S8"],
    "operators": [{"op_types": ["MatMul"], "activation_types": ["U8"]},
                  {"op_types": ["LayerNormalization"], "activation_types": []},
                  {"op_types": ["Conv"], "weight_types": ["S16"]}],
    "clock_mhz": 750.5,
    "modes": [{"npu_mode": "NPU2", "cores": 5}],
    "macs": [{"activation_bits": 8, "weight_bits": 8, "per_cycle": 64,
              "input_channels": 4, "output_channels": 16}],
    "vector": {"codes_8": 3, "codes_16": 2, "fp32": 1},
    "cpu": {"products": 6, "elements": 0.5},
    "memory": {"on_chip_bytes": 1000, "gigabytes_per_second": 2.5},
    "launch_cycles": 77})",
                              "full.json");
  EXPECT_EQ(target.name, "full");
  EXPECT_EQ(target.description, "all of it");
  EXPECT_EQ(target.sources.size(), 2u);
  EXPECT_EQ(target.arithmetic.accumulatorBits(true), 24);
  EXPECT_EQ(target.arithmetic.accumulatorBits(false), 40);
  EXPECT_EQ(target.arithmetic.multiplierBits, 16);
  EXPECT_EQ(target.arithmetic.rounding, Rounding::HalfAway);
  EXPECT_EQ(target.arithmetic.tableKnots, 1025);
  EXPECT_EQ(target.clockMhz, 750.5);
  EXPECT_EQ(target.coresIn(NpuMode::NPU2), 5);
  EXPECT_EQ(target.macs[0].perCycle, 64);
  EXPECT_EQ(target.macs[0].inputChannels, 4);
  EXPECT_EQ(target.macs[0].outputChannels, 16);
  EXPECT_EQ(target.vector.codes8, 3);
  EXPECT_EQ(target.vector.codes16, 2);
  EXPECT_EQ(target.vector.fp32, 1);
  EXPECT_EQ(target.cpu.products, 6);
  EXPECT_EQ(target.cpu.elements, 0.5);
  EXPECT_EQ(target.memory.onChipBytes, 1000);
  EXPECT_EQ(target.memory.gigabytesPerSecond, 2.5);
  EXPECT_EQ(target.launchCycles, 77);
  using Types = std::vector<DataType>;
  // Names are those of ONNX and those of the dialect; what an element does not
  // give is inherited.
  for (const char *name : {"MatMul", "matmul", "mat_mul"}) {
    EXPECT_EQ(target.activationTypesOf(name), Types{DataType::U8});
    EXPECT_EQ(target.weightTypesOf(name), Types{DataType::S8});
  }
  EXPECT_TRUE(target.activationTypesOf("layer_normalization").empty());
  EXPECT_EQ(target.weightTypesOf("conv"), Types{DataType::S16});
  EXPECT_EQ(target.activationTypesOf("conv"),
            (Types{DataType::U8, DataType::U16}));
  EXPECT_EQ(target.activationTypesOf("add"),
            (Types{DataType::U8, DataType::U16}));
}

TEST(Target, NumbersOutOfRange) {
  EXPECT_EQ(errorOfArithmetic(R"("accumulator_bits_8": 33)"),
            "chip.json:1:52: 'arithmetic.accumulator_bits_8' must be between "
            "12 and 32, not 33");
  for (const char *fields :
       {R"("accumulator_bits_8": 11)", R"("accumulator_bits_16": 49)",
        R"("multiplier_bits": 7)", R"("multiplier_bits": 32)",
        R"("multiplier_bits": 15.5)", R"("table_knots": 3)",
        R"("table_knots": 512)", R"("table_knots": 131073)",
        R"("rounding": "down")",
        R"("accumulator_bits_8": 32, "accumulator_bits_16": 31)"})
    EXPECT_NE(errorOfArithmetic(fields), "") << fields;
  for (const char *fields :
       {R"("accumulator_bits_8": 12)", R"("multiplier_bits": 8)",
        R"("table_knots": 5)", R"("table_knots": 65537)",
        R"("accumulator_bits_8": 32, "accumulator_bits_16": 32)"})
    EXPECT_EQ(errorOfArithmetic(fields), "") << fields;
}

TEST(Target, MistakesAreTold) {
  EXPECT_EQ(errorOf(R"({"nam": "a"})"),
            "chip.json:1:1: the configuration needs the field 'name'\n"
            "chip.json:1:2: there is no field 'nam'; did you mean 'name'?");
  EXPECT_EQ(errorOf(R"({"name": "a", "table_knots": 5})"),
            "chip.json:1:15: there is no field 'table_knots'; did you mean "
            "'arithmetic.table_knots'?");
  EXPECT_EQ(errorOf("{\"name\": \"a\",\n \"modes\": []}"),
            "chip.json:2:11: 'modes' must have an element");
  EXPECT_EQ(
      errorOf(R"({"name": "a", "activation_types": ["U8", "S32"]})"),
      "chip.json:1:42: 'activation_types[1]' must be U8, S8, U16, S16 or FP32, "
      "not 'S32'");
  for (const char *text :
       {R"({"name": "a/b"})", R"({"name": ""})", R"([])",
        R"({"name": "a", "clock_mhz": 0})", R"({"name": "a", "macs": []})",
        R"({"name": "a", "macs": [{"activation_bits": 8, "weight_bits": 4,
                                   "per_cycle": 2}]})",
        R"({"name": "a", "macs": [{"activation_bits": 16, "weight_bits": 8,
                                   "per_cycle": 2}]})",
        R"({"name": "a", "modes": [{"npu_mode": "NPU1"},
                                   {"npu_mode": "NPU1"}]})",
        R"({"name": "a", "operators": [{"activation_types": []}]})",
        R"({"name": "a", "memory": {"gigabytes_per_second": -1}})"})
    EXPECT_NE(errorOf(text), "") << text;
}

//===----------------------------------------------------------------------===//
// target_hardware of a build
//===----------------------------------------------------------------------===//

std::string buildError(const std::string &text) {
  try {
    parseBuildConfig(text, "build.json");
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(Target, HardwareOfABuild) {
  for (const char *name :
       {"AX650", "AX620E", "M57", "generic", "ax650", "M76H", "AX615", "AX637",
        "AX8860", "AX620L", "LAMBERT", "LAGUNA", "chips/mine.json"}) {
    std::string text = fmt::format(R"({{"target_hardware": "{}"}})", name);
    EXPECT_EQ(buildError(text), "");
    EXPECT_EQ(parseBuildConfig(text, "").targetHardware, name);
  }
  EXPECT_EQ(buildError(R"({"target_hardware": "AX65"})"),
            "build.json:1:21: 'target_hardware' must be AX620E, AX650, "
            "generic, M57 or the path of a .json file, not 'AX65'; did you "
            "mean 'AX650', 'AX615' or 'AX637'? (M76H, AX615, AX637, AX8860, "
            "AX620L, LAMBERT, LAGUNA have no description)");
  EXPECT_EQ(buildError(R"({"target_hardware": "ax620e", "npu_mode": "NPU3"})"),
            "build.json:1:43: 'npu_mode' must be NPU1 or NPU2 on ax620e, not "
            "NPU3");
  EXPECT_EQ(buildError(R"({"target_hardware": "M57", "npu_mode": "NPU2"})"),
            "build.json:1:40: 'npu_mode' must be NPU1 on M57, not NPU2");
  // Modes of files and of unknown chips are known later.
  EXPECT_EQ(buildError(R"({"target_hardware": "a.json", "npu_mode": "NPU3"})"),
            "");
}

TEST(Target, PageAndSchemaNameEveryField) {
  std::string page = targetPage();
  auto schema = nlohmann::json::parse(targetSchema());
  EXPECT_EQ(schema["required"], nlohmann::json({"name"}));
  EXPECT_EQ(schema["definitions"]["Arithmetic"]["properties"]["multiplier_bits"]
                  ["maximum"],
            31);
  for (const auto &[name, ignored] : schema["properties"].items())
    if (name != "$schema")
      EXPECT_NE(page.find("| `" + name + "` |"), std::string::npos) << name;
}

} // namespace
