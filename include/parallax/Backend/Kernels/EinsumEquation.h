//===- EinsumEquation.h - Which labels an Einsum has -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Both engines read the same equations, and differ in how they add up.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_EINSUMEQUATION_H
#define PARALLAX_BACKEND_KERNELS_EINSUMEQUATION_H

#include "parallax/Support/Tensor.h"

#include <algorithm>
#include <string_view>

namespace parallax::kernels {

/// Small numbers: letters, and the dimensions under the ellipsis.
using Labels = std::vector<int>;

inline bool contains(const Labels &labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// One label per dimension of every operand and of the output.
struct EinsumEquation {
  std::vector<Labels> inputs;
  Labels output;
  /// By label.
  Shape extents;

  /// Throws Error if the equation is malformed or does not fit the shapes.
  EinsumEquation(std::string_view text, std::span<const Shape> shapes);
};

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_KERNELS_EINSUMEQUATION_H
