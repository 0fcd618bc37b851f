//===- MatrixBatch.h - Which matrices are multiplied -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// [..., M, K] x [..., K, N] is a list of products; its leading dimensions
// broadcast. Codes and FP32 layers share this.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_KERNELS_MATRIXBATCH_H
#define PARALLAX_LIB_BACKEND_NPU_KERNELS_MATRIXBATCH_H

#include "parallax/Support/Tensor.h"

namespace parallax::npu {

struct MatrixBatch {
  int64_t rows, columns, depth, count;

  MatrixBatch(const Tensor &a, const Tensor &b, const Tensor &y)
      : rows(y.dim(y.rank() - 2)), columns(y.dim(y.rank() - 1)),
        depth(a.dim(a.rank() - 1)),
        count(y.size() == 0 ? 0 : y.size() / (rows * columns)), a(a), b(b),
        y(y) {}

  /// The matrices of the operands that belong to matrix `index` of y.
  int64_t left(int64_t index) const { return matrixOf(a, index); }
  int64_t right(int64_t index) const { return matrixOf(b, index); }

private:
  int64_t matrixOf(const Tensor &operand, int64_t index) const {
    int64_t result = 0, stride = 1;
    for (int64_t i = 3; i <= y.rank(); ++i) {
      int64_t extent = y.dim(y.rank() - i), at = index % extent;
      index /= extent;
      if (i > operand.rank())
        continue;
      int64_t own = operand.dim(operand.rank() - i);
      result += (own == 1 ? 0 : at) * stride;
      stride *= own;
    }
    return result;
  }

  const Tensor &a, &b, &y;
};

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_KERNELS_MATRIXBATCH_H
