//===- MatMul.cpp - Matrix products by oneDNN -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Transposition is a matter of strides, and leading dimensions that only
// multiply the number of rows are merged into it: one large product is faster
// than many small ones.
//===----------------------------------------------------------------------===//
#include "OneDnnSupport.h"
#include "parallax/Backend/Kernels/Layout.h"
#include "parallax/Support/Error.h"

#include <cstring>
#include <fmt/format.h>

namespace parallax::kernels {
namespace {

struct Matrix {
  Shape dims, strides;

  MemoryDesc desc() const {
    return MemoryDesc(dims, dnnl::memory::data_type::f32, strides);
  }
};

/// A row-major operand of `rank` dimensions, optionally seen transposed.
Matrix matrixOf(const Shape &shape, size_t rank, bool transposed) {
  Matrix matrix;
  matrix.dims.assign(rank - shape.size(), 1);
  matrix.dims.insert(matrix.dims.end(), shape.begin(), shape.end());
  matrix.strides = stridesOf(matrix.dims);
  if (transposed) {
    std::swap(matrix.dims[rank - 1], matrix.dims[rank - 2]);
    std::swap(matrix.strides[rank - 1], matrix.strides[rank - 2]);
  }
  return matrix;
}

/// [batch..., rows, columns] becomes [batch * rows, columns].
void mergeRows(Matrix &matrix) {
  int64_t columns = matrix.dims.back(), rows = 1;
  for (size_t i = 0; i + 1 < matrix.dims.size(); ++i)
    rows *= matrix.dims[i];
  matrix.dims = {rows, columns};
  matrix.strides = {columns, 1};
}

} // namespace

Kernel makeMatMul(KernelBuilder &builder, const MatMulParams &params,
                  std::span<const PostOp> postOps) {
  if (builder.input(0).dtype != DType::F32)
    throw Error(fmt::format("matrix products compute in float32, not in {}",
                            nameOf(builder.input(0).dtype)));
  const Shape &a = builder.input(0).shape, &b = builder.input(1).shape;
  const Shape &y = builder.output(0).shape;
  if (elementCount(y) == 0)
    return {[](const KernelArgs &) {}};
  if (elementCount(a) == 0) { // A sum of nothing.
    if (!postOps.empty())
      throw Error("a matrix product over no elements can't have post-ops");
    return {[bias = params.biasInput](const KernelArgs &args) {
      Tensor &y = args.outputs[0];
      if (bias >= 0)
        expand(args.inputs[size_t(bias)], y);
      else
        std::memset(y.rawData(), 0, y.byteSize());
    }};
  }
  size_t rank = std::max(a.size(), b.size());
  Matrix left = matrixOf(a, rank, params.transposeA);
  Matrix right = matrixOf(b, rank, params.transposeB);
  Matrix result = matrixOf(y, rank, false);
  bool rightIsOneMatrix = elementCount(b) == b[b.size() - 1] * b[b.size() - 2];
  if (rank > 2 && rightIsOneMatrix && !params.transposeA) {
    mergeRows(left);
    mergeRows(result);
    right = matrixOf({b[b.size() - 2], b[b.size() - 1]}, 2, params.transposeB);
    rank = 2;
  }

  MemoryDesc bias;
  if (params.biasInput >= 0) {
    Shape dims(rank, 1);
    dims.back() = result.dims.back();
    bias = plainDesc(dims);
  }
  dnnl::matmul::desc desc(left.desc(), right.desc(), bias, result.desc());
  dnnl::matmul::primitive_desc chosen(
      desc, makeAttributes(postOps, result.desc(), params.alpha), engine());

  PrimitiveKernel kernel;
  kernel.bindInput(DNNL_ARG_SRC, left.desc(), 0);
  kernel.bindInput(DNNL_ARG_WEIGHTS, right.desc(), 1);
  kernel.bindOutput(DNNL_ARG_DST, result.desc(), 0);
  kernel.bindScratchpad(chosen.scratchpad_desc());
  if (params.biasInput >= 0)
    kernel.bindInput(DNNL_ARG_BIAS, bias, size_t(params.biasInput));
  kernel.bindPostOps(postOps, result.desc());
  Kernel product = kernel.finish(dnnl::matmul(chosen));
  product.work =
      double(elementCount(result.dims)) / 8 * double(left.dims.back());
  return product;
}

} // namespace parallax::kernels
