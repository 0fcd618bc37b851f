//===- Names.h - What layers are called after optimization -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Users name layers by what they see in the optimized network, so its names
// are an interface: unique, stable, and traceable to the nodes of their model.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_OPTIMIZE_NAMES_H
#define PARALLAX_PASSES_OPTIMIZE_NAMES_H

#include "parallax/Dialect/NN/TypeName.h"

#include <string>
#include <vector>

namespace parallax {

/// The name of a node that has become `op`. A name that stands for a node
/// without one, `op_7:onnx.Mul`, tells the type.
std::string withType(const std::string &node, Operation *op);

/// Gives the values that are outputs of the network the names of the outputs,
/// and makes node and tensor names unique. Returns whether a name has changed.
bool nameLayers(mlir::func::FuncOp function);

/// A node of the imported network and the layer that it has become; no layer
/// for a node that has been folded away.
struct NodeFate {
  std::string node, layer;
};

/// The layer that each node has become, in the order of the nodes.
std::vector<NodeFate> mapNodes(mlir::func::FuncOp function,
                               ArrayRef<std::string> nodes);

} // namespace parallax

#endif // PARALLAX_PASSES_OPTIMIZE_NAMES_H
