//===- OpProcessorsTest.cpp - Attributes set before an import -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every kind of attribute, and every way to ask for the wrong one.
//===----------------------------------------------------------------------===//
#include "ProcessorsTest.h"

#include <cmath>

namespace parallax::onnx_import {
namespace {

class OpProcessorsTest : public ProcessorsTest {};

TEST_F(OpProcessorsTest, SetsAnAttributeThatIsAbsent) {
  EXPECT_EQ(setAttribute("pool6", "ceil_mode", int64_t(1)),
            "set op [pool6] attr [ceil_mode] to 1\n");
  ASSERT_TRUE(attribute(0, "ceil_mode"));
  EXPECT_EQ(attribute(0, "ceil_mode")->type(), Proto::INT);
  EXPECT_EQ(attribute(0, "ceil_mode")->i(), 1);
  EXPECT_EQ(setAttribute("pool6", "auto_pad", "SAME_UPPER"),
            "set op [pool6] attr [auto_pad] to SAME_UPPER\n");
  EXPECT_EQ(attribute(0, "auto_pad")->s(), "SAME_UPPER");
}

TEST_F(OpProcessorsTest, ReplacesAnAttribute) {
  EXPECT_EQ(setAttribute("pool6", "strides", Ints{1, 3}),
            "set op [pool6] attr [strides] to [1, 3]\n");
  EXPECT_EQ(attribute(0, "strides")->ints_size(), 2);
  EXPECT_EQ(attribute(0, "strides")->ints(1), 3);
  // Its own type counts, whatever the operator declares.
  addAttribute(*model.mutable_graph()->mutable_node(0), "odd", Proto::FLOAT);
  EXPECT_EQ(setAttribute("pool6", "odd", 0.1),
            "set op [pool6] attr [odd] to 0.1\n");
  EXPECT_EQ(attribute(0, "odd")->f(), 0.1f);
}

TEST_F(OpProcessorsTest, AttributesWithoutTypeTakeTheDeclaredOne) {
  onnx::NodeProto &node = *model.mutable_graph()->mutable_node(0);
  addAttribute(node, "ceil_mode", Proto::UNDEFINED).set_i(0);
  setAttribute("pool6", "ceil_mode", int64_t(1));
  EXPECT_EQ(attribute(0, "ceil_mode")->type(), Proto::INT);
  addAttribute(node, "odd", Proto::UNDEFINED).set_i(0);
  expectRefusal([&] { setAttribute("pool6", "odd", int64_t(1)); },
                "node 'pool6': MaxPool of operator set 13 has no attribute "
                "'odd'");
}

TEST_F(OpProcessorsTest, NodesWithoutNameHaveTheirNumber) {
  addNode("LeakyRelu", "", {"p"}, {"l"});
  EXPECT_EQ(setAttribute("op_3:onnx.LeakyRelu", "alpha", 0.5),
            "set op [op_3:onnx.LeakyRelu] attr [alpha] to 0.5\n");
  EXPECT_EQ(attribute(3, "alpha")->f(), 0.5f);
}

TEST_F(OpProcessorsTest, ConvertsBetweenNumbers) {
  onnx::NodeProto &node = addNode("Custom", "c", {}, {"c"});
  for (auto [name, type] : {std::pair{"int", Proto::INT},
                            {"float", Proto::FLOAT},
                            {"ints", Proto::INTS},
                            {"floats", Proto::FLOATS},
                            {"string", Proto::STRING},
                            {"strings", Proto::STRINGS}})
    addAttribute(node, name, type);
  setAttribute("c", "int", 3.0);
  EXPECT_EQ(attribute(3, "int")->i(), 3);
  setAttribute("c", "int", INT64_MIN);
  EXPECT_EQ(attribute(3, "int")->i(), INT64_MIN);
  setAttribute("c", "float", int64_t(2));
  EXPECT_EQ(attribute(3, "float")->f(), 2);
  setAttribute("c", "ints", Reals{1, -2});
  EXPECT_EQ(attribute(3, "ints")->ints(1), -2);
  setAttribute("c", "floats", Ints{1, 2});
  EXPECT_EQ(attribute(3, "floats")->floats(1), 2);
  EXPECT_EQ(setAttribute("c", "floats", Reals{0.5, 1}),
            "set op [c] attr [floats] to [0.5, 1]\n");
  EXPECT_EQ(setAttribute("c", "strings", Texts{"a", "b"}),
            "set op [c] attr [strings] to [a, b]\n");
  // An empty list has no kind.
  for (const char *name : {"ints", "floats", "strings"})
    EXPECT_EQ(setAttribute("c", name, Ints{}),
              std::string("set op [c] attr [") + name + "] to []\n");
  EXPECT_EQ(attribute(3, "strings")->strings_size(), 0);
}

TEST_F(OpProcessorsTest, RefusesValuesOfAnotherKind) {
  onnx::NodeProto &node = addNode("Custom", "c", {}, {"c"});
  for (auto [name, type] : {std::pair{"int", Proto::INT},
                            {"float", Proto::FLOAT},
                            {"ints", Proto::INTS},
                            {"floats", Proto::FLOATS},
                            {"string", Proto::STRING},
                            {"strings", Proto::STRINGS},
                            {"tensor", Proto::TENSOR},
                            {"graph", Proto::GRAPH}})
    addAttribute(node, name, type);
  auto refused = [&](const std::string &name, AttributeValue value,
                     const std::string &message) {
    expectRefusal([&] { setAttribute("c", name, value); },
                  "node 'c': attribute '" + name + "' " + message);
  };
  refused("int", 1.5, "takes an integer, not 1.5");
  refused("int", std::nan(""), "takes an integer, not nan");
  refused("int", 1e300, "takes an integer, not 1e+300");
  refused("int", 0x1p63, "takes an integer, not 9.223372036854776e+18");
  refused("int", "1", "takes an integer, not '1'");
  refused("int", Ints{1}, "takes an integer, not [1]");
  refused("int", Ints{}, "takes an integer, not []");
  refused("float", "1", "takes a 32-bit float, not '1'");
  refused("float", 1e300, "takes a 32-bit float, not 1e+300");
  refused("float", Reals{1.5}, "takes a 32-bit float, not [1.5]");
  refused("string", int64_t(1), "takes a string, not 1");
  refused("string", Texts{"a"}, "takes a string, not [a]");
  refused("ints", int64_t(1), "takes a list of integers, not 1");
  refused("ints", Reals{1, 1.5}, "takes a list of integers, not [1, 1.5]");
  refused("ints", Texts{"a", "b"}, "takes a list of integers, not [a, b]");
  refused("ints", Texts(20, "a"),
          "takes a list of integers, not [a, a, a, a, a, a, a, a, a, a, a, a, "
          "a, a, a, a, ...]");
  refused("floats", Reals{1, 1e300},
          "takes a list of 32-bit floats, not [1, 1e+300]");
  refused("strings", Ints{1}, "takes a list of strings, not [1]");
  refused("tensor", int64_t(1),
          "is of type TENSOR, which op_processors can't set; use "
          "const_processors");
  refused("graph", int64_t(1),
          "is of type GRAPH, which op_processors can't set");
}

TEST_F(OpProcessorsTest, RefusesUnknownNodes) {
  expectRefusal([&] { setAttribute("pool5", "ceil_mode", int64_t(1)); },
                "there is no node 'pool5'; did you mean 'pool6'?");
  expectRefusal([&] { setAttribute("op_2:onnx.Relu", "alpha", 1.0); },
                "there is no node 'op_2:onnx.Relu'; did you mean "
                "'op_1:onnx.Relu'?");
  expectRefusal([&] { setAttribute("", "alpha", 1.0); }, "there is no node ''");
  expectRefusal([&] { setAttribute("zzzzzzzz", "alpha", 1.0); },
                "there is no node 'zzzzzzzz'");
  // Even if there is nothing to set.
  OpProcessor nothing{"zzzzzzzz", {}};
  expectRefusal(
      [&] {
        applyOpProcessors(model, "m.onnx", {&nothing, 1});
      },
      "there is no node 'zzzzzzzz'");
}

TEST_F(OpProcessorsTest, RefusesUnknownAttributes) {
  expectRefusal([&] { setAttribute("pool6", "ceil_mod", int64_t(1)); },
                "node 'pool6': MaxPool of operator set 13 has no attribute "
                "'ceil_mod'; did you mean 'ceil_mode'?");
  expectRefusal([&] { setAttribute("op_1:onnx.Relu", "alpha", 1.0); },
                "node 'op_1:onnx.Relu': Relu of operator set 13 has no "
                "attribute 'alpha'");
  // Attributes come and go with versions.
  setOpset(7);
  expectRefusal([&] { setAttribute("pool6", "ceil_mode", int64_t(1)); },
                "node 'pool6': MaxPool of operator set 7 has no attribute "
                "'ceil_mode'");
}

TEST_F(OpProcessorsTest, RefusesAttributesOfUnknownOperators) {
  onnx::NodeProto &node = addNode("Custom", "c", {}, {"c"});
  addAttribute(node, "gain", Proto::FLOAT);
  std::string message =
      "node 'c': the operator Custom is not known, so only attributes that "
      "the node has can be set, and 'gian' is not one of them; did you mean "
      "'gain'?";
  expectRefusal([&] { setAttribute("c", "gian", 1.0); }, message);
  node.set_domain("vendor");
  expectRefusal([&] { setAttribute("c", "gian", 1.0); }, message);
  setAttribute("c", "gain", 2.0);
  EXPECT_EQ(attribute(3, "gain")->f(), 2);
  // The name of a standard operator in another domain is not a standard
  // operator.
  node.set_op_type("MaxPool");
  EXPECT_THROW(setAttribute("c", "ceil_mode", int64_t(1)), Error);
  node.set_domain("ai.onnx");
  setAttribute("c", "ceil_mode", int64_t(1));
}

TEST_F(OpProcessorsTest, KnowsOperatorSetsAfterThePackagedLibrary) {
  addNode("Resize", "resize", {}, {"a"});
  addNode("ReduceMax", "reduce", {}, {"b"});
  addNode("GroupNormalization", "group", {}, {"d"});
  expectRefusal([&] { setAttribute("resize", "antialias", int64_t(1)); },
                "node 'resize': Resize of operator set 13 has no attribute "
                "'antialias'");
  setAttribute("reduce", "axes", Ints{1});
  EXPECT_THROW(setAttribute("group", "num_groups", int64_t(2)), Error);
  model.mutable_graph()->mutable_node(4)->clear_attribute();
  setOpset(18);
  setAttribute("resize", "antialias", int64_t(1));
  EXPECT_EQ(attribute(3, "antialias")->i(), 1);
  EXPECT_THROW(setAttribute("reduce", "axes", Ints{1}), Error);
  setAttribute("reduce", "noop_with_empty_axes", int64_t(1));
  setAttribute("group", "num_groups", int64_t(2));
  EXPECT_THROW(setAttribute("group", "stash_type", int64_t(1)), Error);
  setOpset(21);
  setAttribute("group", "stash_type", int64_t(1));
  setOpset(INT64_MAX);
  setAttribute("group", "stash_type", int64_t(2));
  setOpset(INT64_MIN);
  EXPECT_THROW(setAttribute("resize", "mode", "nearest"), Error);
}

TEST_F(OpProcessorsTest, RefusesNamesThatAreUsedTwice) {
  addNode("MaxPool", "pool6", {"x"}, {"q"});
  expectRefusal([&] { setAttribute("pool6", "ceil_mode", int64_t(1)); },
                "2 of its nodes are named 'pool6', so none of them can be "
                "changed");
}

} // namespace
} // namespace parallax::onnx_import
