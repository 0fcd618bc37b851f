//===- ExportTestSupport.h - Networks into ONNX and back -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What tests of the exporter share: networks in text, files in a folder of
// their own, and the way there and back.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_FRONTEND_EXPORTTESTSUPPORT_H
#define PARALLAX_TEST_UNIT_FRONTEND_EXPORTTESTSUPPORT_H

#include "../Support/TempDir.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Frontend/ONNX/Export.h"
#include "parallax/Frontend/ONNX/Import.h"
#include "parallax/Support/LayerName.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <cmath>
#include <fmt/format.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

namespace parallax::onnx_export {

using mlir::func::FuncOp;

class ExportTest : public testing::Test {
protected:
  ExportTest() {
    context.loadDialect<nn::NNDialect, mlir::func::FuncDialect>();
    options.evaluate = [](Operation *op, std::span<const Tensor> operands) {
      return evaluate(op, operands, referenceKernels());
    };
  }

  FuncOp parse(const std::string &text) {
    modules.push_back(mlir::parseSourceString<ModuleOp>(text, &context));
    EXPECT_TRUE(modules.back()) << text;
    return *modules.back()->getOps<FuncOp>().begin();
  }

  FuncOp import(const std::filesystem::path &path) {
    modules.push_back(
        onnx_import::importModel(path.string(), &context, options));
    return *modules.back()->getOps<FuncOp>().begin();
  }

  /// Exports to `file`; the result must be a valid model as far as the checker
  /// knows its operators.
  ExportSummary write(FuncOp function, const std::string &file = "model.onnx",
                      const ExportOptions &options = {}) {
    ExportSummary summary = exportModel(function, folder / file, options);
    if (summary.opset <= 17)
      onnx::checker::check_model((folder / file).string());
    return summary;
  }

  onnx::ModelProto read(const std::string &file = "model.onnx") {
    onnx::ModelProto model;
    EXPECT_TRUE(model.ParseFromString(contentsOf(folder / file)));
    return model;
  }

  static std::vector<Tensor> run(FuncOp function) {
    std::vector<Tensor> inputs, outputs;
    for (Type type : function.getArgumentTypes())
      inputs.push_back(ramp(cast<RankedTensorType>(type).getShape().vec()));
    Executable executable = prepare(function, referenceKernels());
    ExecutionState state(executable);
    for (const Tensor &output : state.run(inputs))
      outputs.push_back(output.clone());
    return outputs;
  }

  static Tensor ramp(Shape shape) {
    Tensor tensor(DType::F32, std::move(shape));
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.data<float>()[i] = 3 * std::sin(float(i) * 0.7f + 0.1f);
    return tensor;
  }

  /// Every operation with its attributes, types and names.
  static std::string describeAll(FuncOp function) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    for (Operation &op : function.getBody().front().without_terminator()) {
      op.print(stream, mlir::OpPrintingFlags().useLocalScope());
      LayerName name = getLayerName(&op);
      stream << " " << name.node;
      for (const std::string &tensor : name.tensors)
        stream << " " << tensor;
      stream << "\n";
    }
    return text;
  }

  /// The file must hold the same network, and give the same file again.
  ExportSummary expectRoundTrip(const std::string &text) {
    FuncOp function = parse(text);
    ExportSummary summary = write(function);
    FuncOp imported = import(folder / "model.onnx");
    EXPECT_EQ(describeAll(imported), describeAll(function));
    write(imported, "again.onnx");
    EXPECT_TRUE(contentsOf(folder / "model.onnx") ==
                contentsOf(folder / "again.onnx"))
        << text;
    return summary;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  onnx_import::ImportOptions options;
  std::vector<OwningOpRef<ModuleOp>> modules;
  TempDir folder;
};

/// A function of one operator. `types` are those of its operands, `extra` its
/// attributes.
inline std::string layer(const std::string &op,
                         const std::vector<std::string> &types,
                         const std::string &attributes,
                         const std::string &result) {
  std::string arguments, values, list;
  for (size_t i = 0; i < types.size(); ++i) {
    std::string comma = i == 0 ? "" : ", ", name = std::to_string(i);
    arguments += comma + "%" + name + ": tensor<" + types[i] +
                 "> {nn.name = \"x" + name + "\"}";
    values += comma + "%" + name;
    list += comma + "tensor<" + types[i] + ">";
  }
  return fmt::format(
      "func.func @main({}) -> (tensor<{}> {{nn.name = \"y\"}}) {{\n"
      "  %y = nn.{} {} {{{}}} : ({}) -> tensor<{}> loc(\"layer\"(\"y\"))\n"
      "  return %y : tensor<{}>\n}}",
      arguments, result, op, values, attributes, list, result, result);
}

} // namespace parallax::onnx_export

#endif // PARALLAX_TEST_UNIT_FRONTEND_EXPORTTESTSUPPORT_H
