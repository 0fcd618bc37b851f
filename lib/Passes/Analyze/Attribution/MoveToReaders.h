//===- MoveToReaders.h - The order of what is derived ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Tensors that are derived from others take memory only while they are needed.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_MOVETOREADERS_H
#define PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_MOVETOREADERS_H

#include "mlir/IR/Block.h"

namespace parallax::analyze {

/// What a tensor takes in memory.
int64_t bytesOf(mlir::Value value);

/// Moves what is derived from layers to where it is read, on the way back. All
/// layers stay in memory until then, and errors of each beside them would be
/// several times as much. What makes little of much, such as sums, stays.
void moveToReaders(mlir::Block &block);

} // namespace parallax::analyze

#endif // PARALLAX_LIB_PASSES_ANALYZE_ATTRIBUTION_MOVETOREADERS_H
