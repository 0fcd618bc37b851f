//===- PrecisionTest.cpp - Rules about the precision of layers ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Which rule takes precedence, which precisions a layer can have, the message
// for every wrong rule, and the audit of a quantized network.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Quantize/Precision.h"
#include "OptimizeTestSupport.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Passes/Quantize/Quantize.h"
#include "parallax/Report/PrecisionAudit.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"

#include <nlohmann/json.hpp>

using namespace parallax;

namespace {

using enum DataType;

constexpr const char *branchingNetwork = R"(
func.func @main(%x: tensor<1x2x4x4xf32> {nn.name = "x"}) -> (tensor<1x2x4x4xf32> {nn.name = "y"}, tensor<1x2x16xf32> {nn.name = "z"}) {
  %w = nn.constant dense<[[[[0.5]], [[-1.0]]], [[[2.0]], [[0.25]]]]> : tensor<2x2x1x1xf32>
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32> loc("Conv_0"("c0"))
  %1 = nn.sigmoid %0 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> loc("Sigmoid_1"("s"))
  %2 = nn.add %0, %1 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> loc("Add_2"("a"))
  %3 = nn.conv %2, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32> loc("Conv_3"("y"))
  %4 = nn.reshape %0 {shape = array<i64: 1, 2, 16>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x16xf32> loc("Reshape_4"("r"))
  %5 = nn.relu %4 : (tensor<1x2x16xf32>) -> tensor<1x2x16xf32> loc("Relu_5"("e"))
  %6 = nn.mod %5, %5 : (tensor<1x2x16xf32>, tensor<1x2x16xf32>) -> tensor<1x2x16xf32> loc("Mod_6"("z"))
  return %3, %6 : tensor<1x2x4x4xf32>, tensor<1x2x16xf32>
}
)";

const std::string preamble =
    "the precision that quant.layer_configs asks for can't be given:\n  ";

LayerConfig named(const std::string &name, DataType data) {
  LayerConfig config;
  config.layerName = name;
  config.dataType = data;
  return config;
}

LayerConfig typed(const std::string &type, DataType data) {
  LayerConfig config;
  config.opType = type;
  config.dataType = data;
  return config;
}

LayerConfig matching(const std::string &pattern, DataType data) {
  LayerConfig config;
  config.layerNameRegex = pattern;
  config.dataType = data;
  return config;
}

LayerConfig between(std::vector<std::string> starts,
                    std::vector<std::string> ends, DataType data) {
  LayerConfig config;
  config.startTensorNames = std::move(starts);
  config.endTensorNames = std::move(ends);
  config.dataType = data;
  return config;
}

/// Gives an entry the other types too.
LayerConfig with(LayerConfig config, DataType weight,
                 DataType output = DataType::Default) {
  config.weightDataType = weight;
  config.outputDataType = output;
  return config;
}

struct Plan {
  std::vector<AuditedRule> audit;
};

class PrecisionTest : public OptimizeTest {
protected:
  PrecisionTest() {
    parse(branchingNetwork);
    options.nodes = {{"Conv_0", "Conv_0"}, {"Sigmoid_1", "Sigmoid_1"},
                     {"Shape_9", ""},      {"Add_2", "Add_2"},
                     {"Identity_8", ""},   {"Gemm_3", "Conv_3"},
                     {"Mod_6", "Mod_6"}};
    options.nodeTypes = {{"Gemm_3", "Gemm"}, {"Shape_9", "Shape"}};
  }

  Plan assign(std::vector<LayerConfig> rules) {
    config.layerConfigs = std::move(rules);
    return {orThrow(&context, [&] {
      return assignPrecision(function(), config, options);
    })};
  }

  std::string errorOf(std::vector<LayerConfig> rules) {
    try {
      assign(std::move(rules));
    } catch (const Error &error) {
      std::string text = error.what();
      EXPECT_TRUE(StringRef(text).starts_with(preamble)) << text;
      return text.substr(std::min(text.size(), preamble.size()));
    }
    return "no error";
  }

  LayerPrecision of(const Plan &, const std::string &layer) {
    for (Operation &op : function().front().without_terminator())
      if (getLayerName(&op).node == layer)
        return getPrecision(&op);
    ADD_FAILURE() << "no layer " << layer;
    return {};
  }

  static std::vector<std::string> layersOf(const AuditedRule &rule) {
    std::vector<std::string> names;
    for (const AuditedLayer &layer : rule.layers)
      names.push_back(layer.layer);
    return names;
  }

  static const AuditedLayer &layerOf(const AuditedRule &rule,
                                     const std::string &name) {
    for (const AuditedLayer &layer : rule.layers)
      if (layer.layer == name)
        return layer;
    throw Error("the rule does not match " + name);
  }

  QuantConfig config;
  PrecisionOptions options;
};

using Names = std::vector<std::string>;

//===----------------------------------------------------------------------===//
// Selection and priority
//===----------------------------------------------------------------------===//

TEST_F(PrecisionTest, WithoutRules) {
  Plan plan = assign({});
  EXPECT_TRUE(plan.audit.empty());
  EXPECT_EQ(of(plan, "Conv_0"), (LayerPrecision{U8, S8, Default}));
  EXPECT_EQ(of(plan, "Mod_6").data, FP32);
}

TEST_F(PrecisionTest, FullU16) {
  Plan plan = assign({between({"DEFAULT"}, {"DEFAULT"}, U16)});
  for (const char *layer :
       {"Conv_0", "Sigmoid_1", "Add_2", "Conv_3", "Relu_5"}) {
    EXPECT_EQ(of(plan, layer), (LayerPrecision{U16, S8, Default})) << layer;
    EXPECT_EQ(layerOf(plan.audit[0], layer).reason, "") << layer;
    EXPECT_EQ(layerOf(plan.audit[0], layer).granted.data, U16) << layer;
  }
  EXPECT_EQ(of(plan, "Mod_6").data, FP32);
  EXPECT_EQ(layerOf(plan.audit[0], "Mod_6").reason, "runs on the CPU in float");
  EXPECT_EQ(layerOf(plan.audit[0], "Reshape_4").reason,
            "moves data only: follows its consumer 'Relu_5'");
  EXPECT_EQ(plan.audit[0].words(), "from DEFAULT to DEFAULT");
  EXPECT_EQ(plan.audit[0].layers.size(), 7u);
}

TEST_F(PrecisionTest, OnlyLayersOnPaths) {
  Plan plan = assign({between({"c0"}, {"a"}, U16)});
  EXPECT_EQ(layersOf(plan.audit[0]), (Names{"Sigmoid_1", "Add_2"}));
  plan = assign({between({"c0", "s"}, {"y", "e"}, U16)});
  EXPECT_EQ(layersOf(plan.audit[0]),
            (Names{"Sigmoid_1", "Add_2", "Conv_3", "Reshape_4", "Relu_5"}));
  plan = assign({between({"DEFAULT"}, {"s"}, S16)});
  EXPECT_EQ(layersOf(plan.audit[0]), (Names{"Conv_0", "Sigmoid_1"}));
  EXPECT_EQ(of(plan, "Conv_0").data, S16);
  EXPECT_EQ(of(plan, "Add_2").data, U8);
}

TEST_F(PrecisionTest, NamesAndPatterns) {
  LayerConfig several = named("", U16);
  several.layerNames = {"Conv_3", "Add_2"};
  Plan plan = assign({several, matching("(Conv|Sigmoid)_\\d", S8)});
  EXPECT_EQ(layersOf(plan.audit[0]), (Names{"Conv_3", "Add_2"}));
  EXPECT_EQ(plan.audit[0].words(), "layer_names Conv_3, Add_2");
  EXPECT_EQ(layersOf(plan.audit[1]), (Names{"Conv_0", "Sigmoid_1", "Conv_3"}));
  EXPECT_EQ(of(plan, "Add_2").data, U16);
  // A pattern is as strong as a name, and this one comes later.
  EXPECT_EQ(of(plan, "Conv_3").data, S8);
  EXPECT_EQ(layerOf(plan.audit[0], "Conv_3").reason,
            "overridden by rule 2: layer_name_regex (Conv|Sigmoid)_\\d");
}

TEST_F(PrecisionTest, NodesOfTheModel) {
  Plan plan = assign({named("Gemm_3", U16), typed("Gemm", S16)});
  EXPECT_EQ(layersOf(plan.audit[0]), Names{"Conv_3"});
  EXPECT_EQ(plan.audit[0].layers[0].node, "Gemm_3");
  EXPECT_EQ(layersOf(plan.audit[1]), Names{"Conv_3"});
  EXPECT_EQ(of(plan, "Conv_3").data, U16);
  plan = assign({matching("Gemm.*", U16)});
  EXPECT_EQ(layersOf(plan.audit[0]), Names{"Conv_3"});
}

TEST_F(PrecisionTest, ANodeOfSeveralSteps) {
  parse(R"(
func.func @main(%x: tensor<4xf32> {nn.name = "x"}) -> (tensor<4xf32> {nn.name = "y"}) {
  %0 = nn.relu %x : (tensor<4xf32>) -> tensor<4xf32> loc("net/N/relu"("a"))
  %1 = nn.sigmoid %0 : (tensor<4xf32>) -> tensor<4xf32> loc("net/N/sigmoid"("b"))
  %2 = nn.tanh %1 : (tensor<4xf32>) -> tensor<4xf32> loc("net/N/M"("y"))
  return %2 : tensor<4xf32>
})");
  options.nodes = {{"net/N", "net/N/relu"}, {"net/N/M", "net/N/M"}};
  Plan plan = assign({named("net/N", U16)});
  EXPECT_EQ(layersOf(plan.audit[0]), (Names{"net/N/relu", "net/N/sigmoid"}));
}

TEST_F(PrecisionTest, Priority) {
  Plan plan = assign({named("Conv_3", U16), typed("Conv", S8),
                      between({"DEFAULT"}, {"DEFAULT"}, S16), typed("Add", S8),
                      typed("Add", U16)});
  EXPECT_EQ(of(plan, "Conv_3").data, U16);
  EXPECT_EQ(of(plan, "Conv_0").data, S8);
  EXPECT_EQ(of(plan, "Add_2").data, U16);
  EXPECT_EQ(of(plan, "Sigmoid_1").data, S16);
  EXPECT_EQ(layerOf(plan.audit[1], "Conv_3").reason,
            "overridden by rule 1: layer_name Conv_3");
  EXPECT_TRUE(layerOf(plan.audit[1], "Conv_3").overridden);
  EXPECT_EQ(layerOf(plan.audit[1], "Conv_3").granted.data, U16);
  EXPECT_EQ(layerOf(plan.audit[2], "Conv_0").reason,
            "overridden by rule 2: op_type Conv");
  EXPECT_EQ(layerOf(plan.audit[3], "Add_2").reason,
            "overridden by rule 5: op_type Add");
  EXPECT_EQ(layerOf(plan.audit[4], "Add_2").reason, "");
}

TEST_F(PrecisionTest, ARuleHasNoSayInWhatItDoesNotGive) {
  Plan plan = assign({with(named("Conv_3", Default), S16),
                      with(typed("Conv", U16), S8), named("Conv_0", U8)});
  EXPECT_EQ(of(plan, "Conv_3"), (LayerPrecision{U16, S16, Default}));
  EXPECT_EQ(of(plan, "Conv_0"), (LayerPrecision{U8, S8, Default}));
  EXPECT_EQ(layerOf(plan.audit[1], "Conv_3").reason,
            "weight_data_type overridden by rule 1: layer_name Conv_3");
  EXPECT_FALSE(layerOf(plan.audit[1], "Conv_3").overridden);
}

TEST_F(PrecisionTest, HighestIsBelowAllRules) {
  config.highestMixPrecision = true;
  Plan plan = assign({between({"c0"}, {"a"}, U8)});
  EXPECT_EQ(of(plan, "Conv_0"), (LayerPrecision{U16, S16, Default}));
  EXPECT_EQ(of(plan, "Relu_5").data, U16);
  EXPECT_EQ(of(plan, "Add_2").data, U8);
  ASSERT_EQ(plan.audit.size(), 2u);
  EXPECT_EQ(plan.audit[0].words(), "highest_mix_precision");
  EXPECT_EQ(plan.audit[0].config, "quant.highest_mix_precision");
  EXPECT_EQ(layerOf(plan.audit[0], "Add_2").reason,
            "overridden by rule 1: from c0 to a");
  EXPECT_EQ(layerOf(plan.audit[0], "Add_2").requested,
            (LayerPrecision{U16, Default, Default}));
  EXPECT_EQ(layerOf(plan.audit[0], "Mod_6").reason, "runs on the CPU in float");
  EXPECT_EQ(layerOf(plan.audit[0], "Conv_3").granted,
            (LayerPrecision{U16, S16, Default}));
}

TEST_F(PrecisionTest, FloatExceptConv) {
  Plan plan = assign({with(typed("Conv", U8), Default, FP32),
                      between({"DEFAULT"}, {"DEFAULT"}, FP32)});
  EXPECT_EQ(of(plan, "Conv_0"), (LayerPrecision{U8, S8, FP32}));
  EXPECT_EQ(of(plan, "Add_2").data, FP32);
  EXPECT_EQ(layerOf(plan.audit[1], "Mod_6").reason, "");
}

TEST_F(PrecisionTest, DataMovementIsNoError) {
  Plan plan = assign({named("Reshape_4", U16), typed("Relu", S8)});
  EXPECT_EQ(layerOf(plan.audit[0], "Reshape_4").reason,
            "moves data only: follows its consumer 'Relu_5'");
  EXPECT_EQ(layerOf(plan.audit[0], "Reshape_4").granted,
            (LayerPrecision{Default, Default, Default}));
}

//===----------------------------------------------------------------------===//
// Wrong rules
//===----------------------------------------------------------------------===//

TEST_F(PrecisionTest, UnknownNames) {
  EXPECT_EQ(errorOf({named("Conv_7", U16)}),
            "'quant.layer_configs[0]' (layer_name Conv_7): no layer is called "
            "'Conv_7'; did you mean 'Conv_0' or 'Conv_3'?");
  EXPECT_EQ(errorOf({named("c0", U16)}),
            "'quant.layer_configs[0]' (layer_name c0): 'c0' is a tensor; the "
            "layer that makes it is 'Conv_0'");
  EXPECT_EQ(errorOf({typed("Sigmoit", U16)}),
            "'quant.layer_configs[0]' (op_type Sigmoit): no layer has the type "
            "'Sigmoit'; did you mean 'Sigmoid'? The types of this network are "
            "Add, Conv, Mod, Relu, Reshape, Sigmoid");
  EXPECT_EQ(errorOf({typed("BatchNorm", U16)}),
            "'quant.layer_configs[0]' (op_type BatchNorm): no layer has the "
            "type 'BatchNorm'. The types of this network are Add, Conv, Mod, "
            "Relu, Reshape, Sigmoid");
}

TEST_F(PrecisionTest, FoldedNodes) {
  EXPECT_EQ(errorOf({named("Shape_9", U16)}),
            "'quant.layer_configs[0]' (layer_name Shape_9): node 'Shape_9' has "
            "been folded away: no layer of the optimized network computes it "
            "any more, so it has no precision; leave it out");
  EXPECT_EQ(errorOf({typed("Shape", U16)}),
            "'quant.layer_configs[0]' (op_type Shape): all nodes of type "
            "'Shape' have been folded away: no layer of the optimized network "
            "computes them any more; leave the type out");
}

TEST_F(PrecisionTest, Patterns) {
  EXPECT_EQ(errorOf({matching("Conv_(1", U16)}),
            "'quant.layer_configs[0]' (layer_name_regex Conv_(1): "
            "'layer_name_regex' is not a regular expression: '(' and ')' don't "
            "pair up");
  EXPECT_EQ(errorOf({matching("Conv", U16)}),
            "'quant.layer_configs[0]' (layer_name_regex Conv): no layer has a "
            "name that matches 'Conv' as a whole; to match a part of names put "
            "'.*' around it");
}

/// A way to find out whether a layer is to blame.
TEST_F(PrecisionTest, FloatProducts) {
  Plan plan = assign({typed("Conv", FP32)});
  EXPECT_EQ(of(plan, "Conv_0").data, FP32);
  EXPECT_EQ(of(plan, "Conv_3").data, FP32);
  EXPECT_EQ(of(plan, "Add_2").data, U8);
  plan = assign({between({"DEFAULT"}, {"DEFAULT"}, FP32), named("Conv_0", U8)});
  EXPECT_EQ(of(plan, "Conv_0").data, U8);
  EXPECT_EQ(of(plan, "Conv_3").data, FP32);
}

TEST_F(PrecisionTest, Paths) {
  EXPECT_EQ(errorOf({between({"a"}, {"s"}, U16)}),
            "'quant.layer_configs[0]' (from a to s): no path leads from tensor "
            "'a' to 's'; are start and end exchanged?");
  EXPECT_EQ(errorOf({between({"s"}, {"y", "z"}, U16)}),
            "'quant.layer_configs[0]' (from s to y, z): no path leads to "
            "tensor 'z' from 's'; are start and end exchanged?");
  EXPECT_EQ(errorOf({between({"DEFAULT"}, {"x"}, U16)}),
            "'quant.layer_configs[0]' (from DEFAULT to x): no path leads to "
            "tensor 'x' from 'DEFAULT'; are start and end exchanged?");
  EXPECT_EQ(errorOf({between({"Conv_0"}, {"yy"}, U16)}),
            "'quant.layer_configs[0]' (from Conv_0 to yy): 'Conv_0' is a "
            "layer, and a part of the network begins and ends at tensors; the "
            "layer makes the tensor 'c0'\n"
            "  'quant.layer_configs[0]' (from Conv_0 to yy): no tensor is "
            "called 'yy'; did you mean 'y'?");
}

TEST_F(PrecisionTest, ImpossibleTypes) {
  EXPECT_EQ(errorOf({named("Mod_6", U16)}),
            "'quant.layer_configs[0]' (layer_name Mod_6): layer 'Mod_6' (Mod) "
            "runs on the CPU in float; leave it out, or ask for FP32");
  EXPECT_EQ(errorOf({with(named("Mod_6", U16), Default, U16)}),
            errorOf({named("Mod_6", U16)}));
  EXPECT_EQ(errorOf({typed("Mod", U16)}), "no error");
  EXPECT_EQ(errorOf({with(named("Add_2", U16), S16)}),
            "'quant.layer_configs[0]' (layer_name Add_2): layer 'Add_2' (Add) "
            "has no weights; leave weight_data_type out");
  EXPECT_EQ(errorOf({with(typed("Add", U16), S16)}),
            "'quant.layer_configs[0]' (op_type Add): none of the layers has "
            "weights; leave weight_data_type out");
  EXPECT_EQ(errorOf({with(between({"c0"}, {"y"}, U16), S16)}), "no error");
  EXPECT_EQ(errorOf({named("Add_2", Default)}),
            "'quant.layer_configs[0]' (layer_name Add_2): asks for nothing: "
            "give data_type, weight_data_type or output_data_type; what no "
            "rule asks for is U8 with weights S8");
}

TEST_F(PrecisionTest, AllErrorsAtOnce) {
  EXPECT_EQ(
      errorOf({named("Conv_7", U16), named("Add_2", U16),
               with(named("Sigmoid_1", Default), S8), named("Mod_6", S8)}),
      errorOf({named("Conv_7", U16)}) + "\n  'quant.layer_configs[2]'" +
          errorOf({with(named("Sigmoid_1", Default), S8)}).substr(24) +
          "\n  'quant.layer_configs[3]'" +
          errorOf({named("Mod_6", S8)}).substr(24));
}

TEST_F(PrecisionTest, UnmatchedMayBeAllowed) {
  options.allowUnmatched = true;
  Plan plan = assign({named("Conv_7", U16), typed("Add", U16)});
  EXPECT_EQ(of(plan, "Add_2").data, U16);
  EXPECT_EQ(plan.audit[0].note, "no layer is called 'Conv_7'; did you mean "
                                "'Conv_0' or 'Conv_3'?");
  EXPECT_TRUE(plan.audit[0].layers.empty());
  EXPECT_NE(errorOf({named("Mod_6", S8)}), "no error");
}

//===----------------------------------------------------------------------===//
// The audit of a quantized network
//===----------------------------------------------------------------------===//

/// Add_2 reads U16, and Conv_3 has its result in U8.
constexpr const char *quantized = R"(
!f = tensor<1x2x4x4xf32>
!n = tensor<1x2x4x4x!quant.uniform<u8:f32, 0.5:128>>
!w = tensor<1x2x4x4x!quant.uniform<u16:f32, 0.5:32768>>
!m = tensor<1x2x16x!quant.uniform<u8:f32, 0.5:128>>
!k = tensor<2x2x1x1x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25}>>
func.func @quantized(%x: !f {nn.name = "x"}) -> (!f {nn.name = "y"}, tensor<1x2x16xf32> {nn.name = "z"}) {
  %w = nn.quantized_constant dense<1> : tensor<2x2x1x1xi8> : !k
  %q = nn.requantize %x : (!f) -> !n loc("x_requantize"("x_U8"))
  %0 = nn.conv %q, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (!n, !k) -> !w loc("Conv_0"("c0"))
  %c = nn.requantize %0 : (!w) -> !n loc("c0_requantize"("c0_U8"))
  %1 = nn.sigmoid %c : (!n) -> !w loc("Sigmoid_1"("s"))
  %2 = nn.add %0, %1 : (!w, !w) -> !n loc("Add_2"("a"))
  %3 = nn.conv %2, %w {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (!n, !k) -> !f loc("Conv_3"("y"))
  %4 = nn.reshape %c {shape = array<i64: 1, 2, 16>} : (!n) -> !m loc("Reshape_4"("r"))
  %5 = nn.relu %4 : (!m) -> !m loc("Relu_5"("e"))
  %d = nn.requantize %5 : (!m) -> tensor<1x2x16xf32> loc("e_requantize"("e_f"))
  %6 = nn.mod %d, %d : (tensor<1x2x16xf32>, tensor<1x2x16xf32>) -> tensor<1x2x16xf32> loc("Mod_6"("z"))
  return %3, %6 : !f, tensor<1x2x16xf32>
}
)";

class AuditTest : public PrecisionTest {
protected:
  Plan complete(std::vector<LayerConfig> rules,
                const std::string &text = quantized) {
    Plan plan = assign(std::move(rules));
    OwningOpRef<ModuleOp> view =
        mlir::parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(view);
    if (view)
      completeAudit(plan.audit, *view->getOps<mlir::func::FuncOp>().begin());
    return plan;
  }
};

TEST_F(AuditTest, TheResultOfAddIsWhatItsConsumerReads) {
  Plan plan = complete({typed("Add", U16)});
  const AuditedLayer &add = layerOf(plan.audit[0], "Add_2");
  EXPECT_EQ(add.granted, (LayerPrecision{U16, Default, U8}));
  EXPECT_EQ(add.reason, "its result is U8 because that is what 'Conv_3' reads; "
                        "the sum itself is computed from U16");
}

TEST_F(AuditTest, FineResultsThatAllReadAsCoarseOnesGainNothing) {
  std::vector<LayerConfig> rules = {
      with(named("Conv_0", Default), Default, U16)};
  Plan plan = complete(rules);
  EXPECT_EQ(layerOf(plan.audit[0], "Conv_0").reason, "")
      << "Add_2 reads its 16 bits";
  std::string narrowing = quantized;
  const std::string fine = "nn.add %0, %1 : (!w, !w)";
  narrowing.replace(narrowing.find(fine), fine.size(),
                    "nn.add %c, %1 : (!n, !w)");
  plan = complete(rules, narrowing);
  const AuditedLayer &conv = layerOf(plan.audit[0], "Conv_0");
  EXPECT_EQ(conv.granted.output, U16);
  EXPECT_EQ(conv.reason,
            "nothing is gained: its result is requantized to U8 for every "
            "layer that reads it; give those data_type U16");
}

TEST_F(AuditTest, EveryDifferenceIsReported) {
  Plan plan =
      complete({with(named("Conv_0", U16), S16, U16), named("Conv_3", U8),
                named("Reshape_4", U16), typed("Mod", U16), typed("Conv", S8),
                named("Relu_5", U8)});
  const AuditedLayer &conv = layerOf(plan.audit[0], "Conv_0");
  EXPECT_EQ(conv.granted, (LayerPrecision{U8, S8, U16}));
  EXPECT_EQ(conv.reason, "it reads U8; its weights are S8");
  EXPECT_EQ(layerOf(plan.audit[1], "Conv_3").reason,
            "its result is FP32 because it is the output 'y' of the network; "
            "the result itself is computed from U8");
  const AuditedLayer &reshape = layerOf(plan.audit[2], "Reshape_4");
  EXPECT_EQ(reshape.granted, (LayerPrecision{U8, Default, U8}));
  EXPECT_EQ(reshape.reason, "moves data only: follows its consumer 'Relu_5'");
  EXPECT_EQ(layerOf(plan.audit[3], "Mod_6").reason, "runs on the CPU in float");
  EXPECT_EQ(layerOf(plan.audit[3], "Mod_6").granted,
            (LayerPrecision{FP32, Default, FP32}));
  EXPECT_EQ(layerOf(plan.audit[4], "Conv_0").reason,
            "overridden by rule 1: layer_name Conv_0");
  EXPECT_EQ(layerOf(plan.audit[5], "Relu_5").reason, "");
}

TEST_F(AuditTest, OfWhatTheQuantizerMakes) {
  Calibration calibration;
  for (const char *tensor : {"x", "c0", "s", "a", "y", "r", "e", "z"}) {
    TensorRange range;
    range.tensor = tensor;
    range.u8 = range.u16 = {-1, 2};
    calibration.tensors.push_back(range);
  }
  config.highestMixPrecision = true;
  Plan plan = assign({typed("Add", U16), with(typed("Conv", U8), Default),
                      with(named("Conv_0", Default), S16, FP32)});
  setCalibration(function(), calibration);
  completeAudit(plan.audit, orThrow(&context, [&] {
                  return addQuantizedView(function(), QuantizeOptions());
                }));
  EXPECT_EQ(layerOf(plan.audit[1], "Add_2").granted,
            (LayerPrecision{U16, Default, U8}));
  EXPECT_EQ(layerOf(plan.audit[1], "Add_2").reason,
            "its result is U8 because that is what 'Conv_3' reads; the sum "
            "itself is computed from U16");
  EXPECT_EQ(layerOf(plan.audit[3], "Conv_0").granted,
            (LayerPrecision{U8, S16, FP32}));
  EXPECT_EQ(layerOf(plan.audit[3], "Conv_0").reason, "");
  EXPECT_EQ(layerOf(plan.audit[0], "Sigmoid_1").granted.data, U16);
  EXPECT_EQ(layerOf(plan.audit[0], "Conv_3").granted.weight, S16);
  EXPECT_EQ(layerOf(plan.audit[0], "Conv_3").reason,
            "data_type overridden by rule 2: op_type Conv");
}

TEST_F(AuditTest, FloatProductsOfTheCpu) {
  Calibration calibration;
  for (const char *tensor : {"x", "c0", "s", "a", "y", "r", "e", "z"}) {
    TensorRange range;
    range.tensor = tensor;
    range.u8 = range.u16 = {-1, 2};
    calibration.tensors.push_back(range);
  }
  Plan plan = assign({named("Conv_0", FP32), typed("Sigmoid", FP32)});
  setCalibration(function(), calibration);
  completeAudit(plan.audit, orThrow(&context, [&] {
                  return addQuantizedView(function(), QuantizeOptions());
                }));
  const AuditedLayer &conv = layerOf(plan.audit[0], "Conv_0");
  EXPECT_EQ(conv.granted, (LayerPrecision{FP32, FP32, FP32}));
  EXPECT_EQ(conv.reason,
            "for diagnosis: its products are float and run on the CPU");
  EXPECT_EQ(layerOf(plan.audit[1], "Sigmoid_1").reason, "");
}

TEST_F(AuditTest, File) {
  Plan plan = complete({named("Gemm_3", U8), typed("Add", U16)});
  auto json = nlohmann::json::parse(toJson(plan.audit));
  ASSERT_EQ(json["rules"].size(), 2u);
  const auto &rule = json["rules"][1];
  EXPECT_EQ(rule["rule"], 2);
  EXPECT_EQ(rule["config"], "quant.layer_configs[1]");
  EXPECT_EQ(rule["selector"], "op_type");
  EXPECT_EQ(rule["subject"], "Add");
  EXPECT_EQ(rule["requested"], (nlohmann::json{{"data_type", "U16"}}));
  ASSERT_EQ(rule["layers"].size(), 1u);
  EXPECT_EQ(rule["layers"][0]["layer"], "Add_2");
  EXPECT_EQ(rule["layers"][0]["granted"],
            (nlohmann::json{{"data_type", "U16"}, {"output_data_type", "U8"}}));
  EXPECT_EQ(rule["layers"][0]["reason"], plan.audit[1].layers[0].reason);
  EXPECT_EQ(json["rules"][0]["layers"][0]["node"], "Gemm_3");
}

TEST_F(AuditTest, Tables) {
  config.highestMixPrecision = true;
  Plan plan = assign(
      {with(named("Gemm_3", U8), S8, FP32), between({"c0"}, {"a"}, S16)});
  EXPECT_EQ(layerConfigTable(plan.audit).toCsv(),
            "Op Type / Layer name,Precision\n"
            "highest_mix_precision,\"U16, weights S16\"\n"
            "Gemm_3,\"U8, weights S8, result FP32\"\n"
            "c0 to a,S16\n");
  EXPECT_EQ(layerConfigAuditTable(plan.audit).toCsv(),
            "Rule,Layers,Requested,Granted,Reason\n"
            "highest_mix_precision,Conv_0,\"U16, weights S16\",\"U16, weights "
            "S16\",\n"
            ",\"Sigmoid_1, Add_2\",,S16,overridden by rule 2: from c0 to a\n"
            ",Conv_3,,\"U8, weights S8, result FP32\",overridden by rule 1: "
            "layer_name Gemm_3\n"
            ",Reshape_4,,,moves data only: follows its consumer 'Relu_5'\n"
            ",Relu_5,,U16,\n"
            ",Mod_6,,FP32,runs on the CPU in float\n"
            "1: layer_name Gemm_3,Conv_3 (was Gemm_3),\"U8, weights S8, result "
            "FP32\",\"U8, weights S8, result FP32\",\n"
            "2: from c0 to a,\"Sigmoid_1, Add_2\",S16,S16,\n");
}

TEST(AuditTableTest, LongListsAreFolded) {
  AuditedRule rule;
  rule.number = 1;
  rule.selector = "op_type";
  rule.subject = "Add";
  rule.requested = {U16, Default, Default};
  for (int i = 0; i < 12; ++i)
    rule.layers.push_back({"Add_" + std::to_string(i), "Add", "",
                           rule.requested, rule.requested, "", false});
  EXPECT_EQ(layerConfigAuditTable({rule}).toCsv(),
            "Rule,Layers,Requested,Granted,Reason\n"
            "1: op_type Add,\"12 layers: Add_0, Add_1, Add_2, …\",U16,U16,\n");
  for (AuditedLayer &layer : rule.layers)
    layer.reason = "own reason of " + layer.layer;
  Table table = layerConfigAuditTable({rule});
  EXPECT_EQ(table.rowCount(), 8u);
  EXPECT_NE(table.toCsv().find("5 further layers"), std::string::npos);
}

} // namespace
