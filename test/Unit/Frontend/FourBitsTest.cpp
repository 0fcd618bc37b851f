//===- FourBitsTest.cpp - Stored integers of 4 bits -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// INT4 and UINT4 initializers become integers of 8 bits that remember it.
//===----------------------------------------------------------------------===//
#include "ExportTestSupport.h"
#include "parallax/Support/TensorAttr.h"

namespace parallax::onnx_export {
namespace {

constexpr int uint4 = 21, int4 = 22;

class FourBitsTest : public ExportTest {
protected:
  /// A model that dequantizes five codes.
  static onnx::ModelProto modelOf(int type) {
    onnx::ModelProto model;
    model.set_ir_version(10);
    model.add_opset_import()->set_version(21);
    onnx::GraphProto &graph = *model.mutable_graph();
    graph.set_name("four");
    onnx::TensorProto &codes = *graph.add_initializer();
    codes.set_name("codes");
    codes.set_data_type(type);
    codes.add_dims(5);
    onnx::TensorProto &scale = *graph.add_initializer();
    scale.set_name("scale");
    scale.set_data_type(onnx::TensorProto::FLOAT);
    scale.add_float_data(0.5f);
    onnx::NodeProto &node = *graph.add_node();
    node.set_op_type("DequantizeLinear");
    node.set_name("dequantize");
    node.add_input("codes");
    node.add_input("scale");
    node.add_output("y");
    onnx::ValueInfoProto &output = *graph.add_output();
    output.set_name("y");
    onnx::TypeProto::Tensor &tensor =
        *output.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(onnx::TensorProto::FLOAT);
    tensor.mutable_shape()->add_dim()->set_dim_value(5);
    return model;
  }

  FuncOp importProto(const onnx::ModelProto &model) {
    std::string bytes = model.SerializeAsString();
    modules.push_back(onnx_import::importModel(std::as_bytes(std::span(bytes)),
                                               "four.onnx", &context, options));
    return *modules.back()->getOps<FuncOp>().begin();
  }

  static nn::ConstantOp codesOf(FuncOp function) {
    auto op = *function.getOps<nn::DequantizeLinearOp>().begin();
    return op.getX().getDefiningOp<nn::ConstantOp>();
  }

  template <typename T> static std::vector<T> valuesOf(FuncOp function) {
    Tensor tensor = toTensor(codesOf(function).getValue());
    EXPECT_EQ(tensor.dtype(), dtypeOf<T>());
    return {tensor.values<T>().begin(), tensor.values<T>().end()};
  }
};

TEST_F(FourBitsTest, TheFirstCodeIsInTheLowerHalf) {
  onnx::ModelProto model = modelOf(int4);
  model.mutable_graph()->mutable_initializer(0)->set_raw_data(
      std::string("\x10\x8F\x07", 3));
  FuncOp function = importProto(model);
  EXPECT_EQ(valuesOf<int8_t>(function), (std::vector<int8_t>{0, 1, -1, -8, 7}));
  auto bits = codesOf(function)->getAttrOfType<mlir::IntegerAttr>("nn.bits");
  ASSERT_TRUE(bits);
  EXPECT_EQ(bits.getInt(), 4);
}

TEST_F(FourBitsTest, TypedListsHoldBytes) {
  onnx::ModelProto model = modelOf(uint4);
  for (int byte : {0x10, 0x8F, 0x07})
    model.mutable_graph()->mutable_initializer(0)->add_int32_data(byte);
  EXPECT_EQ(valuesOf<uint8_t>(importProto(model)),
            (std::vector<uint8_t>{0, 1, 15, 8, 7}));
}

TEST_F(FourBitsTest, MissingBytesAreAnError) {
  onnx::ModelProto model = modelOf(int4);
  model.mutable_graph()->mutable_initializer(0)->set_raw_data("ab");
  EXPECT_THROW(importProto(model), Error);
}

TEST_F(FourBitsTest, ActivationsOfFourBitsAreRefused) {
  onnx::ModelProto model = modelOf(int4);
  model.mutable_graph()->mutable_initializer(0)->clear_dims();
  model.mutable_graph()->mutable_initializer(0)->set_raw_data("a");
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.mutable_node(0)->set_op_type("QuantizeLinear");
  graph.mutable_node(0)->set_input(0, "x");
  graph.mutable_node(0)->add_input("codes");
  *graph.add_input() = graph.output(0);
  graph.mutable_input(0)->set_name("x");
  try {
    importProto(model);
    FAIL() << "no error";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what())
                  .find("quantizes to integers of 4 bits, which only stored "
                        "weights may have"),
              std::string::npos)
        << error.what();
  }
}

} // namespace
} // namespace parallax::onnx_export
