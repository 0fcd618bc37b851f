//===- Einsum.h - Sums of products in Einstein's notation ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Which products a model writes as Einsum is only known from its equation. The
// plan translates the equation and the shapes once into copies, sums and matrix
// products; a run then only executes them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_REFERENCE_KERNELS_EINSUM_H
#define PARALLAX_BACKEND_REFERENCE_KERNELS_EINSUM_H

#include "parallax/Support/Tensor.h"

#include <string_view>

namespace parallax::kernels {

struct EinsumProgram;

/// The ONNX semantics: the output is implicit or explicit, a label that one
/// operand repeats takes the diagonal, dimensions under an ellipsis broadcast,
/// and an extent of 1 also broadcasts under a letter. More than two operands
/// are contracted from left to right. The same bits result with any number of
/// threads.
class EinsumPlan {
public:
  /// Throws Error if the equation is malformed or does not fit the shapes. The
  /// type of all operands and of the result is float32, float64, int32 or
  /// int64; float32 is the fast one.
  EinsumPlan(std::string_view equation, std::span<const Shape> inputs,
             DType dtype = DType::F32);

  const Shape &outputShape() const { return output; }
  /// The memory that `run` needs besides its operands.
  size_t scratchBytes() const;

  /// `scratch` is aligned to a cache line; y is none of the inputs.
  void run(std::span<const Tensor> inputs, Tensor &y, void *scratch) const;

private:
  Shape output;
  std::shared_ptr<const EinsumProgram> program;
};

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_REFERENCE_KERNELS_EINSUM_H
