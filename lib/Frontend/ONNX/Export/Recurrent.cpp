//===- Recurrent.cpp - Export of recurrent layers -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// In nn every operand is given. Here those that only repeat a default of ONNX
// are left out again, and so are unused results.
//===----------------------------------------------------------------------===//
#include "ExportLine.h"
#include "parallax/Support/TensorAttr.h"

#include "llvm/ADT/STLExtras.h"

namespace parallax::onnx_export {

/// True for a constant whose elements all are `value`.
static bool isAll(Value operand, double value) {
  auto constant = operand.getDefiningOp<nn::ConstantOp>();
  if (!constant)
    return false;
  Tensor tensor = toTensor(constant.getValue());
  return dispatch(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return llvm::all_of(tensor.values<T>(), [&](const T &element) {
      return double(element) == value;
    });
  });
}

template <typename OpTy>
static void addOperands(Layer &layer, OpTy op,
                        std::initializer_list<Value> more = {}) {
  auto addUnless = [&](Value operand, double byDefault) {
    layer.addOperand(isAll(operand, byDefault) ? Value() : operand);
  };
  int64_t steps = layer.operandType(0).getDimSize(op.getLayout() == 0 ? 0 : 1);
  layer.addOperands({op.getX(), op.getW(), op.getR()});
  addUnless(op.getB(), 0);
  addUnless(op.getSequenceLens(), double(steps));
  addUnless(op.getInitialH(), 0);
  for (Value operand : more)
    addUnless(operand, 0);
}

static void setAttributes(Layer &layer) {
  writeParameters(layer, {copy("hidden_size"), copy("direction"),
                          copy("layout"), copy("activations"), copy("clip")});
  for (StringRef name : {"activation_alpha", "activation_beta"})
    if (auto list = layer.op->getAttrOfType<mlir::DenseF32ArrayAttr>(name);
        !list.empty())
      layer.setFloats(name, list);
}

static void writeRNN(Layer &layer, nn::RNNOp op) {
  addOperands(layer, op);
  setAttributes(layer);
}

static void writeGRU(Layer &layer, nn::GRUOp op) {
  addOperands(layer, op);
  setAttributes(layer);
  layer.setInt("linear_before_reset", op.getLinearBeforeReset());
}

static void writeLSTM(Layer &layer, nn::LSTMOp op) {
  addOperands(layer, op, {op.getInitialC(), op.getP()});
  setAttributes(layer);
  layer.setInt("input_forget", op.getInputForget());
}

void addRecurrentExports(ExportTable &table) {
  table.onOp<nn::GRUOp>("GRU", writeGRU).requiredResults = 0;
  table.onOp<nn::LSTMOp>("LSTM", writeLSTM).requiredResults = 0;
  table.onOp<nn::RNNOp>("RNN", writeRNN).requiredResults = 0;
}

} // namespace parallax::onnx_export
