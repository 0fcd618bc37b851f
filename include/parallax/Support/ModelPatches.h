//===- ModelPatches.h - Changes to a model before its import ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A configuration may set attributes of nodes and replace constants, so that a
// model need not be exported again. Plain data: the configuration reader fills
// it, the importer applies it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_MODELPATCHES_H
#define PARALLAX_SUPPORT_MODELPATCHES_H

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace parallax::onnx_import {

/// A value as a configuration gives it; Booleans are integers. The type of
/// the attribute decides whether it fits.
using AttributeValue =
    std::variant<int64_t, double, std::string, std::vector<int64_t>,
                 std::vector<double>, std::vector<std::string>>;

struct OpProcessor {
  /// The name of a node, or `op_<n>:onnx.<Type>` for one without a name.
  std::string opName;
  std::map<std::string, AttributeValue> attrs;
};

struct ConstProcessor {
  /// The name of an initializer, or of the output of a Constant node.
  std::string name;
  /// Either the values, or a .npy, .bin or .txt file that holds them.
  std::vector<double> data;
  std::string dataPath;
};

} // namespace parallax::onnx_import

#endif // PARALLAX_SUPPORT_MODELPATCHES_H
