//===- Movement.cpp - What moved elements are worth -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Where an element came from is learned by moving numbers of elements through
// the operator itself, so that one adjoint serves all that only move. The few
// that networks are full of go back by their own kernels.
//===----------------------------------------------------------------------===//
#include "Adjoint.h"

#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/Reference/Reference.h"

#include <numeric>

using namespace mlir;

namespace parallax::analyze {
namespace {

/// Numbers are floats, which count exactly up to here.
constexpr int64_t maxNumber = int64_t(1) << 24;

/// For each operand and each result, the elements that the result takes from
/// the operand.
using Moved = std::vector<std::vector<std::vector<int32_t>>>;

std::shared_ptr<Moved> sourcesOf(Layer &layer) {
  Operation *op = layer.op;
  std::vector<Tensor> numbers;
  std::vector<int64_t> first;
  // 0 stands for what comes from no operand.
  int64_t next = 1;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    first.push_back(next);
    if (layer.isConstant(i) && !isReal(op->getOperand(i))) {
      numbers.push_back(LayerValues::tensorOf(op->getOperand(i)));
      continue;
    }
    if (!isReal(op->getOperand(i)))
      return nullptr;
    Tensor &tensor = numbers.emplace_back(DType::F32, layer.shapeOf(i));
    if (layer.wants(i)) {
      std::iota(tensor.data<float>(), tensor.data<float>() + tensor.size(),
                float(next));
      next += tensor.size();
    }
  }
  if (next > maxNumber)
    return nullptr;
  Operation *probe = op->clone();
  for (const char *filling : {"value", "extrapolation_value"})
    if (auto value = probe->getAttrOfType<FloatAttr>(filling))
      probe->setAttr(filling, FloatAttr::get(value.getType(), 0.0));
  std::vector<Tensor> moved = evaluate(probe, numbers, referenceKernels());
  probe->erase();

  auto sources = std::make_shared<Moved>(op->getNumOperands());
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    for (const Tensor &result : moved) {
      std::vector<int32_t> &list = (*sources)[i].emplace_back();
      if (!layer.wants(i))
        continue;
      int64_t count = elementCount(layer.shapeOf(i));
      for (float number : result.values<float>()) {
        int64_t place = int64_t(number) - first[i];
        list.push_back(place >= 0 && place < count ? int32_t(place) : -1);
      }
    }
  return sources;
}

bool movementBack(Layer &layer) {
  std::shared_ptr<Moved> sources = layer.once([&] { return sourcesOf(layer); });
  if (!sources)
    return false;
  for (unsigned i = 0; i < layer.op->getNumOperands(); ++i) {
    if (!layer.wants(i))
      continue;
    SmallVector<Value> gradients;
    SmallVector<unsigned> results;
    for (unsigned j = 0; j < layer.op->getNumResults(); ++j)
      if (Value gradient = layer.gradient(j)) {
        gradients.push_back(gradient);
        results.push_back(j);
      }
    auto run = [sources, i, results](const KernelArgs &args) {
      std::ranges::fill(out(args), 0.0f);
      for (auto [j, result] : llvm::enumerate(results))
        moveBack(in(args, j), (*sources)[i][result], out(args));
    };
    layer.give(i, layer.compute(layer.back, run, gradients, layer.shapeOf(i)));
  }
  return true;
}

bool reshapeBack(Layer &layer, nn::ReshapeOp) {
  layer.give(0, layer.reshaped(layer.back, layer.gradient(), layer.shapeOf(0)));
  return true;
}

bool transposeBack(Layer &layer, nn::TransposeOp op) {
  SmallVector<int64_t> inverse(op.getPerm().size());
  for (auto [i, axis] : llvm::enumerate(op.getPerm()))
    inverse[size_t(axis)] = int64_t(i);
  layer.give(0, layer.makeBack<nn::TransposeOp>(layer.shapeOf(0),
                                                layer.gradient(), inverse));
  return true;
}

bool concatBack(Layer &layer, nn::ConcatOp op) {
  Shape whole = layer.resultShape();
  size_t axis = axisOf(int64_t(op.getAxis()), whole.size());
  Shape starts(whole.size(), 0), steps(whole.size(), 1);
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    Shape shape = layer.shapeOf(i);
    if (layer.wants(i) && elementCount(shape) > 0)
      layer.give(i, layer.makeBack<nn::SliceOp>(shape, layer.gradient(), starts,
                                                shape, steps));
    starts[axis] += shape[axis];
  }
  return true;
}

bool splitBack(Layer &layer, nn::SplitOp op) {
  SmallVector<Value> parts;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    Value gradient = layer.gradient(i);
    parts.push_back(gradient ? gradient
                             : layer.values.constant(
                                   Tensor(DType::F32, layer.resultShape(i))));
  }
  layer.give(0, layer.makeBack<nn::ConcatOp>(layer.shapeOf(0),
                                             ValueRange(parts), op.getAxis()));
  return true;
}

bool sliceBack(Layer &layer, nn::SliceOp op) {
  if (llvm::any_of(op.getSteps(), [](int64_t step) { return step != 1; }))
    return movementBack(layer);
  Shape whole = layer.shapeOf(0), pads = op.getStarts().vec();
  for (size_t i = 0; i < whole.size(); ++i)
    pads.push_back(whole[i] - op.getStarts()[i] - op.getSizes()[i]);
  layer.give(0, layer.makeBack<nn::PadOp>(whole, layer.gradient(), pads,
                                          "constant", llvm::APFloat(0.0)));
  return true;
}

bool scatterBack(Layer &layer) {
  auto reduction = layer.op->getAttrOfType<StringAttr>("reduction");
  return reduction.getValue() == "none" && movementBack(layer);
}

template <typename... OpTy> void addMovements(AdjointTable &table) {
  (table.add(OpTy::getOperationName(), movementBack), ...);
}

} // namespace

void addMovementAdjoints(AdjointTable &table) {
  addMovements<nn::ExpandOp, nn::TileOp, nn::DepthToSpaceOp, nn::SpaceToDepthOp,
               nn::ChannelShuffleOp, nn::TriluOp, nn::PadOp, nn::GatherOp,
               nn::GatherElementsOp, nn::GatherNDOp, nn::ReverseSequenceOp>(
      table);
  table.add<nn::ReshapeOp>(reshapeBack);
  table.add<nn::TransposeOp>(transposeBack);
  table.add<nn::ConcatOp>(concatBack);
  table.add<nn::SplitOp>(splitBack);
  table.add<nn::SliceOp>(sliceBack);
  table.add(nn::ScatterElementsOp::getOperationName(), scatterBack);
  table.add(nn::ScatterNDOp::getOperationName(), scatterBack);
}

} // namespace parallax::analyze
