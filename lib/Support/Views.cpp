//===- Views.cpp - Views of one network -----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A view is a clone of the function, inserted right after it.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace parallax {

func::FuncOp addView(func::FuncOp network, StringRef name, IRMapping &mapping) {
  auto view = cast<func::FuncOp>(network->clone(mapping));
  view.setName(name);
  OpBuilder builder(network);
  builder.setInsertionPointAfter(network);
  builder.insert(view);
  return view;
}

func::FuncOp addView(func::FuncOp network, StringRef name) {
  IRMapping mapping;
  return addView(network, name, mapping);
}

void eraseUnread(func::FuncOp function) {
  SmallVector<Operation *> operations;
  for (Operation &op : function.front().without_terminator())
    operations.push_back(&op);
  for (Operation *op : llvm::reverse(operations))
    if (op->use_empty())
      op->erase();
}

} // namespace parallax
