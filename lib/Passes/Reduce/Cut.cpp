//===- Cut.cpp - Some layers of a network ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Layers keep their names, and inputs have those of the tensors that they stand
// for, so that ranges and rules of the whole network apply to a part of it.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Reduce/Reduce.h"

#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Views.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace parallax {
namespace {

constexpr const char *nameAttr = "nn.name";

bool isConstant(Operation *op) { return op && op->getNumOperands() == 0; }

void setNames(func::FuncOp function, ValueRange results) {
  Builder builder(function.getContext());
  for (auto [i, value] : llvm::enumerate(results))
    function.setResultAttr(unsigned(i), nameAttr,
                           builder.getStringAttr(getTensorName(value)));
}

} // namespace

std::vector<Operation *> layersOf(func::FuncOp network) {
  std::vector<Operation *> layers;
  for (Operation &op : network.front().without_terminator())
    if (!isConstant(&op))
      layers.push_back(&op);
  return layers;
}

func::FuncOp cutNetwork(func::FuncOp network,
                        const llvm::DenseSet<Operation *> &layers,
                        const std::set<std::string> &outputs, StringRef name) {
  SmallVector<Value> inputs, results;
  llvm::DenseSet<Value> seen;
  for (Operation *op : layersOf(network)) {
    if (!layers.contains(op))
      continue;
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (!isConstant(maker) && !layers.contains(maker) &&
          seen.insert(operand).second)
        inputs.push_back(operand);
    }
    for (Value result : op->getResults()) {
      bool isRead = llvm::any_of(result.getUsers(), [&](Operation *user) {
        return layers.contains(user);
      });
      if (!isRead || outputs.contains(getTensorName(result)))
        results.push_back(result);
    }
  }

  OpBuilder builder(network.getContext());
  builder.setInsertionPointAfter(network);
  auto function = func::FuncOp::create(
      builder, network.getLoc(), name,
      builder.getFunctionType(ValueRange(inputs).getTypes(),
                              ValueRange(results).getTypes()));
  Block *block = function.addEntryBlock();
  IRMapping mapping;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    mapping.map(input, block->getArgument(unsigned(i)));
    function.setArgAttr(unsigned(i), nameAttr,
                        builder.getStringAttr(getTensorName(input)));
  }
  builder.setInsertionPointToEnd(block);
  for (Operation &op : network.front().without_terminator())
    if (isConstant(&op) || layers.contains(&op))
      builder.clone(op, mapping);
  SmallVector<Value> returned;
  for (Value result : results)
    returned.push_back(mapping.lookup(result));
  func::ReturnOp::create(builder, network.getLoc(), returned);
  setNames(function, results);
  eraseUnread(function);
  return function;
}

std::vector<std::string> inputNames(func::FuncOp network) {
  std::vector<std::string> names;
  for (Value input : network.getArguments())
    names.push_back(getTensorName(input));
  return names;
}

FailureOr<std::vector<Tensor>> valuesOf(func::FuncOp network,
                                        std::span<const std::string> tensors,
                                        const Sample &sample) {
  func::FuncOp view = addView(network, "values");
  std::map<std::string, Value> values;
  for (Value input : view.getArguments())
    values.emplace(getTensorName(input), input);
  for (Operation &op : view.front().without_terminator())
    for (Value result : op.getResults())
      values.emplace(getTensorName(result), result);
  SmallVector<Value> returned;
  for (const std::string &tensor : tensors) {
    auto it = values.find(tensor);
    if (it == values.end()) {
      view.erase();
      return emitError(network.getLoc())
             << "the network has no tensor '" << tensor << "'";
    }
    returned.push_back(it->second);
  }
  view.front().getTerminator()->setOperands(returned);
  view.setFunctionType(FunctionType::get(view.getContext(),
                                         view.getArgumentTypes(),
                                         ValueRange(returned).getTypes()));
  view.removeResAttrsAttr();
  eraseUnread(view);
  Executable executable = prepare(view, referenceKernels());
  view.erase();
  ExecutionState state(executable);
  std::vector<Tensor> found;
  for (const Tensor &output : state.run(sample))
    found.push_back(output.clone());
  return found;
}

} // namespace parallax
