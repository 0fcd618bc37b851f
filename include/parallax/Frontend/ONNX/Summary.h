//===- Summary.h - What an ONNX file contains ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Facts about a model that hold whether or not it can be imported.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_FRONTEND_ONNX_SUMMARY_H
#define PARALLAX_FRONTEND_ONNX_SUMMARY_H

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace parallax::onnx_import {

struct ModelPort {
  std::string name;
  std::string dtype;
  /// Such as "1x3xHxW": dimensions that are not fixed keep their name.
  std::string shape;
  /// The same as numbers, -1 for those that are not fixed.
  std::vector<int64_t> extents;
};

struct ModelNode {
  std::string name; ///< Its layer's name, made up if the file gives none.
  std::string type; ///< The operator, with its domain unless that is ONNX's
                    ///< or ours.
};

struct ModelSummary {
  std::string name, producer;
  int64_t opset = 0, irVersion = 0;
  std::vector<ModelPort> inputs, outputs;
  /// Nodes by operator, those in sub-graphs and functions included.
  std::map<std::string, int64_t> operators;
  /// Operators for which the importer has no line, with the names of nodes.
  std::map<std::string, std::vector<std::string>> unsupported;
  int64_t parameters = 0; ///< Elements of all initializers.
  /// The nodes of the main graph, in the order of the file.
  std::vector<ModelNode> nodes;
  int64_t fileBytes = 0; ///< External data included.
  /// Files with external data, relative to the model's folder.
  std::set<std::string> externalFiles;
};

/// Reads the file; throws Error if it is not a model.
ModelSummary summarizeModel(const std::string &path);

/// Operators that can be imported and the first version of each.
std::vector<std::pair<std::string, int64_t>> supportedOperators();

} // namespace parallax::onnx_import

#endif // PARALLAX_FRONTEND_ONNX_SUMMARY_H
