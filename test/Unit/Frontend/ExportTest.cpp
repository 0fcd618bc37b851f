//===- ExportTest.cpp - Names and weights of exported networks ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What the conformance tests can't show: names, outputs that no layer produces,
// and files in two parts.
//===----------------------------------------------------------------------===//
#include "ExportTestSupport.h"
#include "parallax/Support/TensorAttr.h"

namespace parallax::onnx_export {
namespace {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

TEST_F(ExportTest, Names) {
  FuncOp function = parse(R"(
func.func @net(%x: tensor<2x4xf32> {nn.name = "in"}) -> (tensor<2x4xf32> {nn.name = "out"}) {
  %c = nn.constant dense<2.0> : tensor<4xf32> loc("c"("twice"))
  %a = nn.add %x, %c : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32> loc("first"("twice"))
  %b = nn.mul %a, %a : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> loc("first"("out"))
  %d = nn.reshape %b {shape = array<i64: 4, 2>} : (tensor<2x4xf32>) -> tensor<4x2xf32> loc("shaped"("r"))
  %e = nn.reshape %d {shape = array<i64: 2, 4>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return %e : tensor<2x4xf32>
})");
  ExportSummary summary = write(function);
  EXPECT_EQ(summary.nodes, 4);
  EXPECT_EQ(summary.operators["Reshape"], 2);
  EXPECT_EQ(summary.bytes, int64_t(contentsOf(folder / "model.onnx").size()));
  onnx::ModelProto model = read();
  const onnx::GraphProto &graph = model.graph();
  EXPECT_EQ(model.producer_name(), "parallax");
  EXPECT_EQ(graph.name(), "net");
  ASSERT_EQ(graph.node_size(), 4);
  // A layer has the right to its name before a constant has.
  EXPECT_EQ(graph.node(0).name(), "first");
  EXPECT_EQ(graph.node(0).input(0), "in");
  EXPECT_EQ(graph.node(0).input(1), "twice_1");
  EXPECT_EQ(graph.node(0).output(0), "twice");
  // And an output of the network before a layer.
  EXPECT_EQ(graph.node(1).name(), "first_1");
  EXPECT_EQ(graph.node(1).output(0), "out_1");
  EXPECT_EQ(graph.node(2).input(1), "r/shape");
  EXPECT_EQ(graph.node(3).name(), "Reshape_3");
  EXPECT_EQ(graph.node(3).output(0), "out");
  EXPECT_EQ(graph.node(3).input(1), "out/shape");
  // In the order of their first use.
  ASSERT_EQ(graph.initializer_size(), 3);
  EXPECT_EQ(graph.initializer(0).name(), "twice_1");
  EXPECT_EQ(graph.initializer(1).name(), "r/shape");
  ASSERT_EQ(graph.value_info_size(), 3);
  EXPECT_EQ(graph.value_info(2).name(), "r");
  EXPECT_EQ(graph.value_info(2).type().tensor_type().shape().dim(0).dim_value(),
            4);
}

TEST_F(ExportTest, OutputsThatNoLayerProduces) {
  FuncOp function = parse(R"(
func.func @main(%x: tensor<2xf32> {nn.name = "x"})
    -> (tensor<2xf32> {nn.name = "same"}, tensor<2xf32> {nn.name = "known"},
        tensor<2xf32> {nn.name = "y"}, tensor<2xf32> {nn.name = "z"},
        tensor<2xf32> {nn.name = "x"}) {
  %c = nn.constant dense<[1.0, 2.0]> : tensor<2xf32> loc("known"("known"))
  %y = nn.abs %x : (tensor<2xf32>) -> tensor<2xf32> loc("abs"("y"))
  return %x, %c, %y, %y, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
})");
  write(function);
  onnx::ModelProto model = read();
  std::string nodes;
  for (const onnx::NodeProto &node : model.graph().node())
    nodes +=
        fmt::format("{}:{}->{} ", node.name(), node.input(0), node.output(0));
  EXPECT_EQ(nodes, "abs:x->y same/Identity:x->same "
                   "known/Identity:known_1->known z/Identity:y->z ");
  EXPECT_EQ(model.graph().output(4).name(), "x");

  FuncOp imported = import(folder / "model.onnx");
  std::vector<Tensor> expected = run(function), actual = run(imported);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(actual[i].data<float>()[1], expected[i].data<float>()[1]);
  write(imported, "again.onnx");
  EXPECT_TRUE(contentsOf(folder / "model.onnx") ==
              contentsOf(folder / "again.onnx"));
}

TEST_F(ExportTest, ResultsThatNobodyReads) {
  ExportSummary summary = expectRoundTrip(R"(
func.func @main(%x: tensor<1x1x6xf32> {nn.name = "x"}) -> (tensor<1x1x2xi64> {nn.name = "where"}) {
  %v, %i = nn.top_k %x {k = 2 : i64, axis = 2 : i64} : (tensor<1x1x6xf32>) -> (tensor<1x1x2xf32>, tensor<1x1x2xi64>) loc("top"(fused["what", "where"]))
  return %i : tensor<1x1x2xi64>
})");
  EXPECT_EQ(summary.operators["TopK"], 1);
  FuncOp function = parse(R"(
func.func @main(%x: tensor<5x2x3xf32> {nn.name = "x"}, %w: tensor<1x4x3xf32> {nn.name = "w"}, %r: tensor<1x4x4xf32> {nn.name = "r"}) -> (tensor<1x2x4xf32> {nn.name = "last"}) {
  %b = nn.constant dense<0.0> : tensor<1x8xf32>
  %n = nn.constant dense<5> : tensor<2xi32>
  %h = nn.constant dense<0.5> : tensor<1x2x4xf32> loc("h"("h"))
  %y, %l = nn.rnn %x, %w, %r, %b, %n, %h {activation_alpha = array<f32>, activation_beta = array<f32>, activations = ["Tanh"], hidden_size = 4 : i64}
    : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x8xf32>, tensor<2xi32>, tensor<1x2x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) loc("rnn")
  return %l : tensor<1x2x4xf32>
})");
  write(function);
  onnx::NodeProto node = read().graph().node(0);
  // Zeros and full lengths are ONNX's defaults.
  EXPECT_EQ(node.input(3), "");
  EXPECT_EQ(node.input(4), "");
  EXPECT_EQ(node.input(5), "h");
  EXPECT_EQ(node.output(0), "");
  EXPECT_EQ(node.output(1), "last");
}

TEST_F(ExportTest, RefusesWhatOnnxLacks) {
  context.allowUnregisteredDialects();
  FuncOp function = parse(R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = "other.op"(%x) : (tensor<2xf32>) -> tensor<2xf32> loc("strange"("y"))
  return %y : tensor<2xf32>
})");
  expectError([&] { exportModel(function, folder / "model.onnx"); },
              "layer 'strange' (other.op) can't be exported");
  FuncOp quantized = parse(R"(
func.func @main(%x: tensor<2x!quant.uniform<u8:f32, 0.1>> {nn.name = "x"}) -> tensor<2x!quant.uniform<u8:f32, 0.1>> {
  %y = nn.relu %x : (tensor<2x!quant.uniform<u8:f32, 0.1>>) -> tensor<2x!quant.uniform<u8:f32, 0.1>> loc("act"("y"))
  return %y : tensor<2x!quant.uniform<u8:f32, 0.1>>
})");
  expectError([&] { exportModel(quantized, folder / "model.onnx"); },
              "tensor 'x' can't be exported");
  EXPECT_EQ(folder.entryCount(), 0u);
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

class ExportWeightsTest : public ExportTest {
protected:
  /// A product with weights of 2000 numbers and a bias of 10.
  FuncOp network() {
    FuncOp function = parse(R"(
func.func @main(%x: tensor<3x200xf32> {nn.name = "x"}) -> (tensor<3x10xf32> {nn.name = "y"}) {
  %w = nn.constant dense<1.0> : tensor<200x10xf32> loc("w"("w"))
  %u = nn.constant dense<1.0> : tensor<10x700xf32> loc("u"("u"))
  %t = nn.constant dense<1.0> : tensor<700x10xf32> loc("t"("t"))
  %b = nn.constant dense<1.0> : tensor<10xf32> loc("b"("b"))
  %p = nn.matmul %x, %w : (tensor<3x200xf32>, tensor<200x10xf32>) -> tensor<3x10xf32> loc("p"("p"))
  %q = nn.matmul %p, %u : (tensor<3x10xf32>, tensor<10x700xf32>) -> tensor<3x700xf32> loc("q"("q"))
  %r = nn.matmul %q, %t : (tensor<3x700xf32>, tensor<700x10xf32>) -> tensor<3x10xf32> loc("r"("r"))
  %y = nn.add %r, %b : (tensor<3x10xf32>, tensor<10xf32>) -> tensor<3x10xf32> loc("y"("y"))
  return %y : tensor<3x10xf32>
})");
    for (auto constant : function.getOps<nn::ConstantOp>()) {
      Shape shape =
          cast<RankedTensorType>(constant.getY().getType()).getShape().vec();
      Tensor value = ramp(shape);
      for (float &number : std::span(value.data<float>(), value.size()))
        number /= 100;
      constant.setValueAttr(
          toAttribute(&context, value, getTensorName(constant.getY())));
    }
    return function;
  }

  void expectSameResults(FuncOp a, FuncOp b) {
    std::vector<Tensor> expected = run(a), actual = run(b);
    EXPECT_TRUE(std::ranges::equal(actual[0].values<float>(),
                                   expected[0].values<float>()));
  }
};

TEST_F(ExportWeightsTest, EmbeddedFileIsWhatProtobufWouldWrite) {
  FuncOp function = network();
  write(function);
  EXPECT_EQ(folder.entryCount(), 1u);
  EXPECT_TRUE(read().SerializeAsString() == contentsOf(folder / "model.onnx"));
  expectSameResults(function, import(folder / "model.onnx"));
}

TEST_F(ExportWeightsTest, LargeModelsHaveASecondFile) {
  FuncOp function = network();
  ExportSummary summary =
      write(function, "model.onnx", {.graphName = "", .embedLimit = 4096});
  EXPECT_EQ(folder.entryCount(), 2u);
  EXPECT_EQ(summary.bytes, int64_t(contentsOf(folder / "model.onnx").size() +
                                   contentsOf(folder / "model.data").size()));
  onnx::ModelProto model = read();
  EXPECT_EQ(model.graph().initializer(0).data_location(),
            onnx::TensorProto::EXTERNAL);
  EXPECT_EQ(model.graph().initializer(0).external_data(0).value(),
            "model.data");
  // Whatever is small stays.
  EXPECT_EQ(model.graph().initializer(3).name(), "b");
  EXPECT_EQ(model.graph().initializer(3).raw_data().size(), 40u);

  FuncOp imported = import(folder / "model.onnx");
  expectSameResults(function, imported);
  std::filesystem::create_directory(folder / "again");
  write(imported, "again/model.onnx", {.graphName = "", .embedLimit = 4096});
  for (std::string file : {"model.onnx", "model.data"})
    EXPECT_TRUE(contentsOf(folder / file) ==
                contentsOf(folder / ("again/" + file)));
  // A path without a folder means the one that the process is in.
  std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  FuncOp relative = import("model.onnx");
  std::filesystem::current_path(before);
  expectSameResults(function, relative);
  // The two files can't have one name.
  EXPECT_THROW(
      write(function, "model.data", {.graphName = "", .embedLimit = 4096}),
      Error);
  // Weights are mapped from the file that is replaced here.
  write(imported, "model.onnx", {.graphName = "", .embedLimit = 4096});
  expectSameResults(function, import(folder / "model.onnx"));
}

} // namespace
} // namespace parallax::onnx_export
