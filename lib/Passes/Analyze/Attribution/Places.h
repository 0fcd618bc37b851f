//===- Places.h - The order of operations that move ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// MLIR counts all operations of a block anew after each move. Here operations
// have numbers with gaps. Where a gap is used up, only the smallest range of
// numbers around it that is not too full is spread again (M. A. Bender et al.,
// Two Simplified Algorithms for Maintaining Order in a List): n moves take
// about n log n steps, wherever they go.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_PLACES_H
#define PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_PLACES_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace parallax::analyze {

/// The order of a block. Nobody else moves operations in it meanwhile.
class Places {
public:
  explicit Places(mlir::Block &block) {
    uint64_t place = 0;
    for (mlir::Operation &op : block)
      set(&op, place += firstGap);
  }

  bool isBefore(mlir::Operation *a, mlir::Operation *b) const {
    return places.lookup(a) < places.lookup(b);
  }

  void moveBefore(mlir::Operation *op, mlir::Operation *reader) {
    if (op->getNextNode() == reader)
      return;
    if (gapBefore(reader) < 2)
      makeRoom(reader);
    uint64_t half = gapBefore(reader) / 2;
    op->moveBefore(reader);
    set(op, places.lookup(reader) - half);
  }

  /// How often a number was given, for tests.
  uint64_t work() const { return given; }

private:
  static constexpr uint64_t firstGap = uint64_t(1) << 32;
  /// Ranges of fewer numbers would leave gaps that are used up at once.
  static constexpr unsigned leastBits = 6, mostBits = 62;
  /// A range of 2^b numbers holds at most (2 / fullness)^b operations.
  static constexpr double fullness = 1.5;

  void set(mlir::Operation *op, uint64_t place) {
    places[op] = place;
    ++given;
  }

  uint64_t gapBefore(mlir::Operation *op) const {
    mlir::Operation *previous = op->getPrevNode();
    return places.lookup(op) - (previous ? places.lookup(previous) : 0);
  }

  void makeRoom(mlir::Operation *around) {
    uint64_t place = places.lookup(around), count = 1;
    mlir::Operation *first = around, *last = around;
    double most = 1;
    for (unsigned bits = 1; bits <= mostBits; ++bits) {
      most *= 2 / fullness;
      uint64_t width = uint64_t(1) << bits, low = place & ~(width - 1);
      for (mlir::Operation *op = first->getPrevNode();
           op && places.lookup(op) >= low; op = op->getPrevNode(), ++count)
        first = op;
      for (mlir::Operation *op = last->getNextNode();
           op && places.lookup(op) - low < width;
           op = op->getNextNode(), ++count)
        last = op;
      if (bits >= leastBits && double(count) <= most)
        return spread(first, count, low, width / count);
    }
    llvm_unreachable("a block has fewer operations than there are numbers");
  }

  void spread(mlir::Operation *first, uint64_t count, uint64_t low,
              uint64_t step) {
    mlir::Operation *op = first;
    for (uint64_t i = 0; i < count; ++i, op = op->getNextNode())
      set(op, low + step / 2 + i * step);
  }

  llvm::DenseMap<mlir::Operation *, uint64_t> places;
  uint64_t given = 0;
};

} // namespace parallax::analyze

#endif // PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_PLACES_H
