//===- Layout.cpp - Kernels that move elements ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Operators that are one strided copy: what distinguishes them is only which
// strides they compute.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/Layout.h"

#include "parallax/Backend/Kernels/StridedCopy.h"

namespace parallax::kernels {
namespace {

std::byte *elementAt(void *data, int64_t element, DType type) {
  return static_cast<std::byte *>(data) + element * int64_t(sizeOf(type));
}
const std::byte *elementAt(const void *data, int64_t element, DType type) {
  return static_cast<const std::byte *>(data) + element * int64_t(sizeOf(type));
}

} // namespace

void transpose(const Tensor &x, Tensor &y, std::span<const int64_t> perm) {
  Shape xStrides = stridesOf(x.shape());
  LoopNest<2> nest{y.shape(), {stridesOf(y.shape()), Shape(perm.size())}};
  for (size_t axis = 0; axis < perm.size(); ++axis)
    nest.strides[1][axis] = xStrides[perm[axis]];
  stridedCopy(y.rawData(), x.rawData(), sizeOf(x.dtype()), std::move(nest));
}

void concat(std::span<const Tensor *const> inputs, Tensor &y, int64_t axis) {
  Shape yStrides = stridesOf(y.shape());
  int64_t start = 0;
  for (const Tensor *input : inputs) {
    stridedCopy(elementAt(y.rawData(), start * yStrides[axis], y.dtype()),
                input->rawData(), sizeOf(y.dtype()),
                {input->shape(), {yStrides, stridesOf(input->shape())}});
    start += input->dim(axis);
  }
}

void split(const Tensor &x, std::span<Tensor *const> outputs, int64_t axis) {
  Shape xStrides = stridesOf(x.shape());
  int64_t start = 0;
  for (Tensor *output : outputs) {
    stridedCopy(output->rawData(),
                elementAt(x.rawData(), start * xStrides[axis], x.dtype()),
                sizeOf(x.dtype()),
                {output->shape(), {stridesOf(output->shape()), xStrides}});
    start += output->dim(axis);
  }
}

void slice(const Tensor &x, Tensor &y, std::span<const int64_t> starts,
           std::span<const int64_t> steps) {
  if (y.size() == 0)
    return;
  Shape xStrides = stridesOf(x.shape());
  int64_t offset = 0;
  for (size_t axis = 0; axis < starts.size(); ++axis) {
    offset += starts[axis] * xStrides[axis];
    xStrides[axis] *= steps[axis];
  }
  stridedCopy(y.rawData(), elementAt(x.rawData(), offset, x.dtype()),
              sizeOf(x.dtype()),
              {y.shape(), {stridesOf(y.shape()), std::move(xStrides)}});
}

void expand(const Tensor &x, Tensor &y) {
  Shape xStrides = stridesOf(x.shape());
  Shape strides(y.shape().size(), 0);
  size_t offset = strides.size() - xStrides.size();
  for (size_t axis = 0; axis < xStrides.size(); ++axis)
    if (x.dim(axis) != 1)
      strides[offset + axis] = xStrides[axis];
  stridedCopy(y.rawData(), x.rawData(), sizeOf(x.dtype()),
              {y.shape(), {stridesOf(y.shape()), std::move(strides)}});
}

void tile(const Tensor &x, Tensor &y) {
  if (y.size() == 0)
    return;
  Shape xStrides = stridesOf(x.shape()), yStrides = stridesOf(y.shape());
  // Each axis becomes two: the repetitions and the axis itself.
  LoopNest<2> nest;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    int64_t dim = x.dim(axis);
    nest.dims.insert(nest.dims.end(), {y.dim(axis) / dim, dim});
    nest.strides[0].insert(nest.strides[0].end(),
                           {dim * yStrides[axis], yStrides[axis]});
    nest.strides[1].insert(nest.strides[1].end(), {0, xStrides[axis]});
  }
  stridedCopy(y.rawData(), x.rawData(), sizeOf(x.dtype()), std::move(nest));
}

void depthToSpace(const Tensor &x, Tensor &y, int64_t block, bool crd) {
  int64_t batch = x.dim(0), height = x.dim(2), width = x.dim(3);
  int64_t depth = y.dim(1);
  Tensor blocks = crd ? x.reshaped({batch, depth, block, block, height, width})
                      : x.reshaped({batch, block, block, depth, height, width});
  Tensor spread = y.reshaped({batch, depth, height, block, width, block});
  if (crd)
    transpose(blocks, spread, std::array<int64_t, 6>{0, 1, 4, 2, 5, 3});
  else
    transpose(blocks, spread, std::array<int64_t, 6>{0, 3, 4, 1, 5, 2});
}

void spaceToDepth(const Tensor &x, Tensor &y, int64_t block) {
  int64_t batch = x.dim(0), depth = x.dim(1);
  int64_t height = y.dim(2), width = y.dim(3);
  Tensor spread = x.reshaped({batch, depth, height, block, width, block});
  Tensor blocks = y.reshaped({batch, block, block, depth, height, width});
  transpose(spread, blocks, std::array<int64_t, 6>{0, 3, 5, 1, 2, 4});
}

void channelShuffle(const Tensor &x, Tensor &y, int64_t groups) {
  if (y.size() == 0)
    return;
  int64_t batch = x.dim(0), perGroup = x.dim(1) / groups;
  int64_t pixels = x.size() / (batch * x.dim(1));
  Tensor apart = x.reshaped({batch, groups, perGroup, pixels});
  Tensor mixed = y.reshaped({batch, perGroup, groups, pixels});
  transpose(apart, mixed, std::array<int64_t, 4>{0, 2, 1, 3});
}

} // namespace parallax::kernels
