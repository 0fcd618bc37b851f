//===- FieldsTest.cpp - Every field of a configuration --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each field arrives in its own member, from a file and from the command line,
// and no other changes with it. It is either obeyed, which a test of the tools
// shows, or reported as one without effect.
//===----------------------------------------------------------------------===//
#include "../../../tools/build/Flags.h"
#include "../Support/TempDir.h"
#include "FieldCases.h"
#include "parallax/Config/BuildConfig.h"
#include "parallax/Config/Description.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

using namespace parallax;
using nlohmann::ordered_json;

namespace {

ordered_json resolved(const BuildConfig &config) {
  return ordered_json::parse(toJson(config));
}

ordered_json::json_pointer pointerOf(std::string path) {
  std::string pointer = "/";
  for (char symbol : path)
    pointer += symbol == '.'   ? "/"
               : symbol == '[' ? "/0"
                               : std::string(1, symbol);
  std::erase(pointer, ']');
  return ordered_json::json_pointer(pointer);
}

/// Everything that holds values, not messages.
std::set<std::string> leaves() {
  std::vector<std::string> fields = configFields();
  std::set<std::string> result(fields.begin(), fields.end());
  for (const std::string &field : fields)
    for (const std::string &inner : fields)
      if (inner.starts_with(field + ".") || inner.starts_with(field + "[]."))
        result.erase(field);
  return result;
}

TEST(Fields, EveryFieldHasItsCase) {
  std::set<std::string> covered;
  for (const FieldCase &entry : fieldCases())
    EXPECT_TRUE(covered.insert(entry.path).second) << entry.path;
  // These are inside sub_configs as well, whose description is the same.
  std::set<std::string> expected = leaves();
  expected.erase("compiler.sub_configs");
  expected.erase("compiler.start_tensor_names");
  expected.erase("compiler.end_tensor_names");
  covered.erase("compiler.sub_configs[].start_tensor_names");
  covered.erase("compiler.sub_configs[].end_tensor_names");
  EXPECT_EQ(covered, expected);
}

TEST(Fields, ArriveFromAFileInTheirOwnMember) {
  for (const FieldCase &entry : fieldCases()) {
    SCOPED_TRACE(entry.path);
    std::string text = textWith(entry.path, entry.value);
    BuildConfig config;
    ASSERT_NO_THROW(config = parseBuildConfig(text, "c.json")) << text;
    EXPECT_TRUE(entry.arrived(config)) << text;
    ordered_json actual = resolved(config);
    auto pointer = pointerOf(entry.path);
    EXPECT_EQ(actual.at(pointer), ordered_json::parse(entry.value));

    // Nothing else differs from a configuration without the field, if that is
    // allowed to be absent.
    BuildConfig without;
    try {
      without = parseBuildConfig(textWith(entry.path, ""), "c.json");
    } catch (const Error &) {
      continue;
    }
    ordered_json expected = resolved(without);
    bool hasOtherValue =
        std::string_view(entry.path) != "input_processors[].padding_mode";
    EXPECT_EQ(expected.at(pointer) != actual.at(pointer), hasOtherValue);
    expected.at(pointer) = actual.at(pointer);
    EXPECT_EQ(expected, actual);
  }
}

/// Whether a test sets the field, in a configuration or on the command line.
bool mentions(const std::string &text, const std::string &field) {
  std::string name = field.substr(field.rfind('.') + 1);
  return text.find("\"" + name + "\"") != std::string::npos ||
         text.find("--" + field) != std::string::npos;
}

/// Whether the field, or an object that it is in, is among those without
/// effect.
bool isReported(const FieldCase &entry) {
  BuildConfig config =
      parseBuildConfig(textWith(entry.path, entry.value), "c.json");
  for (const InactiveField &inactive : inactiveFields(config)) {
    std::string reported;
    for (char symbol : inactive.field)
      if (symbol != '0') // Of the first and only element of a list.
        reported += symbol;
    std::string_view path = entry.path;
    if (path == reported || path.starts_with(reported + ".") ||
        path.starts_with(reported + "[]"))
      return true;
  }
  return false;
}

TEST(Fields, AreObeyedOrReported) {
  for (const FieldCase &entry : fieldCases()) {
    // There is only one value to obey.
    if (std::string_view(entry.path) == "input_processors[].padding_mode")
      continue;
    bool isObeyed = entry.witness != nullptr;
    EXPECT_NE(isReported(entry), isObeyed)
        << entry.path << " needs either a test that shows what it does or a "
        << "reason why it does nothing";
    if (isObeyed)
      EXPECT_TRUE(mentions(
          contentsOf(std::filesystem::path(PARALLAX_TEST_ROOT) / entry.witness),
          entry.path))
          << entry.witness << " says nothing of " << entry.path;
  }
}

TEST(Fields, PathsAreFoundInObjectsAndLists) {
  BuildConfig config;
  config.input = "model";
  config.quant.calibrationCache = "cache";
  config.quant.inputConfigs.resize(2);
  config.quant.inputConfigs[1].calibrationDataset = "samples";
  config.compiler.subConfigs.resize(1);
  config.compiler.subConfigs[0].inputSampleDir = "part";
  config.outputName = "no path";
  auto paths = [&] {
    std::set<std::string> found;
    forEachPath(config, [&](const std::string &, std::string &path) {
      found.insert(path);
    });
    found.erase("");
    return found;
  };
  std::set<std::string> expected = {"model", "cache", "samples", "part"};
  EXPECT_EQ(paths(), expected);
  // A chip is none, its file is one.
  config.targetHardware = "chip.json";
  expected.insert("chip.json");
  EXPECT_EQ(paths(), expected);
}

TEST(Fields, ResolvedConfigurationIsReadAsTheSame) {
  EXPECT_EQ(toJson(parseBuildConfig(toJson(BuildConfig()), "c.json")),
            toJson(BuildConfig()));
  for (const FieldCase &entry : fieldCases()) {
    std::string once =
        toJson(parseBuildConfig(textWith(entry.path, entry.value), "c.json"));
    EXPECT_EQ(toJson(parseBuildConfig(once, "c.json")), once) << entry.path;
  }
}

/// The words behind a flag that stand for a JSON value.
std::vector<std::string> wordsFor(const std::string &value) {
  auto word = [](const ordered_json &element) {
    return element.is_string() ? element.get<std::string>() : element.dump();
  };
  ordered_json parsed = ordered_json::parse(value);
  if (!parsed.is_array())
    return {word(parsed)};
  std::vector<std::string> words;
  for (const ordered_json &element : parsed)
    words.push_back(word(element));
  return words;
}

BuildConfig parseFlags(std::vector<std::string> arguments,
                       const std::string &text = "{}") {
  CLI::App app;
  std::vector<ConfigOverride> flags;
  addConfigFlags(app, flags);
  std::reverse(arguments.begin(), arguments.end());
  app.parse(arguments);
  return parseBuildConfig(text, "c.json", flags);
}

TEST(Fields, ArriveFromTheCommandLine) {
  std::set<std::string> flags;
  for (const ConfigFlag &flag : configFlags())
    flags.insert(flag.field);
  size_t tested = 0;
  for (const FieldCase &entry : fieldCases()) {
    bool isFlag = flags.contains(entry.path);
    std::string path = entry.path;
    EXPECT_EQ(isFlag, path.find('[') == std::string::npos) << path;
    if (!isFlag)
      continue;
    SCOPED_TRACE(path);
    ++tested;
    std::vector<std::string> arguments = {"--" + path};
    for (const std::string &word : wordsFor(entry.value))
      arguments.push_back(word);
    // The file has what must stand beside the field, and then all defaults,
    // over which the flag wins.
    BuildConfig beside = parseBuildConfig(
        path.starts_with("evaluation")
            ? R"({"evaluation": {"images": "i", "labels": "l"}})"
            : "{}",
        "c.json");
    BuildConfig config;
    ASSERT_NO_THROW(config = parseFlags(arguments, toJson(beside)));
    EXPECT_TRUE(entry.arrived(config));
    if (!path.starts_with("evaluation"))
      EXPECT_EQ(toJson(parseFlags(arguments)), toJson(config));
  }
  EXPECT_EQ(tested, flags.size());
}

TEST(Fields, TruthValuesOnTheCommandLine) {
  auto check = [](const std::vector<std::string> &arguments, bool inFile) {
    return parseFlags(
               arguments,
               fmt::format(R"({{"onnx_opt": {{"model_check": {}}}}})", inFile))
        .onnxOpt.modelCheck;
  };
  const std::string flag = "--onnx_opt.model_check";
  EXPECT_FALSE(check({}, false));
  EXPECT_TRUE(check({}, true));
  EXPECT_TRUE(check({flag}, false));
  EXPECT_TRUE(check({flag, "--quant.check", "1"}, false));
  for (const char *yes : {"1", "true"}) {
    EXPECT_TRUE(check({flag, yes}, false));
    EXPECT_TRUE(check({flag + "=" + yes}, false));
  }
  for (const char *no : {"0", "false"}) {
    EXPECT_FALSE(check({flag, no}, true));
    EXPECT_FALSE(check({flag + "=" + no}, true));
  }
  for (const char *other : {"2", "yes", "True", "{}", "-1"})
    EXPECT_THROW(check({flag, other}, false), Error) << other;
  EXPECT_THROW(check({flag, "1", "0"}, false), CLI::ParseError);
  EXPECT_THROW(check({flag, flag}, false), CLI::ParseError);
  EXPECT_THROW(check({"--onnx_opt.model_chec"}, false), CLI::ParseError);
}

TEST(Fields, RepeatedMessagesAreNoFlags) {
  for (const ConfigFlag &flag : configFlags()) {
    EXPECT_EQ(flag.field.find("_configs"), std::string::npos);
    EXPECT_EQ(flag.field.find("_processors"), std::string::npos);
    EXPECT_EQ(flag.field.find("tensor_names"), std::string::npos);
    EXPECT_FALSE(flag.help.empty());
  }
}

TEST(Fields, AllNamesOfEnumsAreRead) {
  for (const EnumName<ModelType> &entry : enumNames<ModelType>())
    if (entry.value != ModelType::OptimizedQuantAxModel &&
        entry.value != ModelType::Isp)
      EXPECT_EQ(parseFlags({"--model_type", std::string(entry.name)}).modelType,
                entry.value);
  for (const EnumName<QuantMethod> &entry : enumNames<QuantMethod>())
    EXPECT_EQ(
        parseFlags({"--quant.calibration_method", std::string(entry.name)})
            .quant.calibrationMethod,
        entry.value);
}

} // namespace
