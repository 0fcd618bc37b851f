//===- ConstProcessorsTest.cpp - Constants replaced before an import ------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Where a constant may stand in a model, and what is not one.
//===----------------------------------------------------------------------===//
#include "ProcessorsTest.h"

namespace parallax::onnx_import {
namespace {

class ConstProcessorsTest : public ProcessorsTest {};

TEST_F(ConstProcessorsTest, ReplacesAnInitializer) {
  EXPECT_EQ(setConstant("shape", {-1, 96, 48}),
            "update data of const tensor [shape], (-1, 96, 48), S64\n");
  const onnx::TensorProto &tensor = model.graph().initializer(0);
  EXPECT_EQ(tensor.name(), "shape");
  EXPECT_EQ(tensor.data_type(), onnx::TensorProto::INT64);
  EXPECT_EQ(Ints(tensor.dims().begin(), tensor.dims().end()), Ints{3});
  EXPECT_EQ(tensor.int64_data_size(), 0);
  int64_t expected[] = {-1, 96, 48};
  EXPECT_EQ(tensor.raw_data(),
            std::string(reinterpret_cast<const char *>(expected), 24));
}

TEST_F(ConstProcessorsTest, ReplacesExternalData) {
  onnx::TensorProto &tensor = *model.mutable_graph()->mutable_initializer(0);
  tensor.clear_int64_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  tensor.add_external_data()->set_key("location");
  setConstant("shape", {1, 2});
  EXPECT_NE(tensor.data_location(), onnx::TensorProto::EXTERNAL);
  EXPECT_EQ(tensor.external_data_size(), 0);
  EXPECT_EQ(tensor.raw_data().size(), 16u);
}

TEST_F(ConstProcessorsTest, LogsEachType) {
  auto logged = [&](onnx::TensorProto::DataType type, Reals data) {
    onnx::TensorProto &tensor = *model.mutable_graph()->mutable_initializer(0);
    tensor.set_data_type(type);
    std::string line = setConstant("shape", std::move(data));
    return line.substr(line.find("], ") + 3);
  };
  using Type = onnx::TensorProto;
  EXPECT_EQ(logged(Type::FLOAT, {0.1, 1}), "(0.1, 1), FP32\n");
  EXPECT_EQ(logged(Type::DOUBLE, {0.1}), "(0.1), FP64\n");
  EXPECT_EQ(logged(Type::FLOAT16, {0.5}), "(0.5), FP16\n");
  EXPECT_EQ(logged(Type::BFLOAT16, {0.5}), "(0.5), BF16\n");
  EXPECT_EQ(logged(Type::UINT8, {65, 255}), "(65, 255), U8\n");
  EXPECT_EQ(logged(Type::INT8, {-65}), "(-65), S8\n");
  EXPECT_EQ(logged(Type::BOOL, {0, 1}), "(0, 1), BOOL\n");
  EXPECT_EQ(logged(Type::UINT64, {0x1p63}), "(9223372036854775808), U64\n");
  EXPECT_EQ(logged(Type::INT64, Reals(16)),
            "(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), S64\n");
  EXPECT_EQ(logged(Type::INT64, Reals(17)),
            "(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ...), S64\n");
  EXPECT_EQ(logged(Type::INT64, Reals(1'000'000)).size(),
            logged(Type::INT64, Reals(17)).size());
}

TEST_F(ConstProcessorsTest, ReplacesTheValueOfAConstantNode) {
  auto addConstant = [&](const std::string &name) -> onnx::NodeProto & {
    return addNode("Constant", "", {}, {name});
  };
  onnx::TensorProto &tensor =
      *addAttribute(addConstant("tensor"), "value", Proto::TENSOR).mutable_t();
  tensor.set_data_type(onnx::TensorProto::UINT8);
  tensor.add_dims(1);
  tensor.add_dims(2);
  addAttribute(addConstant("int"), "value_int", Proto::INT);
  addInts(addConstant("ints"), "value_ints", {1, 2});
  addAttribute(addConstant("float"), "value_float", Proto::FLOAT);
  addAttribute(addConstant("floats"), "value_floats", Proto::FLOATS)
      .add_floats(1);

  auto expectValue = [&](int node, int type, const Ints &dims) {
    ASSERT_EQ(model.graph().node(node).attribute_size(), 1);
    const Proto &value = model.graph().node(node).attribute(0);
    EXPECT_EQ(value.name(), "value");
    EXPECT_EQ(value.type(), Proto::TENSOR);
    EXPECT_EQ(value.t().data_type(), type);
    EXPECT_EQ(Ints(value.t().dims().begin(), value.t().dims().end()), dims);
  };
  EXPECT_EQ(setConstant("tensor", {3, 4}),
            "update data of const tensor [tensor], (3, 4), U8\n");
  expectValue(3, onnx::TensorProto::UINT8, {1, 2});
  EXPECT_EQ(setConstant("int", {3}),
            "update data of const tensor [int], (3), S64\n");
  expectValue(4, onnx::TensorProto::INT64, {});
  setConstant("ints", {3, 4, 5});
  expectValue(5, onnx::TensorProto::INT64, {3});
  setConstant("float", {0.5});
  expectValue(6, onnx::TensorProto::FLOAT, {});
  setConstant("floats", {0.5, 1, 2});
  expectValue(7, onnx::TensorProto::FLOAT, {3});
  expectRefusal(
      [&] {
        setConstant("int", {3, 4});
      },
      "constant 'int': 2 values can't replace the 1 of a constant "
      "of shape scalar");

  addAttribute(addConstant("text"), "value_string", Proto::STRING);
  addConstant("nothing");
  for (const std::string name : {"text", "nothing"})
    expectRefusal([&] { setConstant(name, {1}); },
                  "constant '" + name +
                      "': only dense tensors of numbers can be replaced");
}

TEST_F(ConstProcessorsTest, RefusesUnknownConstants) {
  expectRefusal([&] { setConstant("shap", {1}); },
                "there is no constant 'shap'; did you mean 'shape'?");
  // Tensors that are computed, and inputs, are not constants.
  expectRefusal([&] { setConstant("p", {1}); }, "there is no constant 'p'");
  expectRefusal([&] { setConstant("x", {1}); }, "there is no constant 'x'");
  model.mutable_graph()->add_initializer()->set_name("shape");
  expectRefusal([&] { setConstant("shape", {1}); },
                "2 of its constants are named 'shape', so none of them can be "
                "changed");
}

TEST_F(ConstProcessorsTest, RefusesBadDataInTheNameOfTheConstant) {
  expectRefusal([&] { setConstant("shape", {}); },
                "constant 'shape': give either data, with at least one "
                "number, or data_path");
  expectRefusal([&] { setConstant("shape", {1}, "a.npy"); },
                "constant 'shape': give either data, with at least one "
                "number, or data_path");
  expectRefusal(
      [&] {
        setConstant("shape", {1, 1.5});
      },
      "constant 'shape': element 1 is 1.5, which S64 can't hold");
  expectRefusal([&] { setConstant("shape", {}, "a.csv"); },
                "constant 'shape': 'a.csv' must be a .npy, .bin or .txt file");
}

TEST_F(ConstProcessorsTest, RefusesConstantsOfOtherTypes) {
  onnx::TensorProto &tensor = *model.mutable_graph()->mutable_initializer(0);
  tensor.set_data_type(onnx::TensorProto::STRING);
  expectRefusal([&] { setConstant("shape", {1}); },
                "constant 'shape': a tensor of STRING of shape 2 can't be "
                "replaced");
  tensor.set_data_type(1000);
  expectRefusal([&] { setConstant("shape", {1}); },
                "constant 'shape': a tensor of the unknown type 1000 of shape "
                "2 can't be replaced");
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.set_dims(0, -1);
  expectRefusal([&] { setConstant("shape", {1}); },
                "constant 'shape': a tensor of FLOAT of shape -1 can't be "
                "replaced");
  tensor.set_dims(0, INT64_MAX);
  EXPECT_THROW(setConstant("shape", {1}), Error);
}

TEST_F(ConstProcessorsTest, ReachesIntoSubGraphs) {
  onnx::NodeProto &node = addNode("If", "if", {"c"}, {"z"});
  Proto &branch = addAttribute(node, "then_branch", Proto::GRAPH);
  onnx::NodeProto &inner = *branch.mutable_g()->add_node();
  inner.set_op_type("LeakyRelu");
  inner.set_name("inner");
  onnx::TensorProto &tensor = *branch.mutable_g()->add_initializer();
  tensor.set_name("inner_constant");
  tensor.set_data_type(onnx::TensorProto::INT32);
  setAttribute("inner", "alpha", 0.25);
  EXPECT_EQ(inner.attribute(0).f(), 0.25f);
  setConstant("inner_constant", {5});
  EXPECT_EQ(tensor.raw_data().size(), 4u);
  // Without a name it has no number that a file gives.
  inner.clear_name();
  EXPECT_THROW(setAttribute("op_0:onnx.LeakyRelu", "alpha", 0.25), Error);
}

} // namespace
} // namespace parallax::onnx_import
