//===- BuildConfigTest.cpp - Configurations, good and bad -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Whole files as people write them, and a sentence for every mistake in one.
//===----------------------------------------------------------------------===//
#include "parallax/Config/BuildConfig.h"
#include "../Support/TempDir.h"
#include "ConfigLists.h"
#include "parallax/Config/Description.h"

#include <fmt/format.h>

using namespace parallax;
using onnx_import::AttributeValue;

namespace {

BuildConfig read(const std::string &text,
                 const std::vector<ConfigOverride> &flags = {}) {
  return parseBuildConfig(text, "c.json", flags);
}

/// The lines of the message, without the name of the file.
Texts configErrors(const std::string &text,
                   const std::vector<ConfigOverride> &flags = {}) {
  Texts lines;
  try {
    read(text, flags);
  } catch (const Error &error) {
    std::string message = error.what();
    for (size_t begin = 0; begin <= message.size();) {
      size_t end = std::min(message.find('\n', begin), message.size());
      std::string line = message.substr(begin, end - begin);
      lines.push_back(line.starts_with("c.json:") ? line.substr(7) : line);
      begin = end + 1;
    }
  }
  return lines;
}

void expectConfigError(const std::string &text, const std::string &message) {
  EXPECT_EQ(configErrors(text), Texts{message}) << text;
}

/// "images, labels" of "evaluation.".
std::string fieldsOf(std::string_view object) {
  Texts names;
  for (const std::string &field : configFields())
    if (field.starts_with(object))
      names.push_back(field.substr(object.size()));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "MinMax, Percentile or KL".
std::string methods() {
  std::string text;
  std::span names = enumNames<QuantMethod>();
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0                  ? ""
             : i + 1 == names.size() ? " or "
                                     : ", ") +
            std::string(names[i].name);
  return text;
}

/// The message, wherever the mistake stands.
void expectMessage(const std::string &text, const std::string &message) {
  Texts errors = configErrors(text);
  ASSERT_EQ(errors.size(), 1u) << text << "\n"
                               << fmt::format("{}", fmt::join(errors, "\n"));
  EXPECT_EQ(errors[0].substr(errors[0].find(": ") + 2), message) << text;
}

Texts warningsOf(const std::string &text) {
  Texts warnings;
  parseBuildConfig(text, "c.json", {}, &warnings);
  return warnings;
}

AttributeValue readAttribute(const std::string &text) {
  return read(R"({"op_processors": [{"op_name": "a", "attrs": {"x": )" + text +
              "}}]}")
      .opProcessors.at(0)
      .attrs.at("x");
}

std::string inputConfig(const std::string &members) {
  return R"({"quant": {"input_configs": [{"tensor_name": "x",
    "calibration_dataset": "d.tar", )" +
         members + "}]}}";
}

std::string layerConfig(const std::string &members) {
  return R"({"quant": {"layer_configs": [{)" + members + "}]}}";
}

TEST(BuildConfigTest, DefaultsOfAnEmptyFile) {
  EXPECT_EQ(toJson(read("{}")), toJson(BuildConfig()));
  EXPECT_EQ(toJson(read("# nothing\n{ /**/ }")), toJson(BuildConfig()));
  EXPECT_TRUE(inactiveFields(BuildConfig()).empty());
}

TEST(BuildConfigTest, AWholeFile) {
  BuildConfig config = read(R"(// A classifier that takes camera pictures.
{
  "$schema": "schema.json",
  "input": "classifier.onnx", # exported last week
  "output_dir": "out",
  "model_type": "ONNX",
  "target_hardware": "AX620E",
  "npu_mode": "NPU2",
  "quant": {
    "input_configs": [
      {
        "tensor_name": "DEFAULT",
        "calibration_dataset": "pictures.tar.gz",
        "calibration_size": 16,
        "calibration_mean": [123.7, 116.3, 103.5],
        "calibration_std": [58.4, 57.1, 57.4],
      },
    ],
    "layer_configs": [
      {"op_type": "Conv", "data_type": "U8", "output_data_type": "FP32"},
      {"layer_names": ["head.add", "head.mul"], "data_type": "U16"},
      /* the rest */
      {"start_tensor_names": ["DEFAULT"], "end_tensor_names": ["DEFAULT"],
       "data_type": "FP32"},
    ],
    "calibration_method": "MSE",
    "conv_bias_data_type": "FP32",
    "precision_analysis": true,
    "precision_analysis_method": "EndToEnd",
  },
  "input_processors": [
    {
      "tensor_name": "DEFAULT",
      "tensor_format": "RGB",
      "tensor_layout": "NCHW",
      "src_format": "YUV420SP",
      "src_layout": "NHWC",
      "src_dtype": "U8",
      "csc_mode": "LimitedRange",
      "src_extra_shapes": [{"shape": [1, 3, 384, 384]}],
      "mean": [0, 0, 0],
      "std": [1, 1, 1],
    }
  ],
  "output_processors": [{"tensor_name": "DEFAULT", "dst_perm": [0, 2, 1]}],
  "op_processors": [
    {"op_name": "pool6", "attrs": {"ceil_mode": 1, "auto_pad": "VALID"}},
    {"op_name": "op_3:onnx.Relu", "attrs": {}},
  ],
  "const_processors": [
    {"name": "shape", "data": [-1, 96, 48]},
    {"name": "w", "data_path": "w.npy"},
  ],
  "compiler": {"check": 2},
})");
  EXPECT_EQ(config.quant.inputConfigs.at(0).calibrationStd,
            (Reals{58.4, 57.1, 57.4}));
  ASSERT_EQ(config.quant.layerConfigs.size(), 3u);
  EXPECT_EQ(config.quant.layerConfigs[0].outputDataType, DataType::FP32);
  EXPECT_EQ(config.quant.layerConfigs[1].layerNames,
            (Texts{"head.add", "head.mul"}));
  EXPECT_EQ(config.quant.layerConfigs[2].endTensorNames, Texts{"DEFAULT"});
  EXPECT_EQ(config.inputProcessors.at(0).srcExtraShapes.at(0).shape,
            (Ints{1, 3, 384, 384}));
  EXPECT_EQ(
      config.opProcessors.at(0).attrs,
      (std::map<std::string, AttributeValue>{
          {"ceil_mode", int64_t(1)}, {"auto_pad", std::string("VALID")}}));
  EXPECT_TRUE(config.opProcessors.at(1).attrs.empty());
  EXPECT_EQ(config.constProcessors.at(0).data, (Reals{-1, 96, 48}));
  EXPECT_EQ(config.constProcessors.at(1).dataPath, "w.npy");
  EXPECT_EQ(config.compiler.check, 2);
  EXPECT_EQ(toJson(read(toJson(config))), toJson(config));

  Texts inactive;
  for (const InactiveField &entry : inactiveFields(config)) {
    inactive.push_back(entry.field);
    EXPECT_FALSE(entry.why.empty());
  }
  EXPECT_EQ(inactive, (Texts{"input_processors[0].src_extra_shapes"}));
}

TEST(BuildConfigTest, InactiveFieldsOfElements) {
  std::vector<InactiveField> fields = inactiveFields(read(
      R"({"output_processors": [{"tensor_name": "a", "dst_perm": [1, 0]},
          {"tensor_name": "b", "tensor_layout": "NHWC"}]})"));
  ASSERT_EQ(fields.size(), 1u);
  EXPECT_EQ(fields[0].field, "output_processors[1].tensor_layout");
  EXPECT_EQ(fields[0].why, "it moves nothing; dst_perm does");
}

TEST(BuildConfigTest, DefaultsThatAreGivenAskForNothing) {
  EXPECT_TRUE(inactiveFields(read(R"({"npu_mode": "NPU1", "model_type": "ONNX",
    "compiler": {"check": 0}, "input_processors": []})"))
                  .empty());
  EXPECT_TRUE(inactiveFields(read(toJson(BuildConfig()))).empty());
  std::vector<InactiveField> fields =
      inactiveFields(read("{}", {{"compiler.enable_tile_mode", {}}}));
  EXPECT_EQ(fields.at(0).field, "compiler.enable_tile_mode");
}

TEST(BuildConfigTest, PartsInheritFromTheCompiler) {
  BuildConfig config = read(R"({"compiler": {
      "sub_configs": [
        {"start_tensor_names": ["a"], "end_tensor_names": ["b"], "check": 1},
        {"start_tensor_names": ["b"], "end_tensor_names": ["c"]}],
      "check": 2, "npu_perf": true, "static_batch_sizes": [4]}})",
                            {{"compiler.check_rtol", {"0.5"}}});
  ASSERT_EQ(config.compiler.subConfigs.size(), 2u);
  for (const CompilerConfig &part : config.compiler.subConfigs) {
    EXPECT_TRUE(part.npuPerf);
    EXPECT_EQ(part.staticBatchSizes, Ints{4});
    EXPECT_EQ(part.checkRtol, 0.5);
    EXPECT_TRUE(part.subConfigs.empty());
  }
  EXPECT_EQ(config.compiler.subConfigs[0].check, 1);
  EXPECT_EQ(config.compiler.subConfigs[1].check, 2);
  EXPECT_EQ(toJson(read(toJson(config))), toJson(config));

  expectConfigError(
      R"({"compiler": {"start_tensor_names": ["a"],
    "end_tensor_names": ["b"]}})",
      "1:14: 'compiler' can't name start or end tensors itself; only "
      "elements of its sub_configs can");
  expectConfigError(
      R"({"compiler": {"sub_configs": [{"check": 1}]}})",
      "1:30: 'compiler.sub_configs' must give start_tensor_names and "
      "end_tensor_names in each element");
  expectConfigError(
      R"({"compiler": {"sub_configs": [{"end_tensor_names": ["x"]}]}})",
      "1:31: 'compiler.sub_configs[0]' needs start_tensor_names beside "
      "end_tensor_names");
}

TEST(BuildConfigTest, AttributesKeepTheirKind) {
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

TEST(BuildConfigTest, BadAttributes) {
  auto expectBad = [&](const std::string &value, const std::string &message) {
    expectMessage(R"({"op_processors": [{"op_name": "a", "attrs": {"x": )" +
                      value + "}}]}",
                  "'op_processors[0].attrs.x" + message);
  };
  std::string kinds =
      "' must be a number, a string, true, false or a list of these, not ";
  expectBad("null", kinds + "null");
  expectBad("{}", kinds + "an object");
  std::string lists = "' must be a list of numbers, or one of strings";
  expectBad("[1, \"a\"]", lists);
  expectBad("[[1]]", lists);
  expectBad("[null]", lists);
  expectBad("[1.5, true]", lists);
  expectBad("9223372036854775808",
            "' is 9223372036854775808, which is not a 64-bit integer");
  expectBad("[1, 18446744073709551615]",
            "[1]' is 18446744073709551615, which is not a 64-bit integer");
  expectBad("1e999", "' is 1e999, which is out of the range of numbers");
  expectBad("[0.5, -1e999]",
            "[1]' is -1e999, which is out of the range of numbers");
  // What is not JSON is reported once.
  EXPECT_EQ(configErrors(R"({"op_processors": [{"op_name": "a",
    "attrs": {"x": nan, "y": [1, nan]}}]})")
                .size(),
            2u);
}

TEST(BuildConfigTest, AllMistakesAreToldAtOnce) {
  EXPECT_EQ(configErrors(R"({
  "inptu": "x.onnx",
  "npu_mode": NPU1,
  "quant": {
    "calibration_method": "mse",
    "layer_configs": [
      {"layer_name": "a"},
      {"layer_name": "b"},
      {"layer_name": "c", "data_type": "U9"},
    ],
    "check": 5,
    "percentile": "high"
  },
  "input": 3,
  "input": "twice"
})"),
            (Texts{
                "2:3: there is no field 'inptu'; did you mean 'input'?",
                "3:15: 'NPU1' is not a value; a text needs quotes: \"NPU1\"",
                "5:27: 'quant.calibration_method' must be " + methods() +
                    ", not 'mse'; did you mean 'MSE'?",
                "9:40: 'quant.layer_configs[2].data_type' must be "
                "DefaultDataType, U8, S8, U16, S16 or FP32, not 'U9'; did you "
                "mean 'U8'?",
                "11:14: 'quant.check' must be between 0 and 1, not 5",
                "12:19: 'quant.percentile' must be a number, not 'high'",
                "14:12: 'input' must be a string, not 3",
                "15:3: 'input' is given twice; first in line 14",
            }));
}

TEST(BuildConfigTest, UnknownFieldsAndTheirNeighbours) {
  expectConfigError(R"({"op_procesors": []})",
                    "1:2: there is no field 'op_procesors'; did you mean "
                    "'op_processors'?");
  expectConfigError(R"({"Input": ""})",
                    "1:2: there is no field 'Input'; did you mean 'input'?");
  expectConfigError(
      R"({"onnx_opt": {"model_chek": true}})",
      "1:15: there is no field 'onnx_opt.model_chek'; did you mean "
      "'model_check'?");
  expectConfigError(
      R"({"op_processors": [{"op_name": "a", "attrs": {}, "op": 1}]})",
      "1:50: there is no field 'op_processors[0].op'; the fields here "
      "are op_name, attrs");
  // A field that belongs elsewhere.
  expectConfigError(R"({"calibration_method": "MSE"})",
                    "1:2: there is no field 'calibration_method'; did you mean "
                    "'quant.calibration_method' or "
                    "'quant.tensor_configs[].calibration_method'?");
  expectConfigError(
      R"({"quant": {"calibration_std": []}})",
      "1:12: there is no field 'quant.calibration_std'; did you mean "
      "'quant.input_configs[].calibration_std'?");
  expectConfigError(
      R"({"debug": {"zzzzzzzz": 1}})",
      "1:12: there is no field 'debug.zzzzzzzz'; the fields here are " +
          fieldsOf("debug."));
  expectConfigError(
      R"({"debug": {"$schema": ""}})",
      "1:12: there is no field 'debug.$schema'; the fields here are " +
          fieldsOf("debug."));
  // Names that are aimed at the terminal lose their effect.
  expectConfigError(
      "{\"debug\": {\"\\u001b[2J\": 1}}",
      "1:12: there is no field 'debug.\xef\xbf\xbd[2J'; the fields here are " +
          fieldsOf("debug."));
}

TEST(BuildConfigTest, MissingFields) {
  EXPECT_EQ(configErrors(R"({"op_processors": [{}], "const_processors": [{}],
    "quant": {"input_configs": [{}, {"tensor_name": ""}]},
    "input_processors": [{}], "output_processors": [{}]})"),
            (Texts{
                "1:20: 'op_processors[0]' needs the field 'op_name'",
                "1:20: 'op_processors[0]' needs the field 'attrs'",
                "1:46: 'const_processors[0]' needs the field 'name'",
                "2:33: 'quant.input_configs[0]' needs the field 'tensor_name'",
                "2:33: 'quant.input_configs[0]' needs the field "
                "'calibration_dataset'",
                "2:37: 'quant.input_configs[1]' needs the field "
                "'calibration_dataset'",
                "2:53: 'quant.input_configs[1].tensor_name' must not be empty",
                "3:26: 'input_processors[0]' needs the field 'tensor_name'",
                "3:53: 'output_processors[0]' needs the field 'tensor_name'",
            }));
}

TEST(BuildConfigTest, WrongTypes) {
  expectConfigError("[]",
                    "1:1: the configuration must be an object { ... }, not a "
                    "list");
  expectConfigError("3",
                    "1:1: the configuration must be an object { ... }, not 3");
  expectConfigError(R"({"input": null})",
                    "1:11: 'input' must be a string, not null");
  expectMessage(R"({"onnx_opt": []})",
                "'onnx_opt' must be an object { ... }, not a list");
  expectMessage(R"({"onnx_opt": {"model_check": 1}})",
                "'onnx_opt.model_check' must be true or false, not 1");
  expectMessage(R"({"onnx_opt": {"model_check": "true"}})",
                "'onnx_opt.model_check' must be true or false, not 'true'");
  expectMessage(R"({"op_processors": {}})",
                "'op_processors' must be a list [ ... ], not an object");
  expectMessage(R"({"op_processors": ["a"]})",
                "'op_processors[0]' must be an object { ... }, not 'a'");
  expectMessage(R"({"op_processors": [{"op_name": "a", "attrs": []}]})",
                "'op_processors[0].attrs' must be an object { ... }, not a "
                "list");
  expectMessage(R"({"const_processors": [{"name": "a", "data": [1, true]}]})",
                "'const_processors[0].data[1]' must be a number, not true");
  expectMessage(R"({"quant": {"check": 1.0}})",
                "'quant.check' must be an integer, not 1.0");
  expectMessage(R"({"quant": {"calibration_method": 2}})",
                "'quant.calibration_method' must be " + methods() + ", not 2");
  expectMessage(R"({"quant": {"device": "gpu"}})",
                "'quant.device' must be cpu, cuda:0, cuda:1, cuda:2, cuda:3, "
                "cuda:4, cuda:5, cuda:6 or cuda:7, not 'gpu'; did you mean "
                "'cpu'?");
  expectMessage(R"({"input": ")" + std::string(1000, 'x') + R"(", "debug": ")" +
                    std::string(1000, 'y') + "\"}",
                "'debug' must be an object { ... }, not '" +
                    std::string(30, 'y') + "…" + std::string(29, 'y') + "'");
}

TEST(BuildConfigTest, ANumberOrAuto) {
  auto strength = [](const std::string &value) {
    return "{\"quant\": {\"smooth_quant_strength\": " + value + "}}";
  };
  BuildConfig config = parseBuildConfig(strength("\"auto\""), "c.json");
  EXPECT_EQ(config.quant.smoothQuantStrength, std::nullopt);
  EXPECT_EQ(
      parseBuildConfig(toJson(config), "c.json").quant.smoothQuantStrength,
      std::nullopt);
  EXPECT_EQ(parseBuildConfig("{}", "c.json",
                             {{"quant.smooth_quant_strength", {"auto"}}})
                .quant.smoothQuantStrength,
            std::nullopt);
  EXPECT_EQ(parseBuildConfig(strength("1"), "c.json").quant.smoothQuantStrength,
            1.0);
  EXPECT_EQ(parseBuildConfig("{}", "c.json").quant.smoothQuantStrength, 0.6);
  expectMessage(strength("1.5"),
                "'quant.smooth_quant_strength' must be between "
                "0 and 1, not 1.5");
  for (const char *bad : {"\"automatic\"", "true"})
    EXPECT_NE(
        configErrors(strength(bad))[0].find("must be a number or \"auto\""),
        std::string::npos);
}

TEST(BuildConfigTest, NumbersOutOfTheirLimits) {
  auto quant = [](const std::string &member) {
    return "{\"quant\": {" + member + "}}";
  };
  for (const char *good :
       {R"("smooth_quant_threshold": 0)", R"("smooth_quant_threshold": 1)",
        R"("refine_weight_threshold": -1)", R"("refine_weight_threshold": 0)",
        R"("refine_weight_threshold": 9.9e-5)", R"("transformer_opt_level": 2)",
        R"("percentile": 1)", R"("precision_analysis_size": -1)"})
    EXPECT_EQ(configErrors(quant(good)), Texts{}) << good;
  expectMessage(quant(R"("smooth_quant_threshold": 1.01)"),
                "'quant.smooth_quant_threshold' must be between 0 and 1, not "
                "1.01");
  for (const char *bad : {"1e-4", "-0.5", "1"})
    expectMessage(quant(R"("refine_weight_threshold": )" + std::string(bad)),
                  "'quant.refine_weight_threshold' must be at least 0 and "
                  "below 0.0001, or -1, not " +
                      std::string(bad));
  expectMessage(quant(R"("transformer_opt_level": 3)"),
                "'quant.transformer_opt_level' must be between 0 and 2, not 3");
  expectMessage(quant(R"("finetune_lr": 0)"),
                "'quant.finetune_lr' must be above 0, not 0");
  expectMessage(quant(R"("percentile": 1e400)"),
                "'quant.percentile' is 1e400, which is out of the range of "
                "numbers");
  expectMessage(
      quant(R"("histogram_bins": 99999999999999999999)"),
      "'quant.histogram_bins' is 99999999999999999999, which is not a "
      "64-bit integer");
  expectMessage(quant(R"("percentile": NaN)"),
                "'NaN' is not allowed: give a finite number");
  for (const char *bad : {"0", "-2"})
    expectMessage(inputConfig(R"("calibration_size": )" + std::string(bad)),
                  "'quant.input_configs[0].calibration_size' must be at least "
                  "1, or -1, not " +
                      std::string(bad));
  expectMessage(R"({"compiler": {"static_batch_sizes": [1, 0]}})",
                "'compiler.static_batch_sizes[1]' must be at least 1, not 0");
}

TEST(BuildConfigTest, DataKeepsItsValue) {
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
      "'const_processors[0].data[0]' is 9007199254740993, which a double can't "
      "hold exactly; give such values in the file of a data_path");
  // The shortest text that means the same number.
  BuildConfig config;
  config.constProcessors = {{"a", {0.1, 1.0 / 3, 1e-300, -0.0, 5e-324}, ""}};
  EXPECT_EQ(read(toJson(config)).constProcessors[0].data,
            config.constProcessors[0].data);
}

TEST(BuildConfigTest, LayersAreSelectedInOneWay) {
  for (const char *good :
       {R"("layer_name": "a")", R"("layer_names": ["a"])",
        R"("layer_name_regex": "a.*")", R"("op_type": "a")",
        R"("op_types": ["a"])",
        R"("start_tensor_names": ["a"], "end_tensor_names": ["b"])",
        R"("layer_name": "a", "op_type": "", "op_types": [])"})
    EXPECT_EQ(configErrors(layerConfig(good)), Texts{}) << good;
  const std::string place = "'quant.layer_configs[0]' ";
  for (const char *nothing :
       {R"("data_type": "U16")", R"("layer_name": "", "op_types": [])"})
    expectMessage(layerConfig(nothing),
                  place + "selects no layers: give layer_name, layer_names, "
                          "layer_name_regex, op_type, op_types or "
                          "start_tensor_names with end_tensor_names");
  expectMessage(layerConfig(R"("layer_name": "a", "op_type": "Add")"),
                place + "selects layers in 2 ways, by layer_name and by "
                        "op_type: keep one of them and use further entries for "
                        "the others");
  expectMessage(layerConfig(R"("op_types": ["a"], "start_tensor_names": ["a"],
                               "end_tensor_names": ["b"])"),
                place + "selects layers in 2 ways, by op_types and by "
                        "start_tensor_names with end_tensor_names: keep one of "
                        "them and use further entries for the others");
  expectMessage(layerConfig(R"("start_tensor_names": ["a"])"),
                place + "needs end_tensor_names beside start_tensor_names");
  expectMessage(layerConfig(R"("end_tensor_names": ["a"])"),
                place + "needs start_tensor_names beside end_tensor_names");
  expectMessage(layerConfig(R"("layer_name_regex": "a", "op_type": "Add")"),
                place + "selects layers in 2 ways, by layer_name_regex and by "
                        "op_type: keep one of them and use further entries for "
                        "the others");
  expectMessage(layerConfig(R"("layer_name_regex": "Conv_(1")"),
                "'quant.layer_configs[0].layer_name_regex' is not a regular "
                "expression: '(' and ')' don't pair up");
  // A selector of the wrong type is one nevertheless.
  expectMessage(layerConfig(R"("layer_name": 3)"),
                "'quant.layer_configs[0].layer_name' must be a string, not 3");
}

TEST(BuildConfigTest, TensorsAreSelectedInOneWayToo) {
  auto tensorConfig = [](const std::string &members) {
    return R"({"quant": {"tensor_configs": [{)" + members + "}]}}";
  };
  const std::string method = R"(, "calibration_method": "KL")";
  for (const char *good :
       {R"("tensor_names": ["a"])", R"("tensor_name_regex": "a.*")",
        R"("layer_names": ["a"])", R"("op_types": ["a"])"})
    EXPECT_EQ(configErrors(tensorConfig(good + method)), Texts{}) << good;
  const std::string place = "'quant.tensor_configs[0]' ";
  expectMessage(tensorConfig(R"("calibration_method": "KL")"),
                place + "selects no tensors: give tensor_names, "
                        "tensor_name_regex, layer_names or op_types");
  expectMessage(
      tensorConfig(R"("tensor_names": ["a"], "op_types": ["b"])" + method),
      place + "selects tensors in 2 ways, by tensor_names and by op_types: "
              "keep one of them and use further entries for the others");
  expectMessage(tensorConfig(R"("tensor_name_regex": "(a")" + method),
                "'quant.tensor_configs[0].tensor_name_regex' is not a regular "
                "expression: '(' and ')' don't pair up");
  expectMessage(R"({"quant": {"calibration_cache": "c.json", "tensor_configs":
                    [{"op_types": ["b"], "calibration_method": "KL"}]}})",
                "'quant.tensor_configs' can't choose ranges beside "
                "calibration_cache, which has them: leave one of the two out");
}

TEST(BuildConfigTest, Normalization) {
  EXPECT_EQ(warningsOf(inputConfig(R"("calibration_mean": [0, 0],
                                      "calibration_std": [255, 0.02])")),
            Texts{});
  EXPECT_EQ(warningsOf(inputConfig(R"("calibration_std": [1, 0.00392])")),
            Texts{"c.json:2:56: 'quant.input_configs[0].calibration_std' holds "
                  "0.00392, but std is a divisor: did you mean 255?"});
  expectConfigError(
      inputConfig(R"("calibration_mean": [1, 2],
    "calibration_std": [1])"),
      "3:24: 'quant.input_configs[0].calibration_std' has 1 values and "
      "calibration_mean has 2; both need one per channel");
  expectMessage(inputConfig(R"("calibration_std": [1, 0])"),
                "'quant.input_configs[0].calibration_std[1]' must be above 0, "
                "not 0");
  auto processor = [](const std::string &members) {
    return R"({"input_processors": [{"tensor_name": "x", )" + members + "}]}";
  };
  expectMessage(processor(R"("mean": [1], "std": [1, 1])"),
                "'input_processors[0].std' has 2 values and mean has 1; both "
                "need one per channel");
  expectMessage(processor(R"("csc_mode": "Matrix")"),
                "'input_processors[0].csc_mode' is Matrix, which needs the "
                "field 'csc_mat'");
  expectMessage(processor(R"("csc_mat": [1, 2])"),
                "'input_processors[0].csc_mat' must have 12 values, the rows "
                "of a 3x4 matrix, not 2");
  expectMessage(processor(R"("csc_mat": [0,0,0,8,0,0,0,0,0,0,0,0])"),
                "'input_processors[0].csc_mat' holds 8 at place 3, where a "
                "value above -9 and below 8 must be");
  expectMessage(processor(R"("padding": [1])"),
                "'input_processors[0].padding' must have a begin and an end "
                "for each axis, not 1 values");
  expectMessage(processor(R"("zeropoint": 3)"),
                "'input_processors[0].zeropoint' needs a 'scale' other than 0");
}

TEST(BuildConfigTest, NamesStayInTheOutputFolder) {
  constexpr const char *reason =
      ", which must be the name of a file inside of output_dir";
  for (std::string name :
       {"../m.axmodel", "a/../../m.axmodel", "/m.axmodel", "..", "models/", ""})
    expectMessage(R"({"output_name": ")" + name + R"("})",
                  "'output_name' is '" + name + "'" + reason);
  for (std::string name : {"m.axmodel", "models/m.axmodel", "..m"})
    EXPECT_EQ(read(R"({"output_name": ")" + name + R"("})").outputName, name);
}

TEST(BuildConfigTest, ModesOfTheHardware) {
  expectConfigError(
      R"({"target_hardware": "AX620E", "npu_mode": "NPU3"})",
      "1:43: 'npu_mode' must be NPU1 or NPU2 on AX620E, not NPU3");
  EXPECT_EQ(configErrors(R"({"target_hardware": "AX8860"})",
                         {{"npu_mode", {"NPU3"}}}),
            Texts{"--npu_mode must be NPU1, NPU2 or NPU4 on AX8860, not NPU3"});
}

TEST(BuildConfigTest, EvaluationNeedsSamplesAndLabels) {
  expectConfigError(R"({"evaluation": {"images": "i.npy"}})",
                    "1:16: 'evaluation' needs labels beside images");
  EXPECT_EQ(configErrors("{}", {{"evaluation.labels", {"l.npy"}}}),
            Texts{"--evaluation needs images or inputs beside labels"});
  expectConfigError(
      R"({"evaluation": {"task": "Detection", "images": "photos"}})",
      "1:16: 'evaluation' needs labels beside images");
  expectConfigError(
      R"({"evaluation": {"task": "Custom", "images": "photos"}})",
      "1:16: 'evaluation' needs a command, which scores the outputs");
  expectConfigError(
      R"({"evaluation": {"images": "p", "labels": "l",
           "inputs": [{"tensor_name": "x"}]}})",
      "2:22: 'evaluation.inputs' can't stand beside images: either pictures "
      "for the only input, or data for each input");
  // A folder for each class has both.
  read(R"({"evaluation": {"images": "photos"}})");
  BuildConfig config = read(R"({"evaluation": {"images": "i.npy"}})",
                            {{"evaluation.labels", {"l.npy"}}});
  EXPECT_EQ(config.evaluation.images, "i.npy");
  EXPECT_EQ(config.evaluation.labels, "l.npy");
}

TEST(BuildConfigTest, MetricsFitTheirTask) {
  expectConfigError(
      R"({"evaluation": {"images": "photos", "metric": "miou"}})",
      "1:47: 'evaluation.metric' must be top1 or top5 for Classification, not "
      "'miou'");
  read(R"({"evaluation": {"images": "photos", "metric": "top5"}})");
  // The metrics of a command are its own.
  read(R"({"evaluation": {"task": "Custom", "images": "photos",
           "command": "score", "metric": "mine"}})");
  expectConfigError(
      R"({"evaluation": {"task": "Detection", "images": "p", "labels": "l",
           "anchors": [1, 2]}})",
      "2:23: 'evaluation.anchors' needs a width and a height for each of three "
      "anchors of every scale");
}

TEST(BuildConfigTest, MistakesOnTheCommandLine) {
  EXPECT_EQ(configErrors(R"({"inptu": 1})",
                         {{"quant.check", {"7"}},
                          {"quant.percentile", {"nan"}},
                          {"quant.calibration_method", {"Mse"}},
                          {"compiler.static_batch_sizes", {"1", "x"}},
                          {"onnx_opt.model_check", {"yes"}}}),
            (Texts{
                "--quant.check must be between 0 and 1, not 7",
                "--quant.percentile must be a number, not 'nan'",
                "--quant.calibration_method must be " + methods() +
                    ", not 'Mse'; did you mean 'MSE'?",
                "--compiler.static_batch_sizes[1] must be an integer, not 'x'",
                "--onnx_opt.model_check must be true or false, not 'yes'",
                "1:2: there is no field 'inptu'; did you mean 'input'?",
            }));
  // A flag does not hide what is wrong in the file.
  EXPECT_EQ(configErrors(R"({"quant": 3})", {{"quant.check", {"1"}}}),
            Texts{"1:11: 'quant' must be an object { ... }, not 3"});
  EXPECT_EQ(
      configErrors(R"({"quant": {"check": 3}})", {{"quant.check", {"1"}}}),
      Texts{"1:21: 'quant.check' must be between 0 and 1, not 3"});
  EXPECT_EQ(configErrors("[]", {{"input", {"a"}}}).size(), 1u);
  EXPECT_EQ(configErrors("{}", {{"no.such", {"1"}}}).size(), 1u);
}

TEST(BuildConfigTest, FlagsReplaceLists) {
  BuildConfig config = read(R"({"compiler": {"static_batch_sizes": [1, 2]}})",
                            {{"compiler.static_batch_sizes", {"8"}}});
  EXPECT_EQ(config.compiler.staticBatchSizes, Ints{8});
}

TEST(BuildConfigTest, FieldsGivenTwice) {
  expectConfigError("{\"quant\": {\"check\": 1,\n \"check\": 1}}",
                    "2:2: 'quant.check' is given twice; first in line 1");
  expectConfigError(R"({"op_processors": [{"op_name": "a",
                    "attrs": {"x": 1, "x": 2}}]})",
                    "2:39: 'op_processors[0].attrs.x' is given twice");
  // The same name in another object is another field.
  EXPECT_EQ(read(R"({"const_processors": [{"name": "a"}, {"name": "b"}]})")
                .constProcessors.size(),
            2u);
}

TEST(BuildConfigTest, SyntaxErrorsPointAtTheText) {
  expectConfigError("{\"input\": \"a\",\n \"output_dir\"   \"out\"}",
                    "2:17: ':' is missing after the name 'output_dir'");
  expectConfigError("", "1:1: a value is missing: the text ends here");
}

TEST(BuildConfigTest, LargeFiles) {
  parallax::expectError([] { read(std::string((4 << 20) + 1, ' ')); },
                        "c.json: a configuration may have 4194304 bytes at "
                        "most");
  std::string many = "{";
  for (int i = 0; i < 20000; ++i)
    many += fmt::format("\"field{}\": 1,\n", i);
  Texts errors = configErrors(many + "}");
  ASSERT_EQ(errors.size(), 101u);
  EXPECT_EQ(errors.back(), "and 19900 more mistakes");
}

TEST(BuildConfigTest, Files) {
  TempDir folder;
  auto path = folder.write("c.json", R"({"input": "a.onnx", "debug": 1})");
  parallax::expectError([&] { readBuildConfig(path.string()); },
                        path.string() + ":1:30: 'debug' must be an object");
  folder.write("c.json", R"({"input": "a.onnx"})");
  EXPECT_EQ(readBuildConfig(path.string()).input, "a.onnx");
  EXPECT_EQ(readBuildConfig(path.string(), {{"input", {"b"}}}).input, "b");
  parallax::expectError(
      [&] { readBuildConfig((folder / "none.json").string()); },
      "none.json: there is no such configuration file");
  parallax::expectError([&] { readBuildConfig(folder.path().string()); },
                        "this is a folder, not a configuration file");
  // A link to itself, because root may read every file.
  std::filesystem::create_symlink("loop.json", folder / "loop.json");
  parallax::expectError(
      [&] { readBuildConfig((folder / "loop.json").string()); },
      "cannot read the configuration file: Too many levels of symbolic links");
}

TEST(BuildConfigTest, PageAndSchemaKnowAllFields) {
  std::string page = configPage(), schema = configSchema();
  for (const std::string &field : configFields()) {
    std::string name = field.substr(field.rfind('.') + 1);
    EXPECT_NE(page.find("| `" + name + "`"), std::string::npos) << field;
    EXPECT_NE(schema.find("\"" + name + "\": {"), std::string::npos) << field;
  }
}

} // namespace
