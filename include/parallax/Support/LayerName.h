//===- LayerName.h - The identity of a layer -------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A layer is known by its ONNX node name and the names of the tensors that it
// produces. Both live in the operation's location,
//
//   loc("Conv_0"("317"))            one result
//   loc("Split_9"(fused["a","b"]))  several results
//
// and nothing but this file reads or writes that form. Calibration, dumps and
// report rows use the names as keys across all views of a network.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_LAYERNAME_H
#define PARALLAX_SUPPORT_LAYERNAME_H

#include "parallax/Support/LLVM.h"

#include <string>
#include <vector>

namespace parallax {

struct LayerName {
  std::string node;
  /// One per result; empty for a result without a name.
  std::vector<std::string> tensors;
};

Location makeLayerLocation(MLIRContext *context, StringRef node,
                           ArrayRef<std::string> tensors);

/// The name of an operation, with empty strings where it has none.
LayerName getLayerName(Operation *op);

/// The name of a value: its tensor name, or the name of a function argument.
std::string getTensorName(Value value);

} // namespace parallax

#endif // PARALLAX_SUPPORT_LAYERNAME_H
