//===- Processors.cpp - Changes to a model before its import --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each request is applied and logged, or refused: a name that matches nothing
// or more than one thing, or a value of the wrong type, ends the import.
//===----------------------------------------------------------------------===//
#include "Processors.h"
#include "AttributeTypes.h"
#include "ConstantData.h"
#include "Initializers.h"
#include "ModelFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/NearestNames.h"
#include "parallax/Support/TensorFile.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace parallax::onnx_import {
namespace {

constexpr size_t shownElements = 16;

/// The elements of a list, of which a long one shows only the first.
template <typename List>
std::string describeList(const List &list, const char *brackets) {
  std::string text(1, brackets[0]);
  size_t count = 0;
  for (const auto &element : list) {
    if (count++ > 0)
      text += ", ";
    if (count > shownElements) {
      text += "...";
      break;
    }
    text += fmt::format("{}", element);
  }
  return text + brackets[1];
}

/// Things of a model by name, which are changed one at a time.
template <typename T> class Directory {
public:
  void add(const std::string &name, T entry) { entries[name].push_back(entry); }

  /// The only thing with this name; `kind` is what to call it.
  T find(const std::string &name, const char *kind) const {
    auto found = entries.find(name);
    if (found == entries.end()) {
      std::vector<std::string> names;
      for (const auto &[known, entry] : entries)
        names.push_back(known);
      throw Error(fmt::format("there is no {} '{}'{}", kind, name,
                              didYouMean(name, names)));
    }
    if (found->second.size() > 1)
      throw Error(fmt::format("{} of its {}s are named '{}', so none of them "
                              "can be changed",
                              found->second.size(), kind, name));
    return found->second.front();
  }

private:
  std::map<std::string, std::vector<T>> entries;
};

/// Calls `fn` for the graph and all graphs inside its nodes.
template <typename Fn> void forEachGraph(onnx::GraphProto &graph, Fn &&fn) {
  fn(graph);
  for (onnx::NodeProto &node : *graph.mutable_node())
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        forEachGraph(*attribute.mutable_g(), fn);
      for (onnx::GraphProto &inner : *attribute.mutable_graphs())
        forEachGraph(inner, fn);
    }
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// One element of an AttributeValue.
using Scalar = std::variant<int64_t, double, std::string>;

std::vector<Scalar> elementsOf(const AttributeValue &value) {
  return std::visit(
      []<typename T>(const T &held) -> std::vector<Scalar> {
        if constexpr (std::is_constructible_v<Scalar, T>)
          return {held};
        else
          return {held.begin(), held.end()};
      },
      value);
}

bool isList(const AttributeValue &value) { return value.index() >= 3; }

std::string describe(const AttributeValue &value) {
  return std::visit(
      []<typename T>(const T &held) {
        if constexpr (std::is_same_v<T, std::string>)
          return fmt::format("'{}'", held);
        else if constexpr (std::is_constructible_v<Scalar, T>)
          return fmt::format("{}", held);
        else
          return describeList(held, "[]");
      },
      value);
}

std::string describe(const onnx::AttributeProto &attribute) {
  switch (attribute.type()) {
  case onnx::AttributeProto::INT:
    return std::to_string(attribute.i());
  case onnx::AttributeProto::FLOAT:
    return fmt::format("{}", attribute.f());
  case onnx::AttributeProto::STRING:
    return attribute.s();
  case onnx::AttributeProto::INTS:
    return describeList(attribute.ints(), "[]");
  case onnx::AttributeProto::FLOATS:
    return describeList(attribute.floats(), "[]");
  default:
    return describeList(attribute.strings(), "[]");
  }
}

std::optional<int64_t> toInteger(const Scalar &value) {
  if (const auto *integer = std::get_if<int64_t>(&value))
    return *integer;
  const auto *real = std::get_if<double>(&value);
  if (!real || !(*real >= -0x1p63 && *real < 0x1p63) ||
      std::trunc(*real) != *real)
    return std::nullopt;
  return int64_t(*real);
}

std::optional<float> toFloat(const Scalar &value) {
  if (std::holds_alternative<std::string>(value))
    return std::nullopt;
  const auto *integer = std::get_if<int64_t>(&value);
  double real = integer ? double(*integer) : std::get<double>(value);
  auto narrow = float(real);
  if (std::isfinite(real) && !std::isfinite(narrow))
    return std::nullopt;
  return narrow;
}

std::optional<std::string> toText(const Scalar &value) {
  const auto *text = std::get_if<std::string>(&value);
  return text ? std::optional(*text) : std::nullopt;
}

/// A kind of attribute that can be set: how messages call it, and how one
/// element of it is added. A single value is a list of one element.
struct AttributeKind {
  const char *name;
  bool isList;
  /// False if the element is of another kind.
  bool (*add)(onnx::AttributeProto &attribute, const Scalar &element);
};

template <auto convert, auto set>
bool addElement(onnx::AttributeProto &attribute, const Scalar &element) {
  auto value = convert(element);
  if (value)
    set(attribute, *value);
  return value.has_value();
}

const std::map<AttributeType, AttributeKind> attributeKinds = {
    {onnx::AttributeProto::INT,
     {"an integer", false,
      addElement<toInteger, [](auto &to, auto value) { to.set_i(value); }>}},
    {onnx::AttributeProto::FLOAT,
     {"a 32-bit float", false,
      addElement<toFloat, [](auto &to, auto value) { to.set_f(value); }>}},
    {onnx::AttributeProto::STRING,
     {"a string", false,
      addElement<toText, [](auto &to, auto value) { to.set_s(value); }>}},
    {onnx::AttributeProto::INTS,
     {"a list of integers", true,
      addElement<toInteger, [](auto &to, auto value) { to.add_ints(value); }>}},
    {onnx::AttributeProto::FLOATS,
     {"a list of 32-bit floats", true,
      addElement<toFloat, [](auto &to, auto value) { to.add_floats(value); }>}},
    {onnx::AttributeProto::STRINGS,
     {"a list of strings", true,
      addElement<toText, [](auto &to, auto value) { to.add_strings(value); }>}},
};

/// The attribute with this name and value.
onnx::AttributeProto makeAttribute(const std::string &name, AttributeType type,
                                   const AttributeValue &value) {
  auto kind = attributeKinds.find(type);
  if (kind == attributeKinds.end())
    throw Error(fmt::format(
        "attribute '{}' is of type {}, which op_processors can't set{}", name,
        onnx::AttributeProto::AttributeType_Name(type),
        type == onnx::AttributeProto::TENSOR ? "; use const_processors" : ""));
  onnx::AttributeProto attribute;
  attribute.set_name(name);
  attribute.set_type(type);
  bool fits = kind->second.isList == isList(value);
  if (fits)
    for (const Scalar &element : elementsOf(value))
      fits &= kind->second.add(attribute, element);
  if (!fits)
    throw Error(fmt::format("attribute '{}' takes {}, not {}", name,
                            kind->second.name, describe(value)));
  return attribute;
}

/// The type of an attribute that the node does not carry, or carries without
/// its type.
AttributeType declaredType(const onnx::NodeProto &node, const std::string &name,
                           int64_t opset) {
  std::optional<std::map<std::string, AttributeType>> declared;
  if (isStandard(node))
    declared = attributesOf(node.op_type(), opset);
  if (declared && declared->contains(name))
    return declared->at(name);
  std::vector<std::string> names;
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.name() != name)
      names.push_back(attribute.name());
  if (!declared)
    throw Error(fmt::format("the operator {} is not known, so only attributes "
                            "that the node has can be set, and '{}' is not "
                            "one of them{}",
                            node.op_type(), name, didYouMean(name, names)));
  for (const auto &[known, type] : *declared)
    names.push_back(known);
  throw Error(fmt::format("{} of operator set {} has no attribute '{}'{}",
                          node.op_type(), opset, name,
                          didYouMean(name, names)));
}

onnx::AttributeProto &setAttribute(onnx::NodeProto &node,
                                   const std::string &name,
                                   const AttributeValue &value, int64_t opset) {
  onnx::AttributeProto *target = nullptr;
  for (onnx::AttributeProto &attribute : *node.mutable_attribute())
    if (attribute.name() == name)
      target = &attribute;
  AttributeType type =
      target ? target->type() : onnx::AttributeProto::UNDEFINED;
  if (type == onnx::AttributeProto::UNDEFINED)
    type = declaredType(node, name, opset);
  onnx::AttributeProto attribute = makeAttribute(name, type, value);
  if (!target)
    target = node.add_attribute();
  *target = std::move(attribute);
  return *target;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// An initializer or a node of type Constant.
using ConstantSite = std::variant<onnx::TensorProto *, onnx::NodeProto *>;

/// The type and the shape of a constant.
struct ConstantType {
  int onnxType;
  Shape shape;
};

ConstantType constantTypeOf(const onnx::TensorProto &tensor) {
  return {tensor.data_type(),
          Shape(tensor.dims().begin(), tensor.dims().end())};
}

ConstantType constantTypeOf(const onnx::NodeProto &node) {
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.name() == "value")
      return constantTypeOf(attribute.t());
    if (attribute.name() == "value_int")
      return {onnx::TensorProto::INT64, {}};
    if (attribute.name() == "value_ints")
      return {onnx::TensorProto::INT64, {attribute.ints_size()}};
    if (attribute.name() == "value_float")
      return {onnx::TensorProto::FLOAT, {}};
    if (attribute.name() == "value_floats")
      return {onnx::TensorProto::FLOAT, {attribute.floats_size()}};
  }
  throw Error("only dense tensors of numbers can be replaced");
}

/// Puts `value` in the place of whatever the tensor held.
void store(onnx::TensorProto &tensor, const Tensor &value, int onnxType) {
  std::string name = tensor.name();
  tensor.Clear();
  tensor.set_name(name);
  tensor.set_data_type(onnxType);
  for (int64_t dim : value.shape())
    tensor.add_dims(dim);
  std::span<const std::byte> bytes = bytesOf(value);
  tensor.set_raw_data(bytes.data(), bytes.size());
}

/// A node may hold its value in one of several attributes; a tensor can stand
/// for all of them.
void store(onnx::NodeProto &node, const Tensor &value, int onnxType) {
  node.clear_attribute();
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name("value");
  attribute.set_type(onnx::AttributeProto::TENSOR);
  store(*attribute.mutable_t(), value, onnxType);
}

std::string describe(const Tensor &tensor) {
  return dispatch(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Shown = std::conditional_t<
        sizeof(T) == 1, int,
        std::conditional_t<std::is_arithmetic_v<T>, T, float>>;
    // One more than is shown tells that there are more.
    std::span<const T> values = tensor.values<T>();
    values = values.first(std::min(values.size(), shownElements + 1));
    return describeList(std::vector<Shown>(values.begin(), values.end()), "()");
  });
}

void replaceConstant(const ConstantSite &site,
                     const ConstProcessor &processor) {
  auto [onnxType, shape] =
      std::visit([](const auto *held) { return constantTypeOf(*held); }, site);
  std::optional<DType> dtype = fromOnnxType(onnxType);
  if (!dtype || !isPlausible(shape))
    throw Error(fmt::format("a tensor of {} of shape {} can't be replaced",
                            nameOfOnnxType(onnxType), toString(shape)));
  Tensor value = readConstantData(processor, *dtype, shape);
  std::visit([&](auto *held) { store(*held, value, onnxType); }, site);
  log(LogLevel::Info, "update data of const tensor [{}], {}, {}",
      processor.name, describe(value), configNameOf(*dtype));
}

/// Says in whose name `fn` failed.
template <typename Fn> void inNameOf(const std::string &subject, Fn &&fn) {
  try {
    fn();
  } catch (const Error &error) {
    throw Error(subject + ": " + error.what());
  }
}

} // namespace

void applyOpProcessors(onnx::ModelProto &model, const std::string &fileName,
                       std::span<const OpProcessor> processors) {
  if (processors.empty())
    return;
  Directory<onnx::NodeProto *> nodes;
  forEachGraph(*model.mutable_graph(), [&](onnx::GraphProto &graph) {
    // Numbers of nodes in sub-graphs are only known once they are imported.
    bool isNumbered = &graph == &model.graph();
    for (int i = 0; i < graph.node_size(); ++i)
      if (isNumbered || !graph.node(i).name().empty())
        nodes.add(layerNameOf(graph.node(i), size_t(i)), graph.mutable_node(i));
  });
  for (const OpProcessor &processor : processors) {
    onnx::NodeProto *node = nullptr;
    inNameOf(fileName, [&] { node = nodes.find(processor.opName, "node"); });
    inNameOf(fmt::format("{}: node '{}'", fileName, processor.opName), [&] {
      for (const auto &[name, value] : processor.attrs) {
        const onnx::AttributeProto &attribute =
            setAttribute(*node, name, value, opsetOf(model));
        log(LogLevel::Info, "set op [{}] attr [{}] to {}", processor.opName,
            name, describe(attribute));
      }
    });
  }
}

void applyConstProcessors(onnx::ModelProto &model, const std::string &fileName,
                          std::span<const ConstProcessor> processors) {
  if (processors.empty())
    return;
  Directory<ConstantSite> constants;
  forEachGraph(*model.mutable_graph(), [&](onnx::GraphProto &graph) {
    for (onnx::TensorProto &tensor : *graph.mutable_initializer())
      constants.add(tensor.name(), &tensor);
    for (onnx::NodeProto &node : *graph.mutable_node())
      if (isStandard(node) && node.op_type() == "Constant" &&
          node.output_size() > 0)
        constants.add(node.output(0), &node);
  });
  for (const ConstProcessor &processor : processors) {
    ConstantSite site;
    inNameOf(fileName,
             [&] { site = constants.find(processor.name, "constant"); });
    inNameOf(fmt::format("{}: constant '{}'", fileName, processor.name),
             [&] { replaceConstant(site, processor); });
  }
}

} // namespace parallax::onnx_import
