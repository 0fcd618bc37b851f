//===- Node.cpp - One ONNX node, as an import line sees it ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Access to operands and attributes with checks, creation of operations with
// their names, and folding of what is already known.
//===----------------------------------------------------------------------===//
#include "Node.h"
#include "GraphImporter.h"
#include "parallax/Dialect/NN/Folding.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/Verifier.h"

#include <onnx/onnx_pb.h>

using namespace mlir;

namespace parallax::onnx_import {

DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          text += (text.empty() ? "" : "; ") + diagnostic.str();
        return success();
      }) {}

Node::Node(GraphImporter &graph, const onnx::NodeProto &proto, int64_t opset)
    : graph(graph), nodeProto(proto), opsetVersion(opset) {}

MLIRContext *Node::context() const { return graph.builder.getContext(); }

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

size_t Node::inputCount() const { return size_t(nodeProto.input_size()); }

bool Node::hasInput(size_t index) const {
  return index < inputCount() && !nodeProto.input(int(index)).empty();
}

Value Node::input(size_t index) const {
  if (!hasInput(index))
    fail("operand {} is missing", index);
  return graph.lookup(nodeProto.input(int(index)));
}

Value Node::optionalInput(size_t index) const {
  return hasInput(index) ? input(index) : Value();
}

SmallVector<Value> Node::inputs() const {
  SmallVector<Value> values;
  for (size_t i = 0; i < inputCount(); ++i)
    values.push_back(input(i));
  return values;
}

RankedTensorType Node::inputType(size_t index) const {
  return cast<RankedTensorType>(input(index).getType());
}

int64_t Node::inputRank(size_t index) const {
  return inputType(index).getRank();
}

std::optional<Tensor> Node::tryConstantInput(size_t index) const {
  const Tensor *tensor = graph.constantOf(input(index));
  return tensor ? std::optional(*tensor) : std::nullopt;
}

Tensor Node::constantInput(size_t index) const {
  if (std::optional<Tensor> tensor = tryConstantInput(index))
    return *tensor;
  fail("operand {} ('{}') must be a constant: the shape of the result or the "
       "operator itself depends on it",
       index, nodeProto.input(int(index)));
}

std::vector<int64_t> Node::intsInput(size_t index) const {
  Tensor tensor = constantInput(index);
  std::vector<int64_t> values(size_t(tensor.size()));
  if (tensor.dtype() == DType::I64)
    std::copy_n(tensor.data<int64_t>(), tensor.size(), values.begin());
  else if (tensor.dtype() == DType::I32)
    std::copy_n(tensor.data<int32_t>(), tensor.size(), values.begin());
  else
    fail("operand {} must hold integers, not {}", index,
         parallax::nameOf(tensor.dtype()));
  return values;
}

std::vector<float> Node::floatsInput(size_t index) const {
  Tensor tensor = constantInput(index);
  std::vector<float> values(size_t(tensor.size()));
  if (tensor.dtype() == DType::F32)
    std::copy_n(tensor.data<float>(), tensor.size(), values.begin());
  else if (tensor.dtype() == DType::F64)
    std::copy_n(tensor.data<double>(), tensor.size(), values.begin());
  else
    fail("operand {} must hold floats, not {}", index,
         parallax::nameOf(tensor.dtype()));
  return values;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const onnx::AttributeProto *Node::attribute(StringRef name) const {
  for (const onnx::AttributeProto &attribute : nodeProto.attribute())
    if (StringRef(attribute.name()) == name)
      return &attribute;
  return nullptr;
}

static void checkKind(const Node &node, const onnx::AttributeProto &attribute,
                      onnx::AttributeProto::AttributeType kind) {
  if (attribute.type() != kind)
    node.fail("attribute '{}' must be {}, not {}", attribute.name(),
              onnx::AttributeProto::AttributeType_Name(kind),
              onnx::AttributeProto::AttributeType_Name(attribute.type()));
}

int64_t Node::intAttribute(StringRef name, int64_t otherwise) const {
  const onnx::AttributeProto *found = attribute(name);
  if (!found)
    return otherwise;
  checkKind(*this, *found, onnx::AttributeProto::INT);
  return found->i();
}

int64_t Node::requiredInt(StringRef name) const {
  if (!attribute(name))
    fail("attribute '{}' is missing", name.str());
  return intAttribute(name, 0);
}

float Node::floatAttribute(StringRef name, float otherwise) const {
  const onnx::AttributeProto *found = attribute(name);
  if (!found)
    return otherwise;
  checkKind(*this, *found, onnx::AttributeProto::FLOAT);
  return found->f();
}

std::string Node::stringAttribute(StringRef name, StringRef otherwise) const {
  const onnx::AttributeProto *found = attribute(name);
  if (!found)
    return otherwise.str();
  checkKind(*this, *found, onnx::AttributeProto::STRING);
  return found->s();
}

std::vector<int64_t> Node::intsAttribute(StringRef name,
                                         std::vector<int64_t> otherwise) const {
  const onnx::AttributeProto *found = attribute(name);
  if (!found)
    return otherwise;
  checkKind(*this, *found, onnx::AttributeProto::INTS);
  return {found->ints().begin(), found->ints().end()};
}

std::vector<float> Node::floatsAttribute(StringRef name) const {
  const onnx::AttributeProto *found = attribute(name);
  if (!found)
    return {};
  checkKind(*this, *found, onnx::AttributeProto::FLOATS);
  return {found->floats().begin(), found->floats().end()};
}

std::vector<std::string> Node::stringsAttribute(StringRef name) const {
  const onnx::AttributeProto *found = attribute(name);
  if (!found)
    return {};
  checkKind(*this, *found, onnx::AttributeProto::STRINGS);
  return {found->strings().begin(), found->strings().end()};
}

Tensor Node::tensorAttribute(StringRef name) const {
  const onnx::AttributeProto *found = attribute(name);
  if (!found || !found->has_t())
    fail("attribute '{}' is missing", name.str());
  if (hasFourBits(found->t().data_type()))
    fail("attribute '{}' has integers of 4 bits, which only initializers may "
         "have",
         name.str());
  onnx::TensorProto copy = found->t();
  return graph.reader.take(copy);
}

const onnx::GraphProto &Node::graphAttribute(StringRef name) const {
  const onnx::AttributeProto *found = attribute(name);
  if (!found || !found->has_g())
    fail("attribute '{}' is missing", name.str());
  return found->g();
}

std::optional<std::vector<int64_t>>
Node::intsParameter(StringRef name, size_t index, int64_t since) const {
  if (opset() >= since) {
    if (hasInput(index))
      return intsInput(index);
    return std::nullopt;
  }
  if (hasAttribute(name))
    return intsAttribute(name);
  return std::nullopt;
}

int64_t Node::normalizedAxis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank)
    fail("axis {} is outside of a tensor of rank {}", axis, rank);
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> Node::normalizedAxes(std::vector<int64_t> axes,
                                          int64_t rank) const {
  for (int64_t &axis : axes)
    axis = normalizedAxis(axis, rank);
  llvm::sort(axes);
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    fail("an axis is given twice");
  return axes;
}

//===----------------------------------------------------------------------===//
// MLIR attributes
//===----------------------------------------------------------------------===//

Attribute Node::i64(int64_t value) const {
  return graph.builder.getI64IntegerAttr(value);
}
Attribute Node::i64s(ArrayRef<int64_t> values) const {
  return graph.builder.getDenseI64ArrayAttr(values);
}
Attribute Node::f32(float value) const {
  return graph.builder.getF32FloatAttr(value);
}
Attribute Node::f64(double value) const {
  return graph.builder.getF64FloatAttr(value);
}
Attribute Node::f32s(ArrayRef<float> values) const {
  return graph.builder.getDenseF32ArrayAttr(values);
}
Attribute Node::boolean(bool value) const {
  return graph.builder.getBoolAttr(value);
}
Attribute Node::word(StringRef value) const {
  return graph.builder.getStringAttr(value);
}
Attribute Node::words(ArrayRef<std::string> values) const {
  SmallVector<StringRef> refs(values.begin(), values.end());
  return graph.builder.getStrArrayAttr(refs);
}
Attribute Node::type(Type value) const { return TypeAttr::get(value); }

NamedAttribute Node::named(StringRef name, Attribute value) const {
  return graph.builder.getNamedAttr(name, value);
}

Type Node::elementType(int64_t onnxType) const {
  std::optional<DType> dtype = onnx_import::fromOnnxType(int(onnxType));
  if (!dtype)
    fail("elements of {} are not supported", nameOfOnnxType(int(onnxType)));
  return toElementType(context(), widened(*dtype));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

size_t Node::outputCount() const { return size_t(nodeProto.output_size()); }

bool Node::hasOutput(size_t index) const {
  return index < outputCount() && !nodeProto.output(int(index)).empty();
}

void Node::setOutput(size_t index, Value value) {
  if (hasOutput(index))
    graph.define(nodeProto.output(int(index)), value);
}

void Node::emitResults(ValueRange results) {
  for (size_t i = results.size(); i < outputCount(); ++i)
    if (hasOutput(i))
      fail("has {} outputs, but the operator has only {}", outputCount(),
           results.size());
  for (auto [i, result] : llvm::enumerate(results))
    setOutput(i, result);
}

Value Node::constant(Tensor value) const {
  std::string name =
      hasOutput(0) ? nodeProto.output(0) : graph.nameOf(nodeProto);
  return graph.makeConstant(std::move(value), name);
}

std::optional<SmallVector<Value>> Node::inlineBranch(StringRef attribute) {
  std::optional<SmallVector<Value>> results =
      graph.inlineGraph(graphAttribute(attribute), outputCount());
  if (!results)
    graph.poison(nodeProto);
  return results;
}

Location Node::location(StringRef step) const {
  std::string suffix = step.empty() ? "" : "/" + step.str();
  std::string node = graph.nameOf(nodeProto);
  std::vector<std::string> tensors;
  for (size_t i = 0; i < std::max<size_t>(outputCount(), 1); ++i)
    tensors.push_back((hasOutput(i) ? nodeProto.output(int(i))
                                    : fmt::format("{}:{}", node, i)) +
                      suffix);
  return makeLayerLocation(context(), node + suffix, tensors);
}

SmallVector<Value> Node::insert(OperationState &state) {
  DiagnosticCollector diagnostics(context());
  OwningOpRef<Operation *> op = Operation::create(state);
  if (failed(verify(*op)))
    throw ImportError(diagnostics.takeText());

  SmallVector<Tensor> operands;
  for (Value operand : op->getOperands())
    if (const Tensor *tensor = graph.constantOf(operand))
      operands.push_back(*tensor);
  if (!graph.options.evaluate || operands.size() != op->getNumOperands() ||
      op->getNumOperands() == 0 || !nn::isWorthFolding(*op)) {
    return graph.builder.insert(op.release())->getResults();
  }

  std::vector<Tensor> results;
  try {
    results = graph.options.evaluate(*op, operands);
  } catch (const Error &error) {
    throw ImportError(error.what());
  }
  LayerName name = getLayerName(*op);
  SmallVector<Value> values;
  for (auto [tensor, tensorName] : llvm::zip(results, name.tensors))
    values.push_back(graph.makeConstant(std::move(tensor), tensorName));
  return values;
}

//===----------------------------------------------------------------------===//
// ImportTable
//===----------------------------------------------------------------------===//

void ImportTable::onOp(StringRef name, int64_t since, ImportFunction function) {
  lines[name.str()][since] = std::move(function);
}

const ImportFunction *ImportTable::find(StringRef name, int64_t opset) const {
  auto it = lines.find(name.str());
  if (it == lines.end())
    return nullptr;
  auto line = it->second.upper_bound(opset);
  return line == it->second.begin() ? nullptr : &std::prev(line)->second;
}

std::vector<std::pair<std::string, int64_t>> ImportTable::operators() const {
  std::vector<std::pair<std::string, int64_t>> result;
  for (const auto &[name, versions] : lines)
    result.emplace_back(name, versions.begin()->first);
  return result;
}

} // namespace parallax::onnx_import
