//===- LayerName.cpp - The identity of a layer ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes the location form that the header describes.
//===----------------------------------------------------------------------===//
#include "parallax/Support/LayerName.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

namespace parallax {

static Location nameLocation(MLIRContext *context, StringRef name) {
  return NameLoc::get(StringAttr::get(context, name));
}

Location makeLayerLocation(MLIRContext *context, StringRef node,
                           ArrayRef<std::string> tensors) {
  SmallVector<Location> names;
  for (const std::string &tensor : tensors)
    names.push_back(nameLocation(context, tensor));
  Location child = UnknownLoc::get(context);
  if (names.size() == 1)
    child = names.front();
  else if (names.size() > 1)
    // Equal names would be merged by FusedLoc::get; tensor names are unique.
    child = FusedLoc::get(context, names);
  return NameLoc::get(StringAttr::get(context, node), child);
}

LayerName getLayerName(Operation *op) {
  LayerName result;
  auto outer = dyn_cast<NameLoc>(op->getLoc());
  if (!outer)
    return result;
  result.node = outer.getName().str();
  Location child = outer.getChildLoc();
  if (auto name = dyn_cast<NameLoc>(child))
    result.tensors.push_back(name.getName().str());
  else if (auto fused = dyn_cast<FusedLoc>(child))
    for (Location location : fused.getLocations())
      if (auto name = dyn_cast<NameLoc>(location))
        result.tensors.push_back(name.getName().str());
  result.tensors.resize(op->getNumResults());
  return result;
}

std::string getTensorName(Value value) {
  if (auto result = dyn_cast<OpResult>(value)) {
    LayerName name = getLayerName(result.getOwner());
    return name.tensors.empty() ? std::string()
                                : name.tensors[result.getResultNumber()];
  }
  auto argument = cast<BlockArgument>(value);
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function)
    return {};
  auto name =
      function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "nn.name");
  return name ? name.str() : std::string();
}

} // namespace parallax
