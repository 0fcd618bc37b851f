//===- Annotate.cpp - Ranges become types ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// See the header.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace parallax {
namespace {

class Annotator {
public:
  explicit Annotator(const Calibration &calibration) {
    for (const TensorRange &range : calibration.tensors)
      ranges[range.tensor] = range.u8;
  }

  void annotate(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.getElementType().isF32())
      return;
    std::string name = getTensorName(value);
    auto it = ranges.find(name);
    if (it == ranges.end()) {
      missing.push_back(std::move(name));
      return;
    }
    // A tensor that is zero on all samples still needs a range.
    auto [low, high] = it->second;
    Type element = quant::CalibratedQuantizedType::get(
        type.getElementType(), low, high > low ? high : low + 1);
    value.setType(type.clone(element));
  }

  void finish() const { requireRanges(missing); }

private:
  llvm::StringMap<Interval> ranges;
  std::vector<std::string> missing;
};

} // namespace

bool isLoneClamp(Operation *op) {
  return isa<nn::ReluOp, nn::ClipOp>(op) && op->getOperand(0).getDefiningOp() &&
         op->getOperand(0).hasOneUse();
}

void addClampedRanges(func::FuncOp network, Calibration &calibration) {
  llvm::StringMap<const TensorRange *> known;
  for (const TensorRange &range : calibration.tensors)
    known[range.tensor] = &range;
  std::vector<TensorRange> all;
  auto add = [&](Operation *op, Value result) {
    // Of several clamps in a row, the last one has been observed.
    Value observed = result;
    while (!known.contains(getTensorName(observed)) && observed.hasOneUse() &&
           isLoneClamp(*observed.user_begin()))
      observed = observed.user_begin()->getResult(0);
    const TensorRange *range = known.lookup(getTensorName(observed));
    if (!range)
      return;
    all.push_back(*range);
    all.back().tensor = getTensorName(result);
    all.back().node = op ? getLayerName(op).node : range->node;
  };
  for (BlockArgument argument : network.getArguments())
    add(nullptr, argument);
  for (Operation &op : network.front().without_terminator())
    for (Value result : op.getResults())
      add(&op, result);
  calibration.tensors = std::move(all);
}

func::FuncOp addCalibratedView(func::FuncOp network,
                               const Calibration &calibration) {
  func::FuncOp view = addView(network, "calibrated");
  Annotator annotator(calibration);
  for (BlockArgument argument : view.getArguments())
    annotator.annotate(argument);
  for (Operation &op : view.front().without_terminator())
    if (!isa<nn::ConstantOp>(op))
      for (Value result : op.getResults())
        annotator.annotate(result);
  annotator.finish();
  view.setFunctionType(
      FunctionType::get(view.getContext(), view.front().getArgumentTypes(),
                        view.front().getTerminator()->getOperandTypes()));
  return view;
}

} // namespace parallax
