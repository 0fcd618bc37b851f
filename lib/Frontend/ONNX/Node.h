//===- Node.h - One ONNX node, as an import line sees it -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// An import line reads operands and attributes from a Node and creates nn
// operations through it. Whatever is missing, malformed or unsupported is
// thrown as ImportError, which the importer collects, so that one message lists
// all of them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_FRONTEND_ONNX_NODE_H
#define PARALLAX_LIB_FRONTEND_ONNX_NODE_H

#include "parallax/Dialect/NN/CreateOp.h"
#include "parallax/Dialect/NN/ShapeInference.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Tensor.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

#include <fmt/format.h>
#include <optional>
#include <stdexcept>

namespace onnx {
class AttributeProto;
class GraphProto;
class NodeProto;
} // namespace onnx

namespace parallax::onnx_import {

class GraphImporter;

/// What is wrong with one node; the importer adds the node's name.
struct ImportError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Node {
public:
  Node(GraphImporter &graph, const onnx::NodeProto &proto, int64_t opset);

  /// The version of the operator set that the model uses.
  int64_t opset() const { return opsetVersion; }
  const onnx::NodeProto &proto() const { return nodeProto; }

  // Operands. An empty name is an absent optional operand.
  size_t inputCount() const;
  bool hasInput(size_t index) const;
  Value input(size_t index) const;
  /// The operand, or a null value if it is absent.
  Value optionalInput(size_t index) const;
  SmallVector<Value> inputs() const;
  RankedTensorType inputType(size_t index) const;
  int64_t inputRank(size_t index) const;

  /// The value of an operand that must be known at import, because it
  /// parameterizes the operator.
  Tensor constantInput(size_t index) const;
  std::vector<int64_t> intsInput(size_t index) const;
  std::vector<float> floatsInput(size_t index) const;
  /// The value if the operand is constant.
  std::optional<Tensor> tryConstantInput(size_t index) const;

  // Attributes.
  const onnx::AttributeProto *attribute(StringRef name) const;
  bool hasAttribute(StringRef name) const { return attribute(name); }
  int64_t intAttribute(StringRef name, int64_t otherwise) const;
  int64_t requiredInt(StringRef name) const;
  float floatAttribute(StringRef name, float otherwise) const;
  std::string stringAttribute(StringRef name, StringRef otherwise) const;
  std::vector<int64_t> intsAttribute(StringRef name,
                                     std::vector<int64_t> otherwise = {}) const;
  std::vector<float> floatsAttribute(StringRef name) const;
  std::vector<std::string> stringsAttribute(StringRef name) const;
  const onnx::GraphProto &graphAttribute(StringRef name) const;
  /// The value of a tensor attribute, 16-bit floats widened.
  Tensor tensorAttribute(StringRef name) const;

  /// Parameters that moved from an attribute to operand `index` in operator
  /// set `since`: axes, pads, split, ... Nothing if neither is given.
  std::optional<std::vector<int64_t>>
  intsParameter(StringRef name, size_t index, int64_t since) const;

  /// Maps an axis of [-rank, rank) to [0, rank).
  int64_t normalizedAxis(int64_t axis, int64_t rank) const;
  std::vector<int64_t> normalizedAxes(std::vector<int64_t> axes,
                                      int64_t rank) const;

  // MLIR attributes for create().
  Attribute i64(int64_t value) const;
  Attribute i64s(ArrayRef<int64_t> values) const;
  Attribute f32(float value) const;
  Attribute f64(double value) const;
  Attribute f32s(ArrayRef<float> values) const;
  Attribute boolean(bool value) const;
  Attribute word(StringRef value) const;
  Attribute words(ArrayRef<std::string> values) const;
  Attribute type(Type value) const;

  // Results.
  size_t outputCount() const;
  /// True if this output may have consumers: it has a name.
  bool hasOutput(size_t index) const;
  void setOutput(size_t index, Value value);

  /// Creates an operation whose results are the outputs of this node, in
  /// order; the number of results may exceed that of the outputs.
  template <typename OpTy>
  void emit(ArrayRef<Value> operands,
            ArrayRef<NamedAttribute> attributes = {}) {
    emitResults(createNamed<OpTy>("", operands, attributes));
  }
  void emitResults(ValueRange results);

  /// Creates a single-result operation that is only a step towards the node's
  /// outputs; `step` makes its name unique within the node.
  template <typename OpTy>
  Value create(StringRef step, ArrayRef<Value> operands,
               ArrayRef<NamedAttribute> attributes = {}) {
    return createNamed<OpTy>(step, operands, attributes)[0];
  }
  /// The same for an operation with any number of results, which it returns.
  template <typename OpTy>
  SmallVector<Value> createNamed(StringRef step, ArrayRef<Value> operands,
                                 ArrayRef<NamedAttribute> attributes);

  NamedAttribute named(StringRef name, Attribute value) const;

  /// A constant of the network.
  Value constant(Tensor value) const;
  template <typename T>
  Value constant(Shape shape, std::vector<T> values) const {
    return constant(
        Tensor::fromValues<T>(std::move(shape), std::span<const T>(values)));
  }

  /// The element type of a TensorProto data type, 16-bit floats widened.
  Type elementType(int64_t onnxType) const;
  MLIRContext *context() const;

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format,
                         Args &&...args) const {
    throw ImportError(fmt::format(format, std::forward<Args>(args)...));
  }

  /// Imports the sub-graph of an attribute where this node stands and returns
  /// its outputs; nothing if they depend on what could not be imported, which
  /// is noted already.
  std::optional<SmallVector<Value>> inlineBranch(StringRef attribute);

private:
  /// Location of an operation that this node becomes.
  Location location(StringRef step) const;
  /// Inserts the operation or, if all operands are constants, its value.
  SmallVector<Value> insert(mlir::OperationState &state);

  GraphImporter &graph;
  const onnx::NodeProto &nodeProto;
  int64_t opsetVersion;
};

/// Collects what MLIR would print as an error, so that it becomes part of an
/// ImportError.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(MLIRContext *context);
  std::string takeText() { return std::move(text); }

private:
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

template <typename OpTy>
SmallVector<Value> Node::createNamed(StringRef step, ArrayRef<Value> operands,
                                     ArrayRef<NamedAttribute> attributes) {
  DiagnosticCollector diagnostics(context());
  mlir::OperationState state(location(step), OpTy::getOperationName());
  if (failed(nn::completeState<OpTy>(state, operands, attributes)))
    throw ImportError(diagnostics.takeText());
  return insert(state);
}

/// An import line: what an ONNX operator becomes.
using ImportFunction = std::function<void(Node &)>;

/// All import lines by operator name and the operator set version since which
/// the line holds.
class ImportTable {
public:
  void onOp(StringRef name, int64_t since, ImportFunction function);
  /// The line with the greatest `since` not above `opset`, or null.
  const ImportFunction *find(StringRef name, int64_t opset) const;
  /// Every operator name with the first version that is supported.
  std::vector<std::pair<std::string, int64_t>> operators() const;

private:
  std::map<std::string, std::map<int64_t, ImportFunction>, std::less<>> lines;
};

/// All import lines.
void addAllImports(ImportTable &table);

// One function per operator family, each in the source file of its name.
void addConstantImports(ImportTable &table);
void addElementwiseImports(ImportTable &table);
void addIndexingImports(ImportTable &table);
void addLayoutImports(ImportTable &table);
void addMacImports(ImportTable &table);
void addNormalizeImports(ImportTable &table);
void addPoolImports(ImportTable &table);
void addQuantizeImports(ImportTable &table);
void addRecurrentImports(ImportTable &table);
void addReduceImports(ImportTable &table);
void addResizeImports(ImportTable &table);

} // namespace parallax::onnx_import

#endif // PARALLAX_LIB_FRONTEND_ONNX_NODE_H
