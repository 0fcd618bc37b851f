//===- ProcessorsTest.h - A small model that tests change ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The model, ways to change it, and what a change logs or why it is refused.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_FRONTEND_PROCESSORSTEST_H
#define PARALLAX_TEST_UNIT_FRONTEND_PROCESSORSTEST_H

#include "../../../lib/Frontend/ONNX/Processors.h"
#include "../Support/TempDir.h"
#include "parallax/Support/ConsoleListener.h"

namespace parallax::onnx_import {

using Ints = std::vector<int64_t>;
using Reals = std::vector<double>;
using Texts = std::vector<std::string>;
using Proto = onnx::AttributeProto;

/// x -> pool6 (MaxPool) -> Relu without a name -> reshape -> y. Tests add what
/// else they need; nodes that are only patched lead nowhere.
class ProcessorsTest : public testing::Test {
protected:
  ProcessorsTest() {
    model.set_ir_version(8);
    model.add_opset_import()->set_version(13);
    onnx::GraphProto &graph = *model.mutable_graph();
    addInput("x", {1, 4, 7, 7});
    onnx::NodeProto &pool = addNode("MaxPool", "pool6", {"x"}, {"p"});
    addInts(pool, "kernel_shape", {2, 2});
    addInts(pool, "strides", {2, 2});
    addNode("Relu", "", {"p"}, {"r"});
    addNode("Reshape", "reshape", {"r", "shape"}, {"y"});
    graph.add_output()->set_name("y");
    onnx::TensorProto &shape = *graph.add_initializer();
    shape.set_name("shape");
    shape.set_data_type(onnx::TensorProto::INT64);
    shape.add_dims(2);
    shape.add_int64_data(1);
    shape.add_int64_data(-1);
  }

  onnx::NodeProto &addNode(const std::string &type, const std::string &name,
                           const Texts &inputs, const Texts &outputs) {
    onnx::NodeProto &node = *model.mutable_graph()->add_node();
    node.set_op_type(type);
    node.set_name(name);
    for (const std::string &input : inputs)
      node.add_input(input);
    for (const std::string &output : outputs)
      node.add_output(output);
    return node;
  }

  void addInput(const std::string &name, const Ints &dims) {
    onnx::ValueInfoProto &input = *model.mutable_graph()->add_input();
    input.set_name(name);
    auto &type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    for (int64_t dim : dims)
      type.mutable_shape()->add_dim()->set_dim_value(dim);
  }

  static Proto &addAttribute(onnx::NodeProto &node, const std::string &name,
                             Proto::AttributeType type) {
    Proto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(type);
    return attribute;
  }

  static void addInts(onnx::NodeProto &node, const std::string &name,
                      const Ints &values) {
    Proto &attribute = addAttribute(node, name, Proto::INTS);
    attribute.mutable_ints()->Add(values.begin(), values.end());
  }

  void setOpset(int64_t version) {
    model.mutable_opset_import(0)->set_version(version);
  }

  /// The log of a change.
  std::string setAttribute(const std::string &node, const std::string &name,
                           AttributeValue value) {
    OpProcessor processor{node, {{name, std::move(value)}}};
    ConsoleListener console;
    ListenerScope scope(console);
    testing::internal::CaptureStderr();
    try {
      applyOpProcessors(model, "m.onnx", {&processor, 1});
    } catch (...) {
      EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
      throw;
    }
    return testing::internal::GetCapturedStderr();
  }

  std::string setConstant(const std::string &name, Reals data,
                          const std::string &path = "") {
    ConstProcessor processor{name, std::move(data), path};
    ConsoleListener console;
    ListenerScope scope(console);
    testing::internal::CaptureStderr();
    try {
      applyConstProcessors(model, "m.onnx", {&processor, 1});
    } catch (...) {
      EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
      throw;
    }
    return testing::internal::GetCapturedStderr();
  }

  /// Expects exactly this message, and a model that is as it was.
  template <typename Fn>
  void expectRefusal(Fn &&fn, const std::string &message) {
    std::string before = model.SerializeAsString();
    try {
      fn();
      ADD_FAILURE() << "no error; expected: " << message;
    } catch (const Error &error) {
      EXPECT_EQ(error.what(), "m.onnx: " + message);
    }
    EXPECT_EQ(model.SerializeAsString(), before);
  }

  const Proto *attribute(int node, const std::string &name) {
    const Proto *found = nullptr;
    for (const Proto &attribute : model.graph().node(node).attribute())
      if (attribute.name() == name) {
        EXPECT_EQ(found, nullptr) << "twice";
        found = &attribute;
      }
    return found;
  }

  onnx::ModelProto model;
};

} // namespace parallax::onnx_import

#endif // PARALLAX_TEST_UNIT_FRONTEND_PROCESSORSTEST_H
