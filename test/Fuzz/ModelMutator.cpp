//===- ModelMutator.cpp - Mutations that keep a model readable ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Flipped bytes mostly give files that no protobuf parser accepts, and the code
// behind the parser would stay unseen. So a mutation changes the parsed model:
// attributes, shapes, operators, edges. Bytes are mutated only where they can't
// be parsed, and now and then anyway.
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <google/protobuf/stubs/logging.h>
#include <limits>
#include <onnx/onnx_pb.h>
#include <random>
#include <string>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

// clang-format off
/// Numbers at which shape arithmetic tends to go wrong.
constexpr int64_t integers[] = {
    0, 1, -1, 2, -2, 3, 4, 7, 16, 255, 65536, INT32_MAX, INT32_MIN,
    int64_t(1) << 32, int64_t(1) << 40, int64_t(1) << 62, INT64_MAX, INT64_MIN,
};
// clang-format on

constexpr float floats[] = {
    0.0f,   -0.0f,  1.0f,   -1.0f,
    0.5f,   1e-30f, 1e30f,  std::numeric_limits<float>::infinity(),
    -1e30f, 3.5f,   1e-45f, std::numeric_limits<float>::quiet_NaN(),
};

// clang-format off
/// One of each kind that the importer treats in a way of its own.
constexpr const char *operators[] = {
    "Add", "AveragePool", "BatchNormalization", "Cast", "Clip", "Concat",
    "Constant", "ConstantOfShape", "Conv", "ConvTranspose", "CumSum",
    "DepthToSpace", "Einsum", "Expand", "Flatten", "GRU", "Gather", "GatherND",
    "Gemm", "Identity", "If", "LSTM", "LayerNormalization", "Loop", "MatMul",
    "MaxPool", "NonMaxSuppression", "OneHot", "Pad", "QuantizeLinear", "Range",
    "ReduceSum", "Reshape", "Resize", "ScatterND", "Shape", "Slice", "Softmax",
    "Split", "Squeeze", "Tile", "TopK", "Transpose", "Unsqueeze", "Where",
};

/// The same for compiled models, whose operators are those of nn.
constexpr const char *compiledOperators[] = {
    "abs", "add", "arg_max", "average_pool", "cast", "clip", "concat", "div",
    "expand", "gather", "gather_elements", "gemm",
    "matmul", "max", "max_pool", "mod", "mul", "not", "one_hot", "pad", "pow",
    "reduce_max", "reduce_sum", "relu", "reshape", "resize", "scatter_nd",
    "sigmoid", "slice", "softmax", "split", "tile", "top_k", "transpose",
    "where",
};
// clang-format on

size_t elementSize(int type) {
  switch (type) {
  case onnx::TensorProto::BOOL:
  case onnx::TensorProto::INT8:
  case onnx::TensorProto::UINT8:
    return 1;
  case onnx::TensorProto::FLOAT16:
  case onnx::TensorProto::INT16:
  case onnx::TensorProto::UINT16:
    return 2;
  case onnx::TensorProto::DOUBLE:
  case onnx::TensorProto::INT64:
  case onnx::TensorProto::UINT64:
    return 8;
  default:
    return 4;
  }
}

/// A model with all that can be changed in it, sub-graphs included.
class Mutator {
public:
  Mutator(onnx::ModelProto &model, unsigned seed) : model(model), random(seed) {
    collect();
  }

  /// False if the model has nothing of the kind that was to be changed.
  bool mutate();

  bool chance(unsigned oneIn) { return random() % oneIn == 0; }
  size_t below(size_t count) { return random() % count; }

private:
  template <typename Range> auto &pick(Range &range) {
    return *(std::begin(range) + below(std::size(range)));
  }

  int64_t pickInteger(int64_t old) {
    switch (below(4)) {
    case 0:
      return int64_t(uint64_t(old) + 1);
    case 1:
      return int64_t(uint64_t(old) - 1);
    case 2:
      return int64_t(below(12));
    default:
      return pick(integers);
    }
  }

  void collect() {
    nodes.clear(), lists.clear(), attributes.clear(), tensors.clear();
    ports.clear();
    collect(*model.mutable_graph());
    for (onnx::FunctionProto &function : *model.mutable_functions())
      collect(*function.mutable_node());
  }

  void collect(onnx::GraphProto &graph) {
    for (onnx::TensorProto &tensor : *graph.mutable_initializer())
      tensors.push_back(&tensor);
    for (onnx::ValueInfoProto &port : *graph.mutable_input())
      ports.push_back(&port);
    for (onnx::ValueInfoProto &port : *graph.mutable_output())
      ports.push_back(&port);
    for (onnx::ValueInfoProto &port : *graph.mutable_value_info())
      ports.push_back(&port);
    collect(*graph.mutable_node());
  }

  void collect(Nodes &list) {
    lists.push_back(&list);
    for (onnx::NodeProto &node : list) {
      nodes.push_back(&node);
      for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
        attributes.push_back(&attribute);
        if (attribute.has_t())
          tensors.push_back(attribute.mutable_t());
        if (attribute.has_g())
          collect(*attribute.mutable_g());
      }
    }
  }

  /// Changes, adds or removes an entry.
  void changeList(google::protobuf::RepeatedField<int64_t> &list) {
    if (list.empty() || chance(6))
      list.Add(pick(integers));
    else if (chance(6))
      list.RemoveLast();
    else {
      int64_t &entry = pick(list);
      entry = pickInteger(entry);
    }
  }

  bool changeAttribute() {
    if (attributes.empty())
      return false;
    onnx::AttributeProto &attribute = *pick(attributes);
    if (chance(16))
      attribute.set_name(pick(attributes)->name());
    else if (chance(16))
      attribute.set_type(onnx::AttributeProto::AttributeType(below(15)));
    else if (attribute.ints_size() > 0)
      changeList(*attribute.mutable_ints());
    else if (attribute.floats_size() > 0)
      pick(*attribute.mutable_floats()) = pick(floats);
    else if (attribute.has_i())
      attribute.set_i(pickInteger(attribute.i()));
    else if (attribute.has_f())
      attribute.set_f(pick(floats));
    else if (attribute.has_s())
      attribute.set_s(pick(attributes)->s());
    else
      return false;
    return true;
  }

  bool changeDims() {
    if (tensors.empty())
      return false;
    changeList(*pick(tensors)->mutable_dims());
    return true;
  }

  bool changePort() {
    if (ports.empty())
      return false;
    onnx::TensorShapeProto &shape =
        *pick(ports)->mutable_type()->mutable_tensor_type()->mutable_shape();
    if (shape.dim_size() == 0 || chance(6)) {
      shape.add_dim()->set_dim_value(pick(integers));
    } else if (chance(6)) {
      shape.mutable_dim()->RemoveLast();
    } else {
      auto &dim = pick(*shape.mutable_dim());
      dim.set_dim_value(pickInteger(dim.dim_value()));
    }
    return true;
  }

  bool changePortType() {
    if (ports.empty())
      return false;
    pick(ports)->mutable_type()->mutable_tensor_type()->set_elem_type(
        int32_t(below(24)));
    return true;
  }

  bool changeTensorType() {
    if (tensors.empty())
      return false;
    pick(tensors)->set_data_type(int32_t(below(24)));
    return true;
  }

  bool changeOperator() {
    if (nodes.empty())
      return false;
    onnx::NodeProto &node = *pick(nodes);
    if (chance(2) && node.domain().starts_with("parallax.")) {
      node.set_op_type(pick(compiledOperators));
      node.set_domain("parallax.nn");
    } else if (chance(2))
      node.set_op_type(pick(operators));
    else
      node.set_op_type(pick(nodes)->op_type());
    return true;
  }

  /// The name of any tensor; rarely none, which leaves an operand out.
  std::string pickName() {
    if (chance(12))
      return "";
    const onnx::NodeProto &node = *pick(nodes);
    if (!tensors.empty() && chance(4))
      return pick(tensors)->name();
    if (!ports.empty() && chance(4))
      return pick(ports)->name();
    if (node.output_size() > 0 && chance(2))
      return pick(node.output());
    return node.input_size() > 0 ? pick(node.input()) : "new";
  }

  /// Another tensor for one operand or result; or one more, or one less.
  bool changeEdge() {
    if (nodes.empty())
      return false;
    std::string name = pickName();
    onnx::NodeProto &node = *pick(nodes);
    auto &edges = chance(4) ? *node.mutable_output() : *node.mutable_input();
    if (edges.empty() || chance(6))
      *edges.Add() = name;
    else if (chance(6))
      edges.RemoveLast();
    else
      pick(edges) = name;
    return true;
  }

  /// A new name for one end of an edge, which the other end does not know.
  bool renameEdge() {
    if (nodes.empty())
      return false;
    onnx::NodeProto &node = *pick(nodes);
    auto &edges = chance(2) ? *node.mutable_output() : *node.mutable_input();
    if (edges.empty())
      return false;
    pick(edges) += "_";
    return true;
  }

  bool dropNode() {
    Nodes &list = *pick(lists);
    if (list.empty())
      return false;
    list.DeleteSubrange(int(below(size_t(list.size()))), 1);
    return true;
  }

  /// With results of its own, or else it would be refused at once.
  bool duplicateNode() {
    Nodes &list = *pick(lists);
    if (list.empty())
      return false;
    onnx::NodeProto copy = pick(list);
    if (!chance(4))
      for (std::string &output : *copy.mutable_output())
        output += "_copy";
    *list.Add() = std::move(copy);
    return true;
  }

  /// Gives an input a value: many operators take their parameters only from
  /// constants.
  bool bakeInput() {
    if (model.graph().input().empty())
      return false;
    const onnx::ValueInfoProto &input = pick(model.graph().input());
    onnx::TensorProto &tensor = *model.mutable_graph()->add_initializer();
    tensor.set_name(input.name());
    const auto &type = input.type().tensor_type();
    tensor.set_data_type(type.elem_type());
    int64_t count = 1;
    for (const auto &dim : type.shape().dim()) {
      if (dim.dim_value() < 0 || dim.dim_value() > 64)
        return true; // Without data: also worth a try.
      tensor.add_dims(dim.dim_value());
      count *= std::max<int64_t>(dim.dim_value(), 1);
      if (count > 1024)
        return true;
    }
    for (int64_t i = 0; i < count; ++i) {
      int64_t integer = pickInteger(1);
      float number = pick(floats);
      bool isFloat = type.elem_type() == onnx::TensorProto::FLOAT;
      tensor.mutable_raw_data()->append(
          isFloat ? reinterpret_cast<const char *>(&number)
                  : reinterpret_cast<const char *>(&integer),
          elementSize(type.elem_type()));
    }
    return true;
  }

  bool changeOpset() {
    if (model.opset_import().empty())
      return false;
    pick(*model.mutable_opset_import())
        .set_version(chance(8) ? pick(integers) : int64_t(1 + below(23)));
    return true;
  }

  /// Fewer bytes than the shape needs, or other ones.
  bool changeData() {
    if (tensors.empty())
      return false;
    std::string &data = *pick(tensors)->mutable_raw_data();
    if (data.empty() || chance(3)) {
      data.resize(below(data.size() + 9));
      return true;
    }
    int64_t value = pick(integers);
    size_t words = data.size() / sizeof value;
    if (words > 0)
      std::memcpy(data.data() + below(words) * sizeof value, &value,
                  sizeof value);
    else
      pick(data) = char(random());
    return true;
  }

  onnx::ModelProto &model;
  std::minstd_rand random;
  std::vector<onnx::NodeProto *> nodes;
  std::vector<Nodes *> lists;
  std::vector<onnx::AttributeProto *> attributes;
  std::vector<onnx::TensorProto *> tensors;
  std::vector<onnx::ValueInfoProto *> ports;
};

bool Mutator::mutate() {
  static constexpr bool (Mutator::*mutations[])() = {
      &Mutator::changeAttribute, &Mutator::changeAttribute,
      &Mutator::changeDims,      &Mutator::changePort,
      &Mutator::changePortType,  &Mutator::changeOperator,
      &Mutator::changeEdge,      &Mutator::renameEdge,
      &Mutator::dropNode,        &Mutator::duplicateNode,
      &Mutator::bakeInput,       &Mutator::changeOpset,
      &Mutator::changeData,      &Mutator::changeTensorType,
  };
  if (!(this->*pick(mutations))())
    return false;
  collect();
  return true;
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  [[maybe_unused]] static auto *quiet =
      google::protobuf::SetLogHandler(nullptr);
  onnx::ModelProto model;
  if (!model.ParseFromArray(data, int(size)) || !model.has_graph())
    return LLVMFuzzerMutate(data, size, maxSize);
  Mutator mutator(model, seed);
  if (mutator.chance(64))
    return LLVMFuzzerMutate(data, size, maxSize);
  for (size_t left = 1 + mutator.below(4), tries = 0; left > 0 && tries < 32;
       ++tries)
    left -= mutator.mutate();
  if (model.ByteSizeLong() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  model.SerializeToArray(data, int(maxSize));
  return model.ByteSizeLong();
}
