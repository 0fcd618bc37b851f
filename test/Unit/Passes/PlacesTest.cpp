//===- PlacesTest.cpp - The order of operations that move -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Compared with the order of the block itself; the work is counted.
//===----------------------------------------------------------------------===//
#include "../../../lib/Passes/Analyze/Attribution/Places.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using parallax::analyze::Places;

namespace {

class PlacesTest : public ::testing::Test {
protected:
  explicit PlacesTest(size_t count = 3000) {
    context.allowUnregisteredDialects();
    OpBuilder builder(&context);
    builder.setInsertionPointToStart(&block);
    for (size_t i = 0; i < count; ++i) {
      OperationState state(builder.getUnknownLoc(), "test.op");
      operations.push_back(builder.create(state));
    }
  }

  void expectOrder(const Places &places) {
    Operation *previous = nullptr;
    for (Operation &op : block) {
      if (previous) {
        EXPECT_TRUE(places.isBefore(previous, &op));
        EXPECT_FALSE(places.isBefore(&op, previous));
      }
      previous = &op;
    }
  }

  MLIRContext context;
  Block block;
  std::vector<Operation *> operations;
};

TEST_F(PlacesTest, MovesKeepTheOrder) {
  Places places(block);
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    Operation *op = operations[random() % operations.size()];
    Operation *reader = operations[random() % operations.size()];
    if (op != reader)
      places.moveBefore(op, reader);
  }
  expectOrder(places);
}

/// Everything between the same two operations, from either side: numbers are
/// spread again and again, but never all of them.
TEST_F(PlacesTest, WorkGrowsWithTheMoves) {
  for (bool isAlwaysTheSame : {true, false}) {
    Places places(block);
    uint64_t before = places.work();
    Operation *reader = &block.back();
    for (Operation *op : operations) {
      if (op == reader)
        continue;
      places.moveBefore(op, reader);
      if (!isAlwaysTheSame)
        reader = op;
    }
    EXPECT_LT(places.work() - before, 40 * operations.size());
    expectOrder(places);
  }
}

} // namespace
