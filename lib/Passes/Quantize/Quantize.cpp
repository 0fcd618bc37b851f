//===- Quantize.cpp - The quantized view of a network ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The steps: copy the network, decide the type of codes of every tensor, make
// every change of type an operation, choose scales, and turn weights into
// codes.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Quantize/Quantize.h"
#include "TypePlan.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/Views.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace parallax {
namespace {

using namespace quantize;

/// Gives every reader the quantized type that it reads.
void insertRequantizations(func::FuncOp function, KindPlan &kinds,
                           QuantizeReport &report) {
  Block &body = function.front();
  auto requantizeUses = [&](Value value, Operation *first) {
    if (!isFloat(value) || value.getDefiningOp<nn::ConstantOp>())
      return;
    std::map<DataType, Value> versions;
    for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
      bool isOutput = use.getOwner()->hasTrait<OpTrait::IsTerminator>();
      DataType wanted =
          isOutput ? DataType::FP32 : kinds.readBy(use.getOwner());
      if (wanted == kinds.kind(value) || isa<nn::RequantizeOp>(use.getOwner()))
        continue;
      Value &version = versions[wanted];
      if (!version) {
        version = requantize(value, wanted, first, kinds);
        ++report.requantizations;
      }
      use.set(version);
    }
  };
  for (BlockArgument argument : function.getArguments())
    requantizeUses(argument, &body.front());
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
    for (Value result : op.getResults())
      requantizeUses(result, op.getNextNode());
}

void countTensors(func::FuncOp function, QuantizeReport &report) {
  auto count = [&](Value value) {
    ++report.tensors;
    if (isQuantized(value.getType()))
      ++report.quantizedTensors;
    else if (isFloat(value))
      ++report.floatTensors;
    else
      ++report.integerTensors;
  };
  llvm::for_each(function.getArguments(), count);
  for (Operation &op : function.front().without_terminator()) {
    llvm::for_each(op.getResults(), count);
    if (op.getNumOperands() == 0)
      continue;
    ++report.operators;
    auto isCodes = [](Type type) { return isQuantized(type); };
    report.quantizedOperators += llvm::any_of(op.getOperandTypes(), isCodes) ||
                                 llvm::any_of(op.getResultTypes(), isCodes);
  }
}

} // namespace

QuantizeOptions quantizeOptions(const QuantConfig &config) {
  QuantizeOptions options;
  options.bias = config.convBiasDataType;
  options.normalizationScale = config.lnScaleDataType;
  options.refineWeightThreshold =
      config.disableAutoRefineScale ? -1 : config.refineWeightThreshold;
  options.shareParameters = !config.disableQuantOptimization;
  return options;
}

/// The steps that make a copy of the network the quantized one.
static LogicalResult quantizeView(func::FuncOp view,
                                  const QuantizeOptions &options,
                                  QuantizeReport &report) {
  Precisions precisions = takePrecisions(view);
  Ranges ranges(view);
  narrowCancelledMasks(view, ranges);
  std::map<std::string, std::string> wideCodes =
      widenMeetings(view, precisions, ranges, options.shareParameters);
  KindPlan kinds(view, precisions, ranges, options.shareParameters);
  report.alignments = kinds.meetingAsFloats();
  insertRequantizations(view, kinds, report);
  if (failed(assignTypes(view, kinds, ranges, options, report)) ||
      failed(quantizeConstants(view, kinds, precisions, options, report)))
    return failure();
  for (AlignmentChoice &choice : report.alignments)
    choice.wideCodes = wideCodes[choice.layer];
  countTensors(view, report);
  if (failed(verify(view)))
    return emitError(view.getLoc(),
                     "the quantized network is not valid; this is a fault "
                     "of Parallax, please report the model");
  return success();
}

FailureOr<func::FuncOp> addQuantizedView(func::FuncOp network,
                                         const QuantizeOptions &options,
                                         QuantizeReport *report) {
  func::FuncOp view = addView(network, views::quantized);
  QuantizeReport ignored;
  if (succeeded(quantizeView(view, options, report ? *report : ignored)))
    return view;
  view.erase();
  return failure();
}

} // namespace parallax
