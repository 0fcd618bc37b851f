//===- ProcessorsTest.cpp - The import of a changed model -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The importer and the summary see the model as a configuration changed it.
//===----------------------------------------------------------------------===//
#include "ProcessorsTest.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Frontend/ONNX/Import.h"
#include "parallax/Support/LayerName.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace parallax::onnx_import {
namespace {

class ChangedImportTest : public ProcessorsTest {
protected:
  OwningOpRef<ModuleOp> import(const ImportOptions &options) {
    std::string bytes = model.SerializeAsString();
    fileBytes = int64_t(bytes.size());
    return importModel(std::as_bytes(std::span(bytes)), "m.onnx", &context,
                       options);
  }

  int64_t fileBytes = 0;
  MLIRContext context{MLIRContext::Threading::DISABLED};
};

TEST_F(ChangedImportTest, TheImporterSeesTheChangedModel) {
  auto resultShape = [&](const ImportOptions &options) {
    OwningOpRef<ModuleOp> module = import(options);
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    auto type = cast<RankedTensorType>(function.getResultTypes()[0]);
    return Shape(type.getShape().begin(), type.getShape().end());
  };
  ImportOptions options;
  EXPECT_EQ(resultShape(options), (Shape{1, 36}));
  options.opProcessors = {{"pool6", {{"ceil_mode", int64_t(1)}}}};
  EXPECT_EQ(resultShape(options), (Shape{1, 64}));
  options.constProcessors = {{"shape", {4, -1, 2}, ""}};
  EXPECT_EQ(resultShape(options), (Shape{4, 8, 2}));
  // Later ones win.
  options.opProcessors.push_back({"pool6", {{"ceil_mode", int64_t(0)}}});
  options.constProcessors.push_back({"shape", {36}, ""});
  EXPECT_EQ(resultShape(options), Shape{36});
}

TEST_F(ChangedImportTest, SummaryOfTheChangedModel) {
  ModelSummary summary;
  ImportOptions options;
  options.summary = &summary;
  options.constProcessors = {{"shape", {4, -1, 3}, ""}};
  OwningOpRef<ModuleOp> module = import(options);
  EXPECT_EQ(summary.fileBytes, fileBytes);
  EXPECT_EQ(summary.opset, 13);
  EXPECT_EQ(summary.irVersion, 8);
  EXPECT_EQ(summary.parameters, 3);
  ASSERT_EQ(summary.inputs.size(), 1u);
  EXPECT_EQ(summary.inputs[0].shape, "1x4x7x7");
  ASSERT_EQ(summary.nodes.size(), 3u);
  Texts names, types;
  for (const ModelNode &node : summary.nodes) {
    names.push_back(node.name);
    types.push_back(node.type);
  }
  EXPECT_EQ(names, (Texts{"pool6", "op_1:onnx.Relu", "reshape"}));
  EXPECT_EQ(types, (Texts{"MaxPool", "Relu", "Reshape"}));
  // The same names as those of the layers.
  Texts layers;
  module->walk([&](Operation *op) {
    if (op->getDialect() && op->getDialect()->getNamespace() == "nn" &&
        !isa<nn::ConstantOp>(op))
      layers.push_back(getLayerName(op).node);
  });
  EXPECT_EQ(layers, names);
}

TEST_F(ChangedImportTest, SummaryOfAModelThatCannotBeImported) {
  addNode("Custom", "", {"x"}, {"c"}).set_domain("vendor");
  ModelSummary summary;
  ImportOptions options;
  options.summary = &summary;
  EXPECT_THROW(import(options), Error);
  ASSERT_EQ(summary.nodes.size(), 4u);
  EXPECT_EQ(summary.nodes[3].name, "op_3:onnx.Custom");
  EXPECT_EQ(summary.nodes[3].type, "vendor.Custom");
  EXPECT_EQ(summary.unsupported.count("vendor.Custom"), 1u);
}

TEST_F(ChangedImportTest, SummaryOfAFile) {
  TempDir folder;
  std::string path = folder.write("m.onnx", model.SerializeAsString()).string();
  ModelSummary direct = summarizeModel(path), imported;
  ImportOptions options;
  options.summary = &imported;
  importModel(path, &context, options);
  EXPECT_EQ(direct.fileBytes, int64_t(std::filesystem::file_size(path)));
  EXPECT_EQ(imported.fileBytes, direct.fileBytes);
  EXPECT_EQ(imported.operators, direct.operators);
  EXPECT_EQ(imported.nodes.size(), direct.nodes.size());
  EXPECT_EQ(imported.parameters, 2);
}

} // namespace
} // namespace parallax::onnx_import
