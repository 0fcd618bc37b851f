//===- Widening.h - What is to have 16 bits --------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A choice of layers, and the rules of layer_configs that ask for it. Some may
// be float instead.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_WIDENING_H
#define PARALLAX_ANALYSIS_WIDENING_H

#include "parallax/Analysis/Diagnosis.h"

namespace parallax {

/// Names of layers, each once.
class LayerList {
public:
  void add(const std::string &name);
  bool contains(const std::string &name) const;

  std::vector<std::string> names;
};

struct Widening {
  /// Layers by what they read, by their weights, and by their results.
  LayerList data, weights, results;
  /// Layers that read and give float.
  LayerList floats;

  size_t size() const {
    return data.names.size() + results.names.size() + floats.names.size();
  }
  std::vector<ConfigEdit> edits() const;
  /// All of them.
  std::vector<std::string> layers() const;
};

} // namespace parallax

#endif // PARALLAX_ANALYSIS_WIDENING_H
