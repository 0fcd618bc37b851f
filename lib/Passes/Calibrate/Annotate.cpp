//===- Annotate.cpp - Ranges become types ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// See the header.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/StringMap.h"

#include <fmt/format.h>

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

  void finish() const {
    if (missing.empty())
      return;
    size_t shown = std::min<size_t>(missing.size(), 5);
    throw Error(fmt::format(
        "the calibration has no range for {} of the network's tensors, such as "
        "'{}': it is of another network",
        missing.size(),
        fmt::join(missing.begin(), missing.begin() + long(shown), "', '")));
  }

private:
  llvm::StringMap<Interval> ranges;
  std::vector<std::string> missing;
};

} // namespace

func::FuncOp addCalibratedView(func::FuncOp network,
                               const Calibration &calibration) {
  func::FuncOp view = network.clone();
  view.setName("calibrated");
  OpBuilder builder(network);
  builder.setInsertionPointAfter(network);
  builder.insert(view);
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
