//===- RoundTripTest.cpp - Compiled models are lossless -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every operation of the NPU is written and read again; what comes back is
// the same network with the same names and gives the same bits.
//===----------------------------------------------------------------------===//
#include "../../../lib/Compiled/AttributeKinds.h"
#include "../../../lib/Compiled/Format.h"
#include "../../../lib/Compiled/Proof.h"
#include "CompiledTestSupport.h"
#include "parallax/Runtime.h"

#include <cstdlib>
#include <onnx/onnx_pb.h>
#include <set>

using namespace parallax;

namespace {

/// Everything but the names of constants, and but where they stand.
struct Layer {
  std::string op, attributes, types, name;
  bool operator==(const Layer &) const = default;
};

template <typename T> std::string textOf(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

std::vector<Layer> layersOf(mlir::func::FuncOp function) {
  std::vector<Layer> layers;
  for (Operation &op : function.front()) {
    if (isa<nn::ConstantOp, mlir::func::ReturnOp>(op))
      continue;
    Operation *copy = op.cloneWithoutRegions();
    copy->getName().populateDefaultProperties(copy->getPropertiesStorage());
    LayerName name = getLayerName(&op);
    for (const std::string &tensor : name.tensors)
      name.node += "/" + tensor;
    std::string types;
    for (Type type : op.getOperandTypes())
      types += textOf(type) + " ";
    for (Type type : op.getResultTypes())
      types += textOf(type) + " ";
    layers.push_back({op.getName().getStringRef().str(),
                      textOf(Attribute(copy->getAttrDictionary())), types,
                      name.node});
    copy->destroy();
  }
  return layers;
}

/// Values and codes of the constants that layers read, in the order of reading.
std::vector<std::string> constantsOf(mlir::func::FuncOp function) {
  std::vector<std::string> constants;
  for (Operation &op : function.front())
    for (Value operand : op.getOperands())
      if (auto constant = operand.getDefiningOp<nn::ConstantOp>()) {
        Tensor value = toTensor(constant.getValue());
        constants.push_back(
            textOf(constant.getType()) +
            textOf(codeTypeOf(constant->getResult(0))) +
            std::string(static_cast<const char *>(value.rawData()),
                        value.byteSize()));
      }
  return constants;
}

class RoundTripTest : public CompiledTest,
                      public testing::WithParamInterface<SampleNetwork> {};

TEST_P(RoundTripTest, KeepsEverything) {
  FuncOp lowered = lower(GetParam());
  CompiledInfo info = someInfo(), found;
  writeCompiledModel(lowered, folder / "a.axmodel", info);
  EXPECT_TRUE(isCompiledModel(folder / "a.axmodel"));

  // A context of its own: nothing comes from anywhere but the file.
  MLIRContext other(MLIRContext::Threading::DISABLED);
  auto read = readCompiledModel(folder / "a.axmodel", other, &found);
  FuncOp again = npuOf(*read);
  EXPECT_EQ(found, info);
  EXPECT_EQ(textOf(again.getFunctionType()), textOf(lowered.getFunctionType()));
  EXPECT_EQ(textOf(again->getAttr(npu::targetAttrName)),
            textOf(lowered->getAttr(npu::targetAttrName)));
  std::vector<Layer> before = layersOf(lowered), after = layersOf(again);
  ASSERT_EQ(before.size(), after.size());
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].op, after[i].op);
    EXPECT_EQ(before[i].name, after[i].name);
    EXPECT_EQ(before[i].types, after[i].types);
    EXPECT_EQ(before[i].attributes, after[i].attributes);
  }
  EXPECT_TRUE(constantsOf(lowered) == constantsOf(again));

  // The same bits, from the file, from memory and through the runtime.
  Tensor input = random(function().getArgumentTypes()[0], -1, 1);
  std::vector<Tensor> expected = runNpu(lowered, {input});
  std::vector<Tensor> results = runNpu(again, {input});
  std::filesystem::copy_file(folder / "a.axmodel", folder / "c.axmodel");
  Runtime runtime(folder / "c.axmodel", {1});
  // It has read all that it needs: a mapping would end in SIGBUS now.
  std::filesystem::resize_file(folder / "c.axmodel", 0);
  std::vector<std::string> buffers;
  for (const PortInfo &port : runtime.outputs())
    buffers.emplace_back(byteSizeOf(port), '\0');
  std::vector<Runtime::OutputBuffer> outputs;
  for (std::string &buffer : buffers)
    outputs.push_back(std::as_writable_bytes(std::span(buffer)));
  Runtime::InputBuffer bytes(static_cast<const std::byte *>(input.rawData()),
                             input.byteSize());
  runtime.run({&bytes, 1}, outputs);
  ASSERT_EQ(expected.size(), results.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(bytesOf(expected[i]) == bytesOf(results[i])) << i;
    EXPECT_EQ(expected[i].shape(), runtime.lastShape(i));
    EXPECT_TRUE(bytesOf(expected[i]) ==
                buffers[i].substr(0, expected[i].byteSize()))
        << i;
  }

  // Written again, it is the same file.
  writeCompiledModel(again, folder / "b.axmodel", found);
  EXPECT_TRUE(contentsOf(folder / "a.axmodel") ==
              contentsOf(folder / "b.axmodel"));

  // The fuzzer starts from these files.
  if (const char *seeds = std::getenv("PARALLAX_COMPILED_SEEDS"))
    std::filesystem::copy_file(
        folder / "a.axmodel",
        std::filesystem::path(seeds) / (GetParam().name + std::string(".onnx")),
        std::filesystem::copy_options::overwrite_existing);
}

INSTANTIATE_TEST_SUITE_P(Samples, RoundTripTest,
                         testing::ValuesIn(sampleNetworks),
                         [](const auto &info) { return info.param.name; });

class FormatTest : public CompiledTest {
protected:
  onnx::ModelProto modelOf(FuncOp function, const CompiledInfo &info = {}) {
    writeCompiledModel(function, folder / "a.axmodel", info);
    onnx::ModelProto model;
    EXPECT_TRUE(model.ParseFromString(contentsOf(folder / "a.axmodel")));
    return model;
  }
};

TEST_F(FormatTest, SamplesHaveEveryOperation) {
  std::set<std::string> found;
  for (const SampleNetwork &sample : sampleNetworks)
    lower(sample).walk([&](Operation *op) {
      found.insert(op->getName().getStringRef().str());
    });
  for (mlir::RegisteredOperationName name :
       context.getRegisteredOperationsByDialect("npu")) {
    EXPECT_TRUE(found.contains(name.getStringRef().str()))
        << name.getStringRef().str() << " is in no sample network";
    EXPECT_TRUE(compiled::hasProof(name.getStringRef()))
        << name.getStringRef().str() << " has no line in Proof.cpp";
  }
}

/// An independent reader, written from docs/compiled-model.md and
/// docs/generated/npu-ops.md.
TEST_F(FormatTest, PagesNameEveryOperationAndAttribute) {
  lower(sample("ports"));
  std::string page = contentsOf(PARALLAX_ROOT "/docs/generated/npu-ops.md");
  for (mlir::RegisteredOperationName name :
       context.getRegisteredOperationsByDialect("npu")) {
    size_t begin = page.find("### `" + name.getStringRef().str() + "`");
    ASSERT_NE(begin, std::string::npos) << name.getStringRef().str();
    std::string section =
        page.substr(begin, page.find("\n### ", begin) - begin);
    for (StringAttr attribute : name.getAttributeNames())
      EXPECT_NE(section.find("<code>" + attribute.str() + "</code>"),
                std::string::npos)
          << name.getStringRef().str() << " " << attribute.str();
  }
}

TEST_F(FormatTest, PageNamesEveryWordOfTheFormat) {
  std::string page = contentsOf(PARALLAX_ROOT "/docs/compiled-model.md");
  std::vector<std::string> words = {
      compiled::formatKey,        compiled::formatName,
      compiled::versionKey,       compiled::accumulator8Key,
      compiled::accumulator16Key, compiled::multiplierKey,
      compiled::roundingKey,      compiled::knotsKey,
      compiled::layerNodeKey,     compiled::layerTensorsKey,
      compiled::scaleKey,         compiled::zeroPointKey,
      compiled::limitsKey,        compiled::axisKey,
      compiled::copyType,
  };
  for (const compiled::InfoKey &line : compiled::infoKeys)
    words.push_back(line.key);
  for (const compiled::Domain &domain : compiled::domains)
    words.push_back(domain.domain);
  for (const compiled::AttributeKind &kind : compiled::attributeKinds())
    words.push_back(kind.word);
  for (const std::string &word : words)
    EXPECT_NE(page.find("`" + word + "`"), std::string::npos) << word;
}

TEST_F(FormatTest, ShowsPortsTypesAndCodes) {
  onnx::ModelProto model = modelOf(lower(sample("vision8")));
  const onnx::GraphProto &graph = model.graph();
  ASSERT_EQ(graph.input_size(), 1);
  EXPECT_EQ(graph.input(0).name(), "x");
  ASSERT_EQ(graph.output_size(), 2);
  EXPECT_EQ(graph.output(0).name(), "out");
  EXPECT_EQ(graph.output(1).name(), "up");
  const onnx::NodeProto *conv = nullptr;
  for (const onnx::NodeProto &node : graph.node())
    if (node.name() == "conv")
      conv = &node;
  ASSERT_TRUE(conv);
  EXPECT_EQ(conv->domain(), "parallax.npu");
  EXPECT_EQ(conv->op_type(), "conv");
  std::map<std::string, const onnx::TensorProto *> tensors;
  for (const onnx::TensorProto &tensor : graph.initializer())
    tensors[tensor.name()] = &tensor;
  EXPECT_EQ(tensors.at(conv->input(1))->data_type(), onnx::TensorProto::INT8);
  // The result of the layer, after Relu, has codes with a scale.
  int annotations = 0;
  for (const onnx::TensorAnnotation &annotation :
       graph.quantization_annotation())
    if (annotation.tensor_name() == conv->output(0))
      for (const auto &entry : annotation.quant_parameter_tensor_names()) {
        ++annotations;
        EXPECT_TRUE(tensors.contains(entry.value())) << entry.key();
      }
  EXPECT_EQ(annotations, 2);
}

TEST_F(FormatTest, IsForATarget) {
  Target target;
  target.name = "small";
  target.arithmetic.multiplierBits = 15;
  target.arithmetic.accumulatorBits8 = 24;
  target.arithmetic.rounding = Rounding::HalfEven;
  FuncOp lowered = lower(sample("island"), target);
  CompiledInfo info;
  writeCompiledModel(lowered, folder / "a.axmodel", {});
  MLIRContext other(MLIRContext::Threading::DISABLED);
  auto read = readCompiledModel(folder / "a.axmodel", other, &info);
  npu::TargetAttr found = npu::targetOf(npuOf(*read));
  ASSERT_TRUE(found);
  EXPECT_EQ(found.getMultiplierBits(), 15);
  EXPECT_EQ(found.getAccumulatorBits_8(), 24);
  EXPECT_EQ(found.getRounding(), "half_even");
  EXPECT_EQ(info.targetName, "small");
  EXPECT_EQ(info.toolVersion, PARALLAX_VERSION);
}

TEST_F(FormatTest, KnowsOtherFiles) {
  EXPECT_FALSE(isCompiledModel(folder / "absent"));
  EXPECT_FALSE(isCompiledModel(folder.write("text", "parallax.format")));
  EXPECT_FALSE(
      isCompiledModel(PARALLAX_ROOT "/configs/quickstart/digits.onnx"));
  EXPECT_FALSE(isCompiledModel(folder.path()));
}

TEST_F(FormatTest, RefusesBuffersThatDoNotFit) {
  writeCompiledModel(lower(sample("ports")), folder / "a.axmodel", {});
  Runtime runtime(folder / "a.axmodel");
  std::vector<float> input(9);
  auto bytes = std::as_bytes(std::span(input));
  std::vector<std::vector<std::byte>> memory;
  for (const PortInfo &port : runtime.outputs())
    memory.emplace_back(byteSizeOf(port));
  std::vector<Runtime::OutputBuffer> outputs(memory.begin(), memory.end());
  auto run = [&](Runtime::InputBuffer buffer) {
    runtime.run({&buffer, 1}, outputs);
  };
  run(bytes.first(32));
  expectError(
      [&] { run(bytes.first(31)); },
      "input 'x' is float32 2x4 and needs a buffer of 32 bytes, but 31");
  expectError([&] { run(bytes.subspan(1, 32)); }, "not aligned");
  expectError([&] { runtime.run({}, outputs); },
              "the model has 1 inputs, but 0 buffers were given");
  expectError([&] { Runtime(folder / "absent"); }, "there is no such file");
}

} // namespace
