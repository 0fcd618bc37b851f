//===- Layer.h - One layer, as an export line sees it ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The mirror image of the importer's Node: an export line reads an nn operation
// and writes operands and attributes of an ONNX node through its Layer.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_FRONTEND_ONNX_EXPORT_LAYER_H
#define PARALLAX_LIB_FRONTEND_ONNX_EXPORT_LAYER_H

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/Tensor.h"

#include <fmt/format.h>

namespace onnx {
class AttributeProto;
class NodeProto;
class ValueInfoProto;
} // namespace onnx

namespace parallax::onnx_export {

class GraphExporter;

class Layer {
public:
  Layer(GraphExporter &graph, Operation *op, onnx::NodeProto &node)
      : op(op), graph(graph), node(node) {}

  Operation *const op;

  /// The version of the operator set that the file uses.
  int64_t opset() const;
  /// Raises it: older versions can't express this layer.
  void needs(int64_t opset);

  RankedTensorType operandType(unsigned index) const;
  DType operandElements(unsigned index) const;
  int64_t operandRank(unsigned index) const;

  // Operands of the node, in order. A null value is an absent one; those at the
  // end are left out.
  void addOperand(Value value);
  void addOperands(ValueRange values);

  // Parameters that are attributes in nn and operands in ONNX.
  void addTensor(StringRef role, Tensor value);
  /// A list.
  void addInts(StringRef role, ArrayRef<int64_t> values);
  void addFloats(StringRef role, ArrayRef<float> values);
  /// A single number of any element type.
  void addNumber(StringRef role, DType dtype, double value);
  void addInt(StringRef role, int64_t value);

  // Attributes of the node.
  void setInt(StringRef name, int64_t value);
  void setFloat(StringRef name, float value);
  void setString(StringRef name, StringRef value);
  void setInts(StringRef name, ArrayRef<int64_t> values);
  void setFloats(StringRef name, ArrayRef<float> values);
  void setStrings(StringRef name, ArrayRef<StringRef> values);

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format,
                         Args &&...args) const {
    failWith(fmt::format(format, std::forward<Args>(args)...));
  }

private:
  onnx::AttributeProto &addAttribute(StringRef name, int kind);
  [[noreturn]] void failWith(const std::string &problem) const;

  GraphExporter &graph;
  onnx::NodeProto &node;
};

/// The TensorProto data type of elements.
int toOnnxType(DType dtype);

/// How a layer is called in messages.
std::string describe(Operation *op);

/// The elements of a tensor type; throws Error for types that ONNX does not
/// have, with `subject` as what has it.
DType elementsOf(Type type, const std::string &subject);

/// The name, type and shape of a value.
void describeTensor(onnx::ValueInfoProto &info, Value value,
                    const std::string &name);

} // namespace parallax::onnx_export

#endif // PARALLAX_LIB_FRONTEND_ONNX_EXPORT_LAYER_H
