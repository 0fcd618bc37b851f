//===- Layer.cpp - One layer, as an export line sees it -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Adds operands, parameters and attributes to the protobuf node of a layer.
//===----------------------------------------------------------------------===//
#include "Layer.h"
#include "../Initializers.h"
#include "GraphExporter.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/TensorAttr.h"

#include <onnx/onnx_pb.h>

namespace parallax::onnx_export {

int toOnnxType(DType dtype) {
  for (int type = onnx::TensorProto::DataType_MIN;
       type <= onnx::TensorProto::DataType_MAX; ++type)
    if (onnx_import::fromOnnxType(type) == dtype)
      return type;
  return onnx::TensorProto::UNDEFINED;
}

std::string describe(Operation *op) {
  return fmt::format("layer '{}' ({})", getLayerName(op).node,
                     op->getName().getStringRef().str());
}

DType elementsOf(Type type, const std::string &subject) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<DType> dtype =
      tensor ? toDType(tensor.getElementType()) : std::nullopt;
  if (dtype)
    return *dtype;
  throw Error(fmt::format("{} can't be exported: its elements have a type that "
                          "ONNX does not have; export the float network",
                          subject));
}

void Layer::failWith(const std::string &problem) const {
  throw Error(fmt::format("{} can't be exported: {}", describe(op), problem));
}

int64_t Layer::opset() const { return graph.opset(); }

void Layer::needs(int64_t opset) { graph.raiseOpset(opset); }

RankedTensorType Layer::operandType(unsigned index) const {
  return cast<RankedTensorType>(op->getOperand(index).getType());
}

DType Layer::operandElements(unsigned index) const {
  return elementsOf(operandType(index), describe(op));
}

int64_t Layer::operandRank(unsigned index) const {
  return operandType(index).getRank();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

void Layer::addOperand(Value value) {
  node.add_input(value ? graph.useTensor(value) : "");
}

void Layer::addOperands(ValueRange values) {
  for (Value value : values)
    addOperand(value);
}

void Layer::addTensor(StringRef role, Tensor value) {
  node.add_input(graph.addParameter(op, role, std::move(value)));
}

void Layer::addInts(StringRef role, ArrayRef<int64_t> values) {
  addTensor(role, Tensor::fromValues<int64_t>(
                      {int64_t(values.size())},
                      std::span(values.data(), values.size())));
}

void Layer::addFloats(StringRef role, ArrayRef<float> values) {
  addTensor(role,
            Tensor::fromValues<float>({int64_t(values.size())},
                                      std::span(values.data(), values.size())));
}

void Layer::addNumber(StringRef role, DType dtype, double value) {
  Tensor tensor(dtype, {});
  dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    *tensor.data<T>() = static_cast<T>(value);
  });
  addTensor(role, std::move(tensor));
}

void Layer::addInt(StringRef role, int64_t value) {
  addTensor(role, Tensor::fromValues<int64_t>(
                      {}, std::span<const int64_t>(&value, 1)));
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

onnx::AttributeProto &Layer::addAttribute(StringRef name, int kind) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name.str());
  attribute.set_type(onnx::AttributeProto::AttributeType(kind));
  return attribute;
}

void Layer::setInt(StringRef name, int64_t value) {
  addAttribute(name, onnx::AttributeProto::INT).set_i(value);
}

void Layer::setFloat(StringRef name, float value) {
  addAttribute(name, onnx::AttributeProto::FLOAT).set_f(value);
}

void Layer::setString(StringRef name, StringRef value) {
  addAttribute(name, onnx::AttributeProto::STRING).set_s(value.str());
}

void Layer::setInts(StringRef name, ArrayRef<int64_t> values) {
  onnx::AttributeProto &attribute =
      addAttribute(name, onnx::AttributeProto::INTS);
  attribute.mutable_ints()->Add(values.begin(), values.end());
}

void Layer::setFloats(StringRef name, ArrayRef<float> values) {
  onnx::AttributeProto &attribute =
      addAttribute(name, onnx::AttributeProto::FLOATS);
  attribute.mutable_floats()->Add(values.begin(), values.end());
}

void Layer::setStrings(StringRef name, ArrayRef<StringRef> values) {
  onnx::AttributeProto &attribute =
      addAttribute(name, onnx::AttributeProto::STRINGS);
  for (StringRef value : values)
    attribute.add_strings(value.str());
}

} // namespace parallax::onnx_export
