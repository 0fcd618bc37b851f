//===- Mac.cpp - Export of multiply-accumulate operators ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A fully connected layer of a matrix is ONNX's Gemm; of any other tensor it is
// a function of ours, so that a layer stays one node.
//===----------------------------------------------------------------------===//
#include "ExportLine.h"

namespace parallax::onnx_export {

/// What the weights say already, but readers of a file like to see.
static Parameter kernelOfWeights() {
  return [](Layer &layer) {
    layer.setInts("kernel_shape",
                  layer.operandType(1).getShape().drop_front(2));
  };
}

static bool isGemm(nn::FullyConnectedOp op) {
  return cast<RankedTensorType>(op.getX().getType()).getRank() == 2;
}

static Operator chooseFullyConnected(nn::FullyConnectedOp op) {
  if (isGemm(op))
    return {"Gemm"};
  return {op.getBias() ? "FullyConnected" : "FullyConnectedNoBias", true};
}

static void setGemm(Layer &layer, float alpha, float beta, bool transA,
                    bool transB) {
  layer.setFloat("alpha", alpha);
  layer.setFloat("beta", beta);
  layer.setInt("transA", transA);
  layer.setInt("transB", transB);
}

static void writeFullyConnected(Layer &layer, nn::FullyConnectedOp op) {
  layer.addOperands(op->getOperands());
  if (isGemm(op))
    setGemm(layer, 1, 1, false, true);
}

static void writeGemm(Layer &layer, nn::GemmOp op) {
  layer.addOperands(op->getOperands());
  setGemm(layer, op.getAlpha().convertToFloat(), op.getBeta().convertToFloat(),
          op.getTransA(), op.getTransB());
}

void addMacExports(ExportTable &table) {
  table.direct<nn::ConvOp>("Conv",
                           {copy("dilations"), copy("group"), kernelOfWeights(),
                            copy("pads"), copy("strides")});
  table.direct<nn::ConvTransposeOp>(
      "ConvTranspose", {copy("dilations"), copy("group"), kernelOfWeights(),
                        copy("output_padding"), copy("pads"), copy("strides")});
  table.direct<nn::EinsumOp>("Einsum", {copy("equation")});
  table.onOp<nn::FullyConnectedOp>(chooseFullyConnected, writeFullyConnected);
  table.onOp<nn::GemmOp>("Gemm", writeGemm);
  table.direct<nn::MatMulOp>("MatMul");
}

} // namespace parallax::onnx_export
