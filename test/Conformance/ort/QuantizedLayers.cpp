//===- QuantizedLayers.cpp - Layer by layer against a peer ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Errors add up along a network, so whole networks say little about one layer.
// Here each layer of a quantized network gets the inputs that the same layer
// had in the peer, and its codes are compared with the peer's.
//
//   quantized-layers MODEL            prints the tensors that are needed
//   quantized-layers MODEL DIR        reads them from DIR/<number>.npy, counted
//                                     in that order, and compares
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Frontend/ONNX/Import.h"
#include "parallax/Passes/Quantize/Qdq.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/NumPy.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

#include <cmath>
#include <fmt/format.h>

using namespace parallax;

namespace {

/// What the peer calls the values of a tensor. Those of an output have its
/// name.
std::string peerName(Value value) {
  std::string name = getTensorName(value);
  if (!isQuantized(value.getType()))
    return name;
  for (Operation *user : value.getUsers())
    if (isa<nn::RequantizeOp>(user) && !isQuantized(user->getResultTypes()[0]))
      for (mlir::OpOperand &use : user->getUses())
        if (auto output = dyn_cast<mlir::func::ReturnOp>(use.getOwner()))
          return output->getParentOfType<mlir::func::FuncOp>()
              .getResultAttrOfType<mlir::StringAttr>(use.getOperandNumber(),
                                                     "nn.name")
              .str();
  return name + "_DequantizeLinear";
}

bool isConstant(Operation *op) { return op->getNumOperands() == 0; }

/// Every tensor that is not a constant, with its number.
llvm::MapVector<Value, size_t> tensorsOf(mlir::func::FuncOp function) {
  llvm::MapVector<Value, size_t> tensors;
  for (Value argument : function.getArguments())
    tensors.insert({argument, tensors.size()});
  for (Operation &op : function.front().without_terminator())
    if (!isConstant(&op))
      for (Value result : op.getResults()) {
        // What changes codes to float is not in the file, nor is a result that
        // the model leaves out.
        auto requantize = dyn_cast<nn::RequantizeOp>(op);
        if (!getTensorName(result).empty() &&
            (!requantize || isQuantized(result.getType())))
          tensors.insert({result, tensors.size()});
      }
  return tensors;
}

struct Totals {
  int64_t layers = 0, elements = 0, differing = 0, farther = 0;
  double worstLayer = 0;
  std::string worst;
};

/// Counts elements whose codes differ by more than one step.
void compare(Operation *op, const Tensor &ours, const Tensor &theirs,
             Totals &totals) {
  Type type = op->getResult(0).getType();
  float scale = affineParamsOf(type).scale;
  int64_t differing = 0, farther = 0;
  for (int64_t i = 0; i < ours.size(); ++i) {
    double steps = std::abs(std::nearbyint(
        (double(ours.data<float>()[i]) - double(theirs.data<float>()[i])) /
        double(scale)));
    differing += steps != 0;
    farther += !(steps <= 1);
  }
  ++totals.layers;
  totals.elements += ours.size();
  totals.differing += differing;
  totals.farther += farther;
  double part = double(farther) / double(std::max<int64_t>(ours.size(), 1));
  if (part > totals.worstLayer) {
    totals.worstLayer = part;
    totals.worst = fmt::format("{} '{}': {} of {} codes are off by more than 1",
                               op->getName().getStringRef().str(),
                               getLayerName(op).node, farther, ours.size());
  }
}

int check(mlir::func::FuncOp function, const std::string &folder) {
  llvm::MapVector<Value, size_t> tensors = tensorsOf(function);
  auto load = [&](Value value) -> Tensor {
    if (Operation *op = value.getDefiningOp()) {
      if (auto constant = dyn_cast<nn::ConstantOp>(op))
        return toTensor(constant.getValue());
      if (isConstant(op))
        return evaluate(op, {}, referenceKernels()).front();
      if (isa<nn::RequantizeOp>(op) && !tensors.count(value))
        value = op->getOperand(0);
    }
    Tensor tensor =
        readNpy(fmt::format("{}/{}.npy", folder, tensors.lookup(value)));
    auto type = cast<RankedTensorType>(value.getType());
    if (tensor.size() != type.getNumElements())
      throw Error(fmt::format("the peer's '{}' has {} elements, not {}",
                              peerName(value), tensor.size(),
                              type.getNumElements()));
    return tensor.reshaped(type.getShape().vec());
  };
  Totals totals;
  for (Operation &op : function.front().without_terminator()) {
    if (isConstant(&op) || !isQuantized(op.getResult(0).getType()))
      continue;
    std::vector<Tensor> operands;
    for (Value operand : op.getOperands())
      operands.push_back(load(operand));
    Tensor ours = evaluate(&op, operands, referenceKernels()).front();
    compare(&op, ours, load(op.getResult(0)), totals);
  }
  fmt::print("layers {} elements {} differing {} farther {} worst {} {}\n",
             totals.layers, totals.elements, totals.differing, totals.farther,
             totals.worstLayer, totals.worst);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    MLIRContext context;
    onnx_import::ImportOptions options;
    options.evaluate = [](Operation *op, std::span<const Tensor> operands) {
      return evaluate(op, operands, referenceKernels());
    };
    OwningOpRef<ModuleOp> module =
        onnx_import::importModel(argv[1], &context, options);
    mlir::func::FuncOp quantized = orThrow(&context, [&] {
      return addQuantizedViewOfQdq(
          *module->getOps<mlir::func::FuncOp>().begin());
    });
    if (argc > 2)
      return check(quantized, argv[2]);
    for (auto [value, number] : tensorsOf(quantized))
      fmt::print("{}\n", peerName(value));
    return 0;
  } catch (const Error &error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
