//===- MoveToReaders.cpp - The order of what is derived -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One walk from the last operation to the first, so that readers have moved
// when what they read does.
//===----------------------------------------------------------------------===//
#include "MoveToReaders.h"
#include "../Sweep/Combine.h"
#include "Places.h"

#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>

using namespace mlir;

namespace parallax::analyze {

int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  std::optional<DType> dtype = toDType(type.getElementType());
  return dtype ? type.getNumElements() * int64_t(sizeOf(*dtype)) : 0;
}

void moveToReaders(Block &block) {
  constexpr int64_t mostShrunk = 4;
  SmallVector<Operation *> layers;
  for (Operation &op : block.without_terminator())
    layers.push_back(&op);
  Places places(block);
  for (Operation *op : llvm::reverse(layers)) {
    Operation *first = nullptr;
    for (Operation *user : op->getUsers())
      if (!first || places.isBefore(user, first))
        first = user;
    if (!first || first == block.getTerminator() || op->getNumOperands() == 0)
      continue;
    int64_t made = 0, read = 0;
    for (Value result : op->getResults())
      made += bytesOf(result);
    for (Value operand : op->getOperands())
      if (!isKnown(operand))
        read = std::max(read, bytesOf(operand));
    if (made * mostShrunk >= read)
      places.moveBefore(op, first);
  }
}

} // namespace parallax::analyze
