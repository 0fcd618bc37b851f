//===- OneLayerAtATime.h - What each layer costs by itself -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The slow way to find out which layers cause the error of outputs: the float
// network runs once for each layer, with that one layer quantized. It shares no
// code with the attribution that it checks.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_PASSES_ONELAYERATATIME_H
#define PARALLAX_TEST_UNIT_PASSES_ONELAYERATATIME_H

#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/Views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <map>
#include <set>

namespace parallax {

class OneLayerAtATime {
public:
  using FuncOp = mlir::func::FuncOp;
  using Samples = std::vector<std::vector<Tensor>>;

  /// `tensors` are those that the quantized network has; what lies between
  /// two of them is one layer.
  OneLayerAtATime(FuncOp network, FuncOp quantized,
                  const std::set<std::string> &tensors, const Samples &samples)
      : network(network), tensors(tensors), samples(samples) {
    for (Operation &op : quantized.front().without_terminator())
      if (!isa<nn::RequantizeOp>(op))
        partners.try_emplace(getTensorName(op.getResult(0)), &op);
    for (Value input : quantized.getArguments())
      for (Operation *reader : input.getUsers())
        if (isa<nn::RequantizeOp>(reader) &&
            isQuantized(reader->getResult(0).getType()))
          inputTypes.try_emplace(
              getTensorName(input),
              mlir::getElementTypeOrSelf(reader->getResult(0).getType()));
    expected = run(network);
  }

  /// Layers that leave codes as they are lose nothing that was not lost before.
  bool isLossless(const std::string &tensor) const {
    Operation *partner = partners.lookup(tensor);
    return partner && (movesCodes(partner) || rescales(tensor, partner));
  }

  /// Of each sample, the mean of 1 - cosine over outputs.
  std::vector<double> lossesOf(const std::string &tensor) {
    FuncOp changed = addView(network, "one_layer");
    Value value = find(changed, tensor);
    if (Operation *op = value.getDefiningOp())
      giveCodes(op);
    roundResult(value);
    std::vector<double> losses = lossesOf(run(changed));
    changed.erase();
    return losses;
  }

private:
  static bool movesCodes(Operation *op) {
    auto element = [](Value value) {
      return mlir::getElementTypeOrSelf(value.getType());
    };
    return nn::sharesScale(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return !isa<mlir::FloatType>(element(operand)) &&
                    (!isQuantized(operand.getType()) ||
                     element(operand) == element(op->getResult(0)));
           });
  }

  /// Whether a product with one number has the codes of its operand, and only
  /// their scale is another one.
  bool rescales(const std::string &tensor, Operation *partner) const {
    Operation *op = find(network, tensor).getDefiningOp();
    if (!isa_and_present<nn::MulOp>(op) || !isa<nn::MulOp>(partner))
      return false;
    std::optional<double> factor;
    std::optional<AffineParams> from, to = paramsOf(partner->getResult(0));
    for (unsigned i = 0; i < 2; ++i) {
      mlir::ElementsAttr constant;
      if (!mlir::matchPattern(op->getOperand(i), mlir::m_Constant(&constant)))
        from = paramsOf(partner->getOperand(i));
      else if (constant.getNumElements() == 1)
        factor = constant.getSplatValue<llvm::APFloat>().convertToDouble();
    }
    constexpr double rounding = 1e-5;
    return factor && from && to && from->zeroPoint == to->zeroPoint &&
           std::abs(to->scale / (from->scale * *factor) - 1) < rounding;
  }

  static std::optional<AffineParams> paramsOf(Value value) {
    Type type = mlir::getElementTypeOrSelf(value.getType());
    if (!isQuantized(type) || isPerAxis(type))
      return std::nullopt;
    return affineParamsOf(type);
  }

  static Value find(FuncOp function, const std::string &tensor) {
    for (Value input : function.getArguments())
      if (getTensorName(input) == tensor)
        return input;
    for (Operation &op : function.front().without_terminator())
      for (Value value : op.getResults())
        if (getTensorName(value) == tensor)
          return value;
    return {};
  }

  /// Constants and what a layer rounds before it reads it, also of the layers
  /// inside of it.
  void giveCodes(Operation *op) {
    Operation *partner = partners.lookup(getTensorName(op->getResult(0)));
    if (!partner || partner->getNumOperands() != op->getNumOperands())
      return;
    OpBuilder builder(op);
    for (unsigned i = 0; i < op->getNumOperands(); ++i) {
      Value operand = op->getOperand(i);
      Operation *maker = operand.getDefiningOp();
      Operation *codes = partner->getOperand(i).getDefiningOp();
      if (isa_and_present<nn::QuantizedConstantOp>(codes) && maker &&
          maker->getNumOperands() == 0)
        op->setOperand(i, builder.clone(*codes)->getResult(0));
      else if (maker && maker->getNumOperands() > 0 &&
               !tensors.contains(getTensorName(operand)))
        giveCodes(maker);
      else if (maker && isa_and_present<nn::RequantizeOp>(codes) &&
               isQuantized(codes->getResult(0).getType()))
        op->setOperand(i, rounded(builder, operand,
                                  mlir::getElementTypeOrSelf(
                                      codes->getResult(0).getType())));
    }
  }

  static Value rounded(OpBuilder &builder, Value value, Type type) {
    auto shaped = cast<RankedTensorType>(value.getType());
    return nn::RequantizeOp::create(builder, builder.getUnknownLoc(),
                                    shaped.clone(type), value);
  }

  void roundResult(Value value) {
    std::string name = getTensorName(value);
    Type type = inputTypes.lookup(name);
    if (Operation *partner = partners.lookup(name))
      for (Value result : partner->getResults())
        if (getTensorName(result) == name && isQuantized(result.getType()))
          type = mlir::getElementTypeOrSelf(result.getType());
    if (!type)
      return;
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    Value codes = rounded(builder, value, type);
    value.replaceAllUsesExcept(codes, codes.getDefiningOp());
  }

  Samples run(FuncOp function) const {
    Executable executable = prepare(function, referenceKernels());
    ExecutionState state(executable);
    Samples results;
    for (const std::vector<Tensor> &sample : samples) {
      std::vector<Tensor> &outputs = results.emplace_back();
      for (const Tensor &output : state.run(sample))
        outputs.push_back(output.clone());
    }
    return results;
  }

  std::vector<double> lossesOf(const Samples &found) const {
    std::vector<double> losses;
    for (size_t i = 0; i < found.size(); ++i) {
      double loss = 0, count = 0;
      for (size_t j = 0; j < found[i].size(); ++j) {
        const Tensor &a = found[i][j], &b = expected[i][j];
        if (a.dtype() != DType::F32)
          continue;
        double dot = 0, squareA = 0, squareB = 0;
        for (int64_t k = 0; k < a.size(); ++k) {
          double x = a.data<float>()[k], y = b.data<float>()[k];
          dot += x * y;
          squareA += x * x;
          squareB += y * y;
        }
        if (squareA > 0 && squareB > 0) {
          loss += 1 - dot / std::sqrt(squareA * squareB);
          ++count;
        }
      }
      losses.push_back(count > 0 ? loss / count : 0);
    }
    return losses;
  }

  FuncOp network;
  std::set<std::string> tensors;
  const Samples &samples;
  Samples expected;
  llvm::StringMap<Operation *> partners;
  llvm::StringMap<Type> inputTypes;
};

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_PASSES_ONELAYERATATIME_H
