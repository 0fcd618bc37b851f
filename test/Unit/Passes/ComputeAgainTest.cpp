//===- ComputeAgainTest.cpp - Time for memory -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A chain of layers, and a way back that reads all of them from the last to the
// first.
//===----------------------------------------------------------------------===//
#include "../../../lib/Passes/Analyze/Attribution/ComputeAgain.h"
#include "../../../lib/Passes/Analyze/Attribution/MoveToReaders.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>

using namespace mlir;

namespace {

class ComputeAgainTest : public ::testing::Test {
protected:
  ComputeAgainTest() {
    context.allowUnregisteredDialects();
    builder.setInsertionPointToStart(&block);
    type = RankedTensorType::get({1024}, builder.getF32Type());
    input = block.addArgument(type, builder.getUnknownLoc());
  }

  Value make(const std::string &name, ValueRange operands) {
    OperationState state(builder.getUnknownLoc(), "test." + name);
    state.addOperands(operands);
    state.addTypes(type);
    return builder.create(state)->getResult(0);
  }

  /// Each layer reads the one before; `skip`, if given, is read once more by
  /// the last. Returns the first operation of the way back.
  Operation *makeNetwork(int count, int skip = -1) {
    std::vector<Value> layers = {input};
    for (int i = 0; i < count; ++i) {
      SmallVector<Value> operands = {layers.back()};
      if (i + 1 == count && skip >= 0)
        operands.push_back(layers[size_t(skip) + 1]);
      layers.push_back(make("layer" + std::to_string(i), operands));
    }
    Value worth = make("loss", layers.back());
    Operation *first = worth.getDefiningOp();
    for (int i = count; i-- > 0;)
      worth = make("back" + std::to_string(i), {worth, layers[size_t(i)]});
    return first;
  }

  /// The most bytes that are alive at once.
  int64_t peak() {
    std::map<Operation *, int64_t> dying;
    for (Operation &op : block)
      for (Value value : op.getResults()) {
        Operation *last = &op;
        for (Operation *user : value.getUsers())
          last = last->isBeforeInBlock(user) ? user : last;
        dying[last] += parallax::analyze::bytesOf(value);
      }
    int64_t alive = 0, most = 0;
    for (Operation &op : block) {
      for (Value value : op.getResults())
        alive += parallax::analyze::bytesOf(value);
      most = std::max(most, alive);
      alive -= dying[&op];
    }
    return most;
  }

  std::map<std::string, int> countRuns() {
    std::map<std::string, int> runs;
    for (Operation &op : block)
      ++runs[op.getName().getStringRef().str()];
    return runs;
  }

  void expectOrder() {
    for (Operation &op : block)
      for (Value operand : op.getOperands())
        if (Operation *maker = operand.getDefiningOp())
          EXPECT_TRUE(maker->isBeforeInBlock(&op));
  }

  /// What a value is computed from, written out.
  std::string meaning(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return "x";
    std::string text = op->getName().getStringRef().str() + "(";
    for (Value operand : op->getOperands())
      text += meaning(operand) + ",";
    return text + ")";
  }

  MLIRContext context;
  OpBuilder builder{&context};
  Block block;
  RankedTensorType type;
  Value input;
};

TEST_F(ComputeAgainTest, ALongChainTakesTheRootOfItsMemory) {
  Operation *firstBack = makeNetwork(100);
  int64_t before = peak();
  parallax::analyze::computeAgain(block, firstBack);
  EXPECT_LT(peak(), before / 4);
  expectOrder();
  for (auto [name, count] : countRuns())
    EXPECT_LE(count, 2) << name;
}

TEST_F(ComputeAgainTest, EverybodyReadsWhatTheyDid) {
  Operation *firstBack = makeNetwork(12, /*skip=*/1);
  std::string before = meaning(block.back().getResult(0));
  parallax::analyze::computeAgain(block, firstBack);
  EXPECT_EQ(meaning(block.back().getResult(0)), before);
  expectOrder();
  std::map<std::string, int> runs = countRuns();
  // Later parts read it, so it is kept.
  EXPECT_EQ(runs["test.layer1"], 1);
  EXPECT_EQ(runs["test.layer0"], 2);
  EXPECT_EQ(runs["test.layer11"], 1);
}

TEST_F(ComputeAgainTest, AShortChainStaysAsItIs) {
  Operation *firstBack = makeNetwork(3);
  parallax::analyze::computeAgain(block, firstBack);
  for (auto [name, count] : countRuns())
    EXPECT_EQ(count, 1) << name;
}

} // namespace
