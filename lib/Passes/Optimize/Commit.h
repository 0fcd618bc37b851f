//===- Commit.h - A proposal becomes part of the network -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What every change of a network has to look after besides the values: the
// names of layers, the record of what they replace, and memory.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_OPTIMIZE_COMMIT_H
#define PARALLAX_LIB_PASSES_OPTIMIZE_COMMIT_H

#include "parallax/Passes/Optimize/Rewrite.h"

namespace parallax {

/// Lists the nodes of the imported network that an operation stands for beside
/// the one that it is named after.
inline constexpr StringRef replacesAttribute = "nn.replaces";
ArrayRef<Attribute> getReplacedNodes(Operation *op);
void addReplacedNodes(Operation *op, ArrayRef<Attribute> nodes);
/// Adds a node and what that one has replaced itself.
void addReplacedNode(Operation *op, Operation *replaced);

/// Erases an unused operation and frees the memory of a constant.
void eraseLayer(Operation *op);

/// Replaces values, gives the new operations their names and erases what
/// has become unused.
void commit(const Proposal &proposal);

} // namespace parallax

#endif // PARALLAX_LIB_PASSES_OPTIMIZE_COMMIT_H
