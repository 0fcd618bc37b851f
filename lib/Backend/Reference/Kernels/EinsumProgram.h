//===- EinsumProgram.h - The steps of an Einsum plan -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Between the equation and the arithmetic lies a short straight program over
// numbered buffers. Its operands are strided views whose axes are labels, so a
// diagonal or a transposition costs nothing until a step needs other strides.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_EINSUMPROGRAM_H
#define PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_EINSUMPROGRAM_H

#include "parallax/Backend/Kernels/EinsumEquation.h"
#include "parallax/Backend/Kernels/Loops.h"

#include <functional>

namespace parallax::kernels {

/// A view of a buffer. Each label occurs once and has an extent above 1: axes
/// of extent 1 move no pointer, and a broadcast operand lacks the label.
struct EinsumOperand {
  size_t buffer;
  Labels labels;
  Shape strides;

  /// In elements; 0 for a label that the operand lacks.
  int64_t strideOf(int label) const {
    for (size_t axis = 0; axis < labels.size(); ++axis)
      if (labels[axis] == label)
        return strides[axis];
    return 0;
  }
};

/// The inputs, then the output, then the temporaries.
using EinsumBuffers = std::span<std::byte *const>;
using EinsumStep = std::function<void(EinsumBuffers)>;

struct EinsumProgram {
  DType dtype;
  size_t inputCount;
  /// By label.
  Shape extents;
  /// Where the temporaries are in the scratch memory.
  std::vector<size_t> offsets;
  size_t scratchBytes = 0;
  /// None if there is nothing to add up; the output is then zero.
  std::vector<EinsumStep> steps;

  Shape shapeOf(const Labels &labels) const {
    Shape shape;
    for (int label : labels)
      shape.push_back(extents[label]);
    return shape;
  }
  int64_t countOf(const Labels &labels) const {
    return elementCount(shapeOf(labels));
  }

  /// A row-major operand, in a given buffer or in new scratch memory.
  EinsumOperand operandIn(size_t buffer, Labels labels) const;
  EinsumOperand makeTemporary(Labels labels);

  /// `to` has the labels of `from` in any order.
  void addCopy(const EinsumOperand &from, const EinsumOperand &to);

  /// Sums over all labels of a and b that c lacks. c is row-major, and each of
  /// its labels is in a or b; a label that c lacks is in both.
  void addProduct(const EinsumOperand &a, const EinsumOperand &b,
                  const EinsumOperand &c);
};

} // namespace parallax::kernels

#endif // PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_EINSUMPROGRAM_H
