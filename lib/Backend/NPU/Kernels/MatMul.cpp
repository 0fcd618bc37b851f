//===- MatMul.cpp - Integer kernels: products of matrices -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Fully connected layers have their weights packed; a product of two
// activations packs its right operand with every run.
//===----------------------------------------------------------------------===//
#include "MacEpilogue.h"
#include "MatrixBatch.h"

namespace parallax::npu {

struct FullyConnected::Plan {
  DType xType;
  int64_t xZero;
  PackedWeights weights;
  MacEpilogue epilogue;
};

FullyConnected::FullyConnected(DType xType, int64_t xZero,
                               const Tensor &weights, const Tensor *bias,
                               DType yType, const MacOutput &output)
    : plan(new Plan{
          xType, xZero, PackedWeights(rowMajorWeights(weights), xType),
          MacEpilogue(output, biasValues(bias), yType, 0, weights.dim(0))}) {}
FullyConnected::~FullyConnected() = default;

void FullyConnected::run(const Tensor &x, Tensor &y) const {
  int64_t columns = plan->weights.columns(), depth = plan->weights.depth();
  RowSource rows{.type = plan->xType,
                 .zeroPoint = int32_t(plan->xZero),
                 .rows = columns ? y.size() / columns : 0,
                 .data = x.rawData(),
                 .rowStride = depth,
                 .channels = depth};
  plan->epilogue.multiply(rows, plan->weights, {y.rawData(), columns});
}

void matmul(const Tensor &a, int64_t aZero, const Tensor &b, int64_t bZero,
            Tensor &y, const MacOutput &output) {
  const MatrixBatch batch(a, b, y);
  const auto bSize = int64_t(sizeOf(b.dtype()));
  const MacEpilogue epilogue(output, {}, y.dtype(), 0, batch.columns);
  PackedWeights packed;
  int64_t packedMatrix = -1;
  RowSource rows{.type = a.dtype(),
                 .zeroPoint = int32_t(aZero),
                 .rows = batch.rows,
                 .rowStride = batch.depth,
                 .channels = batch.depth};
  for (int64_t m = 0; m < batch.count; ++m) {
    if (int64_t right = batch.right(m); right != packedMatrix) {
      const void *from = static_cast<const char *>(b.rawData()) +
                         right * batch.depth * batch.columns * bSize;
      packed.pack({.data = from,
                   .type = b.dtype(),
                   .zeroPoint = int32_t(bZero),
                   .columns = batch.columns,
                   .channels = batch.depth,
                   .columnStride = 1,
                   .channelStride = batch.columns},
                  a.dtype());
      packedMatrix = right;
    }
    rows.data =
        static_cast<const char *>(a.rawData()) +
        batch.left(m) * batch.rows * batch.depth * int64_t(sizeOf(a.dtype()));
    void *to = static_cast<char *>(y.rawData()) +
               m * batch.rows * batch.columns * int64_t(sizeOf(y.dtype()));
    epilogue.multiply(rows, packed, {to, batch.columns});
  }
}

} // namespace parallax::npu
