//===- Names.cpp - What layers are called after optimization --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Makes node and tensor names unique after rewriting, and maps each node of the
// original model to the layer that replaced it.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Optimize/Names.h"
#include "Commit.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/UniqueNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace parallax {

std::string withType(const std::string &node, Operation *op) {
  constexpr StringRef separator = ":onnx.";
  StringRef name(node);
  size_t at = name.rfind(separator);
  if (at == StringRef::npos)
    return node;
  StringRef number = name.take_front(at);
  size_t prefix = number.rfind("op_");
  if (prefix == StringRef::npos ||
      !llvm::all_of(number.drop_front(prefix + 3), llvm::isDigit))
    return node;
  return (number + separator).str() + typeNameOf(op);
}

//===----------------------------------------------------------------------===//
// Unique names
//===----------------------------------------------------------------------===//

bool nameLayers(func::FuncOp function) {
  if (function.isExternal())
    return false;
  UniqueNames nodes, tensors;
  for (BlockArgument argument : function.getArguments())
    tensors.reserve(getTensorName(argument));
  // The first output that a value is gives it the name.
  DenseMap<Value, std::string> outputNames;
  Operation *terminator = function.front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    auto name =
        function.getResultAttrOfType<StringAttr>(unsigned(i), "nn.name");
    if (!name)
      continue;
    tensors.reserve(name.str());
    if (value.getDefiningOp() && !value.getDefiningOp<nn::ConstantOp>())
      outputNames.try_emplace(value, name.str());
  }

  bool changed = false;
  auto rename = [&](Operation &op, LayerName name, const LayerName &unique) {
    if (unique.node == name.node && unique.tensors == name.tensors)
      return;
    op.setLoc(makeLayerLocation(op.getContext(), unique.node, unique.tensors));
    changed = true;
  };
  // Layers choose first: a constant is known by its tensor alone.
  for (Operation &op : function.front().without_terminator()) {
    LayerName name = getLayerName(&op);
    if (isa<nn::ConstantOp>(op) || name.tensors.empty())
      continue;
    LayerName unique;
    unique.node = nodes.add(name.node);
    for (auto [result, tensor] : llvm::zip(op.getResults(), name.tensors)) {
      auto it = outputNames.find(result);
      unique.tensors.push_back(it != outputNames.end() ? it->second
                               : tensor.empty()        ? tensor
                                                       : tensors.add(tensor));
    }
    rename(op, name, unique);
  }
  for (nn::ConstantOp constant : function.front().getOps<nn::ConstantOp>()) {
    LayerName name = getLayerName(constant);
    if (name.tensors.empty())
      continue;
    std::string unique = tensors.add(name.tensors[0]);
    rename(*constant, name, {unique, {unique}});
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// From nodes to layers
//===----------------------------------------------------------------------===//

std::vector<NodeFate> mapNodes(func::FuncOp function,
                               ArrayRef<std::string> nodes) {
  llvm::StringMap<std::string> layers;
  llvm::StringSet<> known;
  for (const std::string &node : nodes)
    known.insert(node);
  for (Operation &op : function.front().without_terminator()) {
    if (isa<nn::ConstantOp>(op))
      continue;
    std::string layer = getLayerName(&op).node;
    // A node that became several steps is known by the first one.
    if (!known.contains(layer))
      layers.try_emplace(StringRef(layer).rsplit('/').first, layer);
    for (Attribute node : getReplacedNodes(&op))
      layers[cast<StringAttr>(node).getValue()] = layer;
  }
  // The layer of a node's own name has precedence.
  for (Operation &op : function.front().without_terminator())
    if (!isa<nn::ConstantOp>(op)) {
      std::string layer = getLayerName(&op).node;
      layers[layer] = layer;
    }
  std::vector<NodeFate> fates;
  for (const std::string &node : nodes)
    fates.push_back({node, layers.lookup(node)});
  return fates;
}

} // namespace parallax
