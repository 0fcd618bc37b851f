//===- GraphInterface.cpp - Inputs and outputs of a network ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What a model declares about its inputs and what the user says about them
// become the arguments of a function; its outputs become results.
//===----------------------------------------------------------------------===//
#include "GraphImporter.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/TensorAttr.h"

using namespace mlir;

namespace parallax::onnx_import {

/// Names that the user gave must exist, or they would be ignored silently.
void GraphImporter::checkOptionNames(const onnx::GraphProto &graph) {
  std::set<std::string> names;
  std::string list;
  for (const onnx::ValueInfoProto &input : graph.input()) {
    names.insert(input.name());
    list += (list.empty() ? "" : ", ") + input.name();
  }
  auto check = [&](const std::string &name, const char *option) {
    if (!names.contains(name))
      throw Error(fmt::format("{}: {} names '{}', but the model's inputs are: "
                              "{}",
                              fileName, option, name, list));
  };
  for (const auto &[name, shape] : options.inputShapes)
    check(name, "--input_shapes");
  for (const auto &[name, value] : options.bakedInputs)
    check(name, "--bake");
}

/// The shape of an input with everything that is known about it; nothing if a
/// dimension stays open, which is reported.
std::optional<Shape>
GraphImporter::inputShape(const onnx::ValueInfoProto &input) {
  const onnx::TypeProto::Tensor &type = input.type().tensor_type();
  if (auto it = options.inputShapes.find(input.name());
      it != options.inputShapes.end()) {
    if (type.has_shape() && type.shape().dim_size() != int(it->second.size()))
      throw Error(fmt::format("{}: input '{}' has rank {}, but --input_shapes "
                              "gives {}",
                              fileName, input.name(), type.shape().dim_size(),
                              toString(it->second)));
    return it->second;
  }
  Shape shape;
  std::string declared, suggestion;
  bool isOpen = !type.has_shape();
  for (const auto &[i, dim] : llvm::enumerate(type.shape().dim())) {
    bool isKnown = dim.has_dim_value() && dim.dim_value() >= 0;
    isOpen |= !isKnown;
    shape.push_back(isKnown ? dim.dim_value() : 1);
    declared += (i ? "x" : "") + (isKnown ? std::to_string(dim.dim_value())
                                  : dim.dim_param().empty() ? "?"
                                                            : dim.dim_param());
    suggestion += (i ? "x" : "") + (isKnown  ? std::to_string(dim.dim_value())
                                    : i == 0 ? "1"
                                             : "<size>");
  }
  if (!isOpen)
    return shape;
  problems.push_back(fmt::format(
      "input '{}' has the dynamic shape {}; fix it with --input_shapes "
      "\"{}:{}\"",
      input.name(), declared.empty() ? "(unknown)" : declared, input.name(),
      suggestion.empty() ? "<shape>" : suggestion));
  return std::nullopt;
}

/// A baked value stands for an input, so it must look like one.
void GraphImporter::checkBaked(const onnx::ValueInfoProto &input,
                               const Tensor &value) {
  const onnx::TypeProto::Tensor &type = input.type().tensor_type();
  bool fits = fromOnnxType(type.elem_type()) == value.dtype();
  if (type.has_shape()) {
    fits &= type.shape().dim_size() == value.rank();
    for (int i = 0; fits && i < type.shape().dim_size(); ++i)
      if (type.shape().dim(i).has_dim_value())
        fits &= type.shape().dim(i).dim_value() == value.dim(i);
  }
  if (!fits)
    throw Error(fmt::format("{}: the value baked into input '{}' is {} {}, "
                            "which is not the input's type and shape",
                            fileName, input.name(),
                            parallax::nameOf(value.dtype()),
                            toString(value.shape())));
}

void GraphImporter::addInputs(const onnx::GraphProto &graph,
                              func::FuncOp function) {
  std::set<std::string> names;
  for (const onnx::ValueInfoProto &input : graph.input()) {
    const std::string &name = input.name();
    if (name.empty() || !names.insert(name).second) {
      problems.push_back(name.empty()
                             ? std::string("an input has no name")
                             : fmt::format("two inputs are called '{}'", name));
      continue;
    }
    if (auto it = options.bakedInputs.find(name);
        it != options.bakedInputs.end()) {
      checkBaked(input, it->second);
      define(name, makeConstant(widen(it->second), name));
      continue;
    }
    if (scopes.back().initializers.contains(name))
      continue; // A weight that old exporters also list as an input.
    std::optional<DType> dtype =
        input.type().has_tensor_type()
            ? fromOnnxType(input.type().tensor_type().elem_type())
            : std::nullopt;
    if (!dtype) {
      problems.push_back(fmt::format(
          "input '{}' is not a tensor of numbers, which is not supported",
          name));
      continue;
    }
    std::optional<Shape> shape = inputShape(input);
    if (!shape)
      continue;
    if (!isPlausible(*shape)) {
      problems.push_back(fmt::format("input '{}' has the impossible shape {}",
                                     name, toString(*shape)));
      continue;
    }
    unsigned number = function.getNumArguments();
    (void)function.insertArgument(
        number, RankedTensorType::get(*shape, toElementType(context, *dtype)),
        builder.getDictionaryAttr(
            builder.getNamedAttr("nn.name", builder.getStringAttr(name))),
        makeLayerLocation(context, name, {name}));
    Value value = function.getArgument(number);
    if (widened(*dtype) != *dtype)
      value = nn::CastOp::create(
          builder,
          makeLayerLocation(context, name + "/widen", {name + "/widen"}), value,
          toElementType(context, widened(*dtype)));
    define(name, value);
  }
}

void GraphImporter::addOutputs(const onnx::GraphProto &graph,
                               func::FuncOp function) {
  SmallVector<Value> values;
  if (graph.output().empty())
    problems.emplace_back("the model has no outputs");
  for (const onnx::ValueInfoProto &output : graph.output()) {
    try {
      Value value = lookup(output.name());
      std::optional<DType> declared =
          fromOnnxType(output.type().tensor_type().elem_type());
      // Give back the 16-bit type that was widened on the way in.
      if (declared && widened(*declared) != *declared) {
        auto type = cast<RankedTensorType>(value.getType());
        if (!type.hasStaticShape() || !type.getElementType().isF32())
          throw ImportError("is declared as 16-bit float, but is not one");
        value = nn::CastOp::create(
            builder,
            makeLayerLocation(context, output.name() + "/narrow",
                              {output.name() + "/narrow"}),
            value, toElementType(context, *declared));
      }
      values.push_back(value);
    } catch (const ImportError &error) {
      problems.push_back(
          fmt::format("output '{}': {}", output.name(), error.what()));
    }
  }
  func::ReturnOp::create(builder, function.getLoc(), values);
  function.setFunctionType(builder.getFunctionType(
      function.getArgumentTypes(), ValueRange(values).getTypes()));
  for (auto [i, value] : llvm::enumerate(values))
    function.setResultAttr(unsigned(i), "nn.name",
                           builder.getStringAttr(graph.output(int(i)).name()));
}

} // namespace parallax::onnx_import
