//===- ExportFormsTest.cpp - Operators of exported networks ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Operators of newer versions than the conformance tests have, lists that must
// come back unchanged, and the bodies of our own functions, which a runtime
// executes but we do not.
//===----------------------------------------------------------------------===//
#include "../../../lib/Frontend/ONNX/Export/ExportLine.h"
#include "ExportTestSupport.h"
#include "parallax/Frontend/ONNX/Summary.h"

#include "llvm/ADT/StringSet.h"

namespace parallax::onnx_export {
namespace {

TEST_F(ExportTest, EveryOperatorHasALine) {
  int count = 0;
  // Constants are initializers, and quantized networks take the form that ONNX
  // has for them before they are exported.
  llvm::StringSet<> without = {nn::ConstantOp::getOperationName(),
                               nn::QuantizedConstantOp::getOperationName(),
                               nn::RequantizeOp::getOperationName()};
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == "nn" &&
        !without.contains(name.getStringRef())) {
      ++count;
      EXPECT_TRUE(exportTable().find(name)) << name.getStringRef().str();
    }
  EXPECT_GT(count, 120);
}

//===----------------------------------------------------------------------===//
// Forms of operators
//===----------------------------------------------------------------------===//

TEST_F(ExportTest, StaysAtTheOldestVersion) {
  ExportSummary summary =
      expectRoundTrip(layer("reduce_max", {"2x3xf32"},
                            "axes = array<i64: 1>, keepdims = false", "2xf32"));
  EXPECT_EQ(summary.opset, 17);
  EXPECT_EQ(summary.irVersion, 8);
}

TEST_F(ExportTest, RaisesTheVersionWhereALayerNeedsIt) {
  struct Case {
    std::string text;
    int64_t opset, irVersion;
  };
  std::string window = "kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, "
                       "pads = array<i64: 0, 0, 0, 0>, ";
  std::string grid = "sizes = array<i64: 1, 1, 3, 4>, "
                     "scales = array<f32: 1.0, 1.0, 0.5, 0.5>, ";
  std::vector<Case> cases = {
      {layer("average_pool", {"1x1x6x6xf32"},
             window + "dilations = array<i64: 2, 2>", "1x1x4x4xf32"),
       19, 9},
      {layer("lp_pool", {"1x1x6x6xf32"},
             window + "dilations = array<i64: 2, 2>", "1x1x4x4xf32"),
       18, 8},
      {layer("reduce_max", {"2x3xf32"}, "axes = array<i64>", "2x3xf32"), 18, 8},
      {layer("pad", {"4xf32"}, "pads = array<i64: 1, 2>, mode = \"wrap\"",
             "7xf32"),
       19, 9},
      {layer("resize", {"1x1x6x8xf32"},
             grid + "mode = \"linear\", antialias = true", "1x1x3x4xf32"),
       18, 8},
      {layer("resize", {"1x1x6x8xf32"},
             grid + "mode = \"linear\", "
                    "coordinate_mode = \"half_pixel_symmetric\"",
             "1x1x3x4xf32"),
       19, 9},
      // Proportions that were kept: 7 x 0.5 is rounded to 4.
      {layer("resize", {"1x1x6x7xf32"}, grid + "mode = \"linear\"",
             "1x1x3x4xf32"),
       18, 8},
      {layer("scatter_nd", {"4xf32", "2x1xi64", "2xf32"}, "reduction = \"max\"",
             "4xf32"),
       18, 8},
      {layer("grid_sample", {"1x1x2x3x4xf32", "1x2x2x2x3xf32"},
             "mode = \"linear\"", "1x1x2x2x2xf32"),
       20, 9},
      {layer("quantize_linear", {"2x3xf32", "f32", "ui16"}, "", "2x3xui16"), 21,
       10},
      {layer("dequantize_linear", {"2x4xi8", "2x2xf32"},
             "axis = 1 : i64, block_size = 2 : i64", "2x4xf32"),
       21, 10},
  };
  for (const Case &test : cases) {
    ExportSummary summary = expectRoundTrip(test.text);
    EXPECT_EQ(summary.opset, test.opset) << test.text;
    EXPECT_EQ(summary.irVersion, test.irVersion) << test.text;
  }
}

TEST_F(ExportTest, FormsThatKeepTheirLists) {
  std::string x = "4x5xf32";
  for (const std::string &text : {
           layer("slice", {x},
                 "starts = array<i64: 3, 0>, sizes = array<i64: 4, 5>, steps = "
                 "array<i64: -1, 1>",
                 "4x5xf32"),
           layer("slice", {x},
                 "starts = array<i64: 1, 4>, sizes = array<i64: 2, 2>, steps = "
                 "array<i64: 2, -3>",
                 "2x2xf32"),
           layer("slice", {x},
                 "starts = array<i64: 0, 0>, sizes = array<i64: 4, 0>, steps = "
                 "array<i64: 1, 1>",
                 "4x0xf32"),
           layer("slice", {x},
                 "starts = array<i64: 0, 0>, sizes = array<i64: 4, 5>, steps = "
                 "array<i64: 1, 1>",
                 "4x5xf32"),
           layer("reshape", {"0x5xf32"}, "shape = array<i64: 5, 0>", "5x0xf32"),
           layer("clip", {x}, "min = 0.0 : f64, max = 6.0 : f64", x),
           layer("clip", {x}, "max = 1.0 : f64", x),
           layer("clip", {x}, "", x),
           layer("clip", {"4xi8"}, "min = -3.0 : f64", "4xi8"),
           layer("trilu", {x}, "k = -1 : i64, upper = false", x),
           layer("pad", {x},
                 "pads = array<i64: 0, 1, 0, -2>, value = 2.5 : f64",
                 "4x4xf32"),
           layer("reduce_sum", {x}, "axes = array<i64>", x),
           layer("reduce_mean", {"f32"}, "axes = array<i64>", "f32"),
           layer("non_max_suppression", {"1x6x4xf32", "1x1x6xf32"},
                 "max_output_boxes_per_class = 3 : i64, iou_threshold = 0.5 : "
                 "f32, score_threshold = 0.1 : f32",
                 "?x3xi64"),
           layer("resize", {"1x1x6x7xf32"},
                 "sizes = array<i64: 1, 1, 4, 5>, scales = array<f32: 1.0, "
                 "1.0, 0.666666686, 0.714285731>, mode = \"cubic\"",
                 "1x1x4x5xf32"),
           layer("lp_normalization", {x}, "axis = 1 : i64, p = 1 : i64", x),
           layer("cast", {x}, "to = ui8", "4x5xui8"),
       })
    EXPECT_EQ(expectRoundTrip(text).opset, 17) << text;
}

/// A weight matrix of a matrix product is a Gemm for everyone.
TEST_F(ExportTest, FullyConnectedOfAMatrixIsGemm) {
  FuncOp function = parse(
      layer("fully_connected", {"2x3xf32", "4x3xf32", "4xf32"}, "", "2x4xf32"));
  Operation *op = &function.getBody().front().front();
  EXPECT_EQ(onnxTypeOf(op), "Gemm");
  write(function);
  EXPECT_EQ(read().functions_size(), 0);
  FuncOp imported = import(folder / "model.onnx");
  EXPECT_EQ(run(imported)[0].data<float>()[7],
            run(function)[0].data<float>()[7]);
  write(imported, "again.onnx");
  EXPECT_TRUE(contentsOf(folder / "model.onnx") ==
              contentsOf(folder / "again.onnx"));
}

//===----------------------------------------------------------------------===//
// Our own functions
//===----------------------------------------------------------------------===//

/// Gives our functions a name under which the importer does not know them.
void hideFunctions(onnx::ModelProto &model) {
  for (onnx::NodeProto &node : *model.mutable_graph()->mutable_node())
    if (!node.domain().empty())
      node.set_domain("hidden");
  for (onnx::FunctionProto &function : *model.mutable_functions())
    function.set_domain("hidden");
  for (onnx::OperatorSetIdProto &id : *model.mutable_opset_import())
    if (!id.domain().empty())
      id.set_domain("hidden");
}

TEST_F(ExportTest, BodiesOfFunctionsComputeTheOperation) {
  std::string x = "2x6x4x3xf32";
  std::map<std::string, std::string> functions = {
      {"Silu", layer("silu", {x}, "", x)},
      {"Mish", layer("mish", {x}, "", x)},
      {"Gelu", layer("gelu", {x}, "", x)},
      {"GeluTanh", layer("gelu", {x}, "approximate = \"tanh\"", x)},
      {"FullyConnected",
       layer("fully_connected", {x, "5x3xf32", "5xf32"}, "", "2x6x4x5xf32")},
      {"FullyConnectedNoBias",
       layer("fully_connected", {"3xf32", "5x3xf32"}, "", "5xf32")},
      {"ChannelShuffle", layer("channel_shuffle", {x}, "groups = 3 : i64", x)},
      {"RMSNormalization", layer("rms_normalization", {x, "4x3xf32"},
                                 "axis = 2 : i64, epsilon = 1.0e-2 : f32", x)},
      {"GroupNormalization",
       layer("group_normalization", {x, "6xf32", "6xf32"},
             "num_groups = 2 : i64, epsilon = 1.0e-2 : f32", x)},
      {"Normalize", layer("normalize", {x},
                          "axis = 2 : i64, mean = array<f32: 0.1, 0.2, 0.3, "
                          "-0.4>, std = array<f32: 1.0, 2.0, 3.0, 0.7>",
                          x)},
      {"L1Normalization",
       layer("lp_normalization", {x},
             "axis = 1 : i64, p = 1 : i64, epsilon = 5.0 : f32", x)},
      {"L2Normalization", layer("lp_normalization", {x},
                                "axis = 1 : i64, epsilon = 5.0 : f32", x)},
  };
  for (const auto &[name, text] : functions) {
    SCOPED_TRACE(name);
    EXPECT_EQ(expectRoundTrip(text).operators[name], 1);
    FuncOp function = parse(text);
    EXPECT_EQ(onnxTypeOf(&function.getBody().front().front()), name);
    onnx::ModelProto model = read();
    ASSERT_EQ(model.functions_size(), 1);
    EXPECT_EQ(model.functions(0).name(), name);

    hideFunctions(model);
    FuncOp inlined =
        import(folder.write("hidden.onnx", model.SerializeAsString()));
    size_t operations = 0;
    for (Operation &op : inlined.getBody().front())
      operations += !isa<nn::ConstantOp>(op);
    EXPECT_GT(operations, 2u);
    std::vector<Tensor> expected = run(function), actual = run(inlined);
    ASSERT_EQ(actual[0].shape(), expected[0].shape());
    for (int64_t i = 0; i < expected[0].size(); ++i)
      ASSERT_NEAR(actual[0].data<float>()[i], expected[0].data<float>()[i],
                  2e-5)
          << i;
  }
}

/// Exact: integers on both sides.
TEST_F(ExportTest, BodiesOfColorConversions) {
  std::string matrix =
      "matrix = array<i64: 76309, 132201, 0, -18142672, 76309, "
      "-25675, -53279, 8885168, 76309, 0, 104597, -14609360>";
  std::map<std::string, std::string> functions;
  for (const char *format : {"YUV420SP", "YVU420SP", "YUYV422", "UYVY422"}) {
    bool sharesRows = StringRef(format).ends_with("420SP");
    std::string x = sharesRows ? "2x9x8x1xui8" : "2x6x8x2xui8";
    std::string attributes =
        fmt::format("format = \"{}\", min_luma = 16 : i64, ", format);
    std::string name = StringRef(format).take_front(1).str() +
                       StringRef(format).drop_front(1).lower() + "ToColors";
    functions[name] =
        layer("color_convert", {x}, attributes + matrix, "2x6x8x3xui8");
    functions[name + "/gray"] = layer("color_convert", {x},
                                      attributes + "matrix = array<i64: 65536, "
                                                   "0, 0, 0>",
                                      "2x6x8x1xui8");
  }
  for (const auto &[name, text] : functions) {
    SCOPED_TRACE(name);
    std::string type = name.substr(0, name.find('/'));
    EXPECT_EQ(expectRoundTrip(text).operators[type], 1);
    FuncOp function = parse(text);
    onnx::ModelProto model = read();
    hideFunctions(model);
    FuncOp inlined =
        import(folder.write("hidden.onnx", model.SerializeAsString()));
    EXPECT_TRUE(inlined.getOps<nn::ColorConvertOp>().empty());
    Tensor x(DType::U8, cast<RankedTensorType>(function.getArgumentTypes()[0])
                            .getShape()
                            .vec());
    for (int64_t i = 0; i < x.size(); ++i)
      x.data<uint8_t>()[i] = uint8_t(i * 89 + i / 7 * 31);
    std::vector<std::vector<uint8_t>> results;
    for (FuncOp each : {function, inlined}) {
      Executable executable = prepare(each, referenceKernels());
      ExecutionState state(executable);
      std::span<const uint8_t> values =
          state.run(std::span(&x, 1))[0].values<uint8_t>();
      results.emplace_back(values.begin(), values.end());
    }
    EXPECT_EQ(results[1], results[0]);
  }
}

TEST_F(ExportTest, AFunctionOfOurNameWithAnotherBodyIsNotOurs) {
  write(parse(layer("silu", {"4xf32"}, "", "4xf32")));
  onnx::ModelProto model = read();
  onnx::FunctionProto &function = *model.mutable_functions(0);
  function.mutable_node(0)->set_op_type("Tanh"); // instead of Sigmoid
  FuncOp other = import(folder.write("other.onnx", model.SerializeAsString()));
  EXPECT_TRUE(other.getOps<nn::SiluOp>().empty());
  EXPECT_FALSE(other.getOps<nn::TanhOp>().empty());
}

TEST_F(ExportTest, ReductionsOfTruthValuesNeedANewerOperatorSet) {
  EXPECT_EQ(expectRoundTrip(layer("reduce_max", {"2x3xi1"},
                                  "axes = array<i64: 1>", "2x1xi1"))
                .opset,
            20);
}

TEST_F(ExportTest, FunctionsAreCountedAsOneNode) {
  write(parse(layer("silu", {"4xf32"}, "", "4xf32")));
  onnx_import::ModelSummary summary =
      onnx_import::summarizeModel((folder / "model.onnx").string());
  EXPECT_EQ(summary.operators, (std::map<std::string, int64_t>{{"Silu", 1}}));
  EXPECT_TRUE(summary.unsupported.empty());
  for (const auto &[name, since] : onnx_import::supportedOperators())
    EXPECT_NE(name, "Silu");
}

} // namespace
} // namespace parallax::onnx_export
