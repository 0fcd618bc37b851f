//===- BuildConfigTest.cpp - Configurations, good and bad -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every field arrives in its member, and every mistake gets its sentence.
//===----------------------------------------------------------------------===//
#include "parallax/Config/BuildConfig.h"
#include "../Support/TempDir.h"

#include <array>
#include <fmt/format.h>

using namespace parallax;
using onnx_import::AttributeValue;

namespace {

using Ints = std::vector<int64_t>;
using Reals = std::vector<double>;
using Texts = std::vector<std::string>;

class BuildConfigTest : public testing::Test {
protected:
  BuildConfig read(const std::string &text) {
    return readBuildConfig(folder.write("c.json", text).string());
  }

  /// The whole message, after the name of the file.
  void expectMessage(const std::string &text, const std::string &message) {
    try {
      read(text);
      ADD_FAILURE() << "no error in: " << text;
    } catch (const Error &error) {
      EXPECT_EQ(error.what(), (folder / "c.json").string() + ": " + message);
    }
  }

  AttributeValue readAttribute(const std::string &text) {
    BuildConfig config =
        read(R"({"op_processors": [{"op_name": "a", "attrs": {"x": )" + text +
             "}}]}");
    return config.opProcessors.at(0).attrs.at("x");
  }

  TempDir folder;
};

TEST_F(BuildConfigTest, DefaultsOfAnEmptyFile) {
  BuildConfig config = read("{}");
  EXPECT_FALSE(config.onnxOpt.disableOnnxOptimization);
  EXPECT_FALSE(config.onnxOpt.modelCheck);
  EXPECT_FALSE(config.onnxOpt.disableTransformationCheck);
  EXPECT_FALSE(config.debug.dumpFrontendGraph);
  EXPECT_TRUE(config.opProcessors.empty());
  EXPECT_TRUE(config.constProcessors.empty());
  EXPECT_TRUE(config.ignoredFields.empty());
}

TEST_F(BuildConfigTest, ReadsEveryField) {
  BuildConfig config = read(R"(// A comment.
{
  "input": "a.onnx", # another
  "output_dir": "out",
  "input_shapes": "x:1x3",
  "evaluation": {"images": "i.npy", "labels": "l.npy",},
  "debug": {"dump_frontend_graph": true},
  "op_processors": [
    {"op_name": "pool6", "attrs": {"ceil_mode": 1, "auto_pad": "VALID"}},
    {"op_name": "op_3:onnx.Relu", "attrs": {}},
  ],
  "const_processors": [
    {"name": "shape", "data": [-1, 96, 48]},
    {"name": "w", "data_path": "w.npy"},
  ],
})");
  EXPECT_EQ(config.input, "a.onnx");
  EXPECT_EQ(config.outputDir, "out");
  EXPECT_EQ(config.inputShapes, "x:1x3");
  EXPECT_EQ(config.evaluationImages, "i.npy");
  EXPECT_EQ(config.evaluationLabels, "l.npy");
  EXPECT_TRUE(config.debug.dumpFrontendGraph);
  ASSERT_EQ(config.opProcessors.size(), 2u);
  EXPECT_EQ(config.opProcessors[0].opName, "pool6");
  EXPECT_EQ(
      config.opProcessors[0].attrs,
      (std::map<std::string, AttributeValue>{
          {"ceil_mode", int64_t(1)}, {"auto_pad", std::string("VALID")}}));
  EXPECT_EQ(config.opProcessors[1].opName, "op_3:onnx.Relu");
  EXPECT_TRUE(config.opProcessors[1].attrs.empty());
  ASSERT_EQ(config.constProcessors.size(), 2u);
  EXPECT_EQ(config.constProcessors[0].name, "shape");
  EXPECT_EQ(config.constProcessors[0].data, (Reals{-1, 96, 48}));
  EXPECT_EQ(config.constProcessors[0].dataPath, "");
  EXPECT_EQ(config.constProcessors[1].dataPath, "w.npy");
}

TEST_F(BuildConfigTest, ReadsEachOptimizationFlag) {
  auto readFlag = [&](const std::string &name) {
    return read("{\"onnx_opt\": {\"" + name + "\": true}}").onnxOpt;
  };
  auto bits = [](const OnnxOptions &options) {
    return std::array{options.disableOnnxOptimization, options.modelCheck,
                      options.disableTransformationCheck};
  };
  EXPECT_EQ(bits(readFlag("disable_onnx_optimization")),
            (std::array{true, false, false}));
  EXPECT_EQ(bits(readFlag("model_check")), (std::array{false, true, false}));
  EXPECT_EQ(bits(readFlag("disable_transformation_check")),
            (std::array{false, false, true}));
  EXPECT_FALSE(
      read(R"({"onnx_opt": {"model_check": false}})").onnxOpt.modelCheck);
}

TEST_F(BuildConfigTest, ListsFieldsWithoutEffect) {
  BuildConfig config = read(R"({"quant": {"anything": 1}, "npu_mode": "NPU1",
    "onnx_opt": {"save_tensors_data": true, "enable_onnxsim": false}})");
  EXPECT_EQ(config.ignoredFields,
            (Texts{"npu_mode", "onnx_opt.enable_onnxsim",
                   "onnx_opt.save_tensors_data", "quant"}));
}

TEST_F(BuildConfigTest, AttributesKeepTheirKind) {
  EXPECT_EQ(readAttribute("7"), AttributeValue(int64_t(7)));
  EXPECT_EQ(readAttribute("-9223372036854775808"), AttributeValue(INT64_MIN));
  EXPECT_EQ(readAttribute("9223372036854775807"), AttributeValue(INT64_MAX));
  EXPECT_EQ(readAttribute("true"), AttributeValue(int64_t(1)));
  EXPECT_EQ(readAttribute("false"), AttributeValue(int64_t(0)));
  EXPECT_EQ(readAttribute("1.0"), AttributeValue(1.0));
  EXPECT_EQ(readAttribute("1e300"), AttributeValue(1e300));
  EXPECT_EQ(readAttribute("\"x\""), AttributeValue(std::string("x")));
  EXPECT_EQ(readAttribute("[1, true, -2]"), AttributeValue(Ints{1, 1, -2}));
  EXPECT_EQ(readAttribute("[1, 2.5]"), AttributeValue(Reals{1, 2.5}));
  EXPECT_EQ(readAttribute("[\"a\", \"b\"]"), AttributeValue(Texts{"a", "b"}));
  EXPECT_EQ(readAttribute("[]"), AttributeValue(Ints{}));
}

TEST_F(BuildConfigTest, BadAttributes) {
  auto expectBad = [&](const std::string &value, const std::string &message) {
    expectMessage(R"({"op_processors": [{"op_name": "a", "attrs": {"x": )" +
                      value + "}}]}",
                  "field 'op_processors[0].attrs.x' " + message);
  };
  std::string kinds =
      "must be a number, a string, true, false or a list of these, not ";
  expectBad("null", kinds + "null");
  expectBad("{}", kinds + "object");
  std::string lists = "must be a list of numbers, or one of strings";
  expectBad("[1, \"a\"]", lists);
  expectBad("[[1]]", lists);
  expectBad("[null]", lists);
  expectBad("[1.5, true]", lists);
  expectBad("9223372036854775808",
            "is 9223372036854775808, which is no 64-bit integer");
  expectBad("[18446744073709551615]",
            "is 18446744073709551615, which is no 64-bit integer");
}

TEST_F(BuildConfigTest, UnknownFieldsAndTheirNeighbours) {
  expectMessage(R"({"inptu": 1})",
                "there is no field 'inptu'; did you mean 'input'?");
  expectMessage(R"({"op_procesors": []})",
                "there is no field 'op_procesors'; did you mean "
                "'op_processors'?");
  expectMessage(R"({"zzzzzzzz": 1})", "there is no field 'zzzzzzzz'");
  expectMessage(R"({"onnx_opt": {"model_chek": true}})",
                "there is no field 'onnx_opt.model_chek'; did you mean "
                "'model_check'?");
  expectMessage(R"({"debug": {"dump_fronted_graph": true}})",
                "there is no field 'debug.dump_fronted_graph'; did you mean "
                "'dump_frontend_graph'?");
  expectMessage(R"({"evaluation": {"image": ""}})",
                "there is no field 'evaluation.image'; did you mean "
                "'images'?");
  expectMessage(R"({"op_processors": [{"op_nme": "a"}]})",
                "there is no field 'op_processors[0].op_nme'; did you mean "
                "'op_name'?");
  expectMessage(
      R"({"const_processors": [{"name": "a", "data": [1]}, {"dta": []}]})",
      "there is no field 'const_processors[1].dta'; did you mean 'data'?");
}

TEST_F(BuildConfigTest, MissingFields) {
  expectMessage(R"({"op_processors": [{"attrs": {}}]})",
                "'op_processors[0]' needs the field 'op_name'");
  expectMessage(R"({"op_processors": [{"op_name": "a"}]})",
                "'op_processors[0]' needs the field 'attrs'");
  expectMessage(R"({"const_processors": [{"data": [1]}]})",
                "'const_processors[0]' needs the field 'name'");
}

TEST_F(BuildConfigTest, WrongTypes) {
  expectMessage("[]", "the configuration must be an object { ... }");
  expectMessage("3", "the configuration must be an object { ... }");
  expectMessage(R"({"input": 3})",
                "field 'input' must be a string, not number");
  expectMessage(R"({"onnx_opt": []})", "'onnx_opt' must be an object { ... }");
  for (const char *name :
       {"disable_onnx_optimization", "enable_onnxsim", "model_check",
        "disable_transformation_check", "save_tensors_data"})
    expectMessage(fmt::format(R"({{"onnx_opt": {{"{}": 1}}}})", name),
                  fmt::format("field 'onnx_opt.{}' must be true or false, not "
                              "number",
                              name));
  expectMessage(R"({"debug": {"dump_frontend_graph": "true"}})",
                "field 'debug.dump_frontend_graph' must be true or false, not "
                "string");
  expectMessage(R"({"op_processors": {}})",
                "'op_processors' must be a list [ ... ]");
  expectMessage(R"({"op_processors": ["a"]})",
                "'op_processors[0]' must be an object { ... }");
  expectMessage(R"({"op_processors": [{"op_name": 1, "attrs": {}}]})",
                "field 'op_processors[0].op_name' must be a string, not "
                "number");
  expectMessage(R"({"op_processors": [{"op_name": "a", "attrs": []}]})",
                "'op_processors[0].attrs' must be an object { ... }");
  expectMessage(R"({"const_processors": [{"name": "a", "data": 1}]})",
                "'const_processors[0].data' must be a list [ ... ]");
  expectMessage(R"({"const_processors": [{"name": "a", "data": [1, "2"]}]})",
                "field 'const_processors[0].data[1]' must be a number, not "
                "string");
  expectMessage(R"({"const_processors": [{"name": "a", "data": [true]}]})",
                "field 'const_processors[0].data[0]' must be a number, not "
                "boolean");
  expectMessage(R"({"const_processors": [{"name": "a", "data_path": 1}]})",
                "field 'const_processors[0].data_path' must be a string, not "
                "number");
}

TEST_F(BuildConfigTest, DataKeepsItsValue) {
  auto data = [&](const std::string &values) {
    return read(R"({"const_processors": [{"name": "a", "data": [)" + values +
                "]}]}")
        .constProcessors.at(0)
        .data;
  };
  EXPECT_EQ(data(""), Reals{});
  EXPECT_EQ(data("0.1, -0.0, 1e300"), (Reals{0.1, -0.0, 1e300}));
  EXPECT_EQ(data("9007199254740992, -9223372036854775808"),
            (Reals{0x1p53, -0x1p63}));
  for (const char *value : {"9007199254740993", "-9007199254740993",
                            "9223372036854775807", "18446744073709551615"})
    EXPECT_THROW(data(value), Error) << value;
  expectMessage(
      R"({"const_processors": [{"name": "a", "data": [9007199254740993]}]})",
      "field 'const_processors[0].data[0]' is 9007199254740993, which a "
      "double can't hold exactly; give such values in the file of a "
      "data_path");
}

TEST_F(BuildConfigTest, FieldsGivenTwice) {
  expectMessage(R"({"input": "a", "input": "b"})",
                "field 'input' is given twice");
  expectMessage(R"({"op_processors": [{"op_name": "a",
                    "attrs": {"x": 1, "x": 2}}]})",
                "field 'x' is given twice");
  // The same name in another object is another field.
  EXPECT_EQ(read(R"({"const_processors": [{"name": "a"}, {"name": "b"}]})")
                .constProcessors.size(),
            2u);
}

TEST_F(BuildConfigTest, SyntaxErrorsPointAtTheText) {
  auto position = [&](const std::string &text, const std::string &expected) {
    expectError([&] { read(text); },
                (folder / "c.json").string() + ": parse error at " + expected);
  };
  position("{\"input\": \"a\",\n \"output_dir\"   \"out\"}",
           "line 2, column 21");
  position("{ // comment\n  \"input\" 1}", "line 2, column 11");
  position("{ /* a\n b */ \"input\" 1}", "line 2, column 15");
  position("{\"a\": [1,\n],\n \"b\" 1}", "line 3, column 6");
  position("{\"a\": [1,,]}", "line 1, column 10");
  position("{,}", "line 1, column 2");
  position("", "line 1, column 1");
  position("{} x", "line 1, column 4");
  position("{\"a\": /* no end", "line 1, column 7");
  position("{\"a\xff\": 1}", "line 1, column 4");
}

TEST_F(BuildConfigTest, DeepNestingIsRefused) {
  std::string deep(100000, '[');
  deep.append(100000, ']');
  expectMessage("{\"const_processors\": [{\"name\": \"a\", \"data\": [" + deep +
                    "]}]}",
                "field 'const_processors[0].data[0]' must be a number, not "
                "array");
}

TEST_F(BuildConfigTest, AbsentFiles) {
  expectError([&] { readBuildConfig((folder / "none.json").string()); },
              "none.json: there is no such configuration file");
  expectError([&] { readBuildConfig(folder.path().string()); },
              "there is no such configuration file");
}

} // namespace
