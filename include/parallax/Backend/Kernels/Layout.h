//===- Layout.h - Kernels that move elements -------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// These kernels know elements by their size only, so they serve float tensors
// and integer codes alike. Most of them are one strided copy (StridedCopy.h)
// with different strides.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_LAYOUT_H
#define PARALLAX_BACKEND_KERNELS_LAYOUT_H

#include "parallax/Support/Tensor.h"

namespace parallax::kernels {

/// Axis i of the output is axis perm[i] of the input.
void transpose(const Tensor &x, Tensor &y, std::span<const int64_t> perm);

void concat(std::span<const Tensor *const> inputs, Tensor &y, int64_t axis);

/// The inverse of concat; the outputs' shapes give the sizes.
void split(const Tensor &x, std::span<Tensor *const> outputs, int64_t axis);

/// One start and one step per axis of x. Starts are in [0, dim); steps may be
/// negative; y's shape says where to stop.
void slice(const Tensor &x, Tensor &y, std::span<const int64_t> starts,
           std::span<const int64_t> steps);

enum class PadMode { Constant, Reflect, Edge, Wrap };

/// One leading pad per axis of x; negative pads crop. The trailing pads follow
/// from y's shape. `value` points to one element and is only read by Constant.
void pad(const Tensor &x, Tensor &y, std::span<const int64_t> padsBegin,
         PadMode mode, const void *value);

/// Broadcasts x to y's shape.
void expand(const Tensor &x, Tensor &y);

/// Repeats x along each axis as often as it fits into y.
void tile(const Tensor &x, Tensor &y);

/// Of [N, C, H, W]; `crd` takes the block from the inner part of the channels
/// (column-row-depth order), else from the outer part.
void depthToSpace(const Tensor &x, Tensor &y, int64_t block, bool crd);
void spaceToDepth(const Tensor &x, Tensor &y, int64_t block);

/// Transposes the channels of [N, C, ...], seen as [groups, C / groups].
void channelShuffle(const Tensor &x, Tensor &y, int64_t groups);

/// Keeps the triangle on and above (`upper`), or on and below, the k-th
/// diagonal of the last two axes and zeroes the rest.
void trilu(const Tensor &x, Tensor &y, int64_t k, bool upper);

/// `values` holds the off and the on value. Indices outside of [-depth, depth)
/// leave only off values, as ONNX demands. `axis` is an axis of y.
void oneHot(const Tensor &indices, const Tensor &values, Tensor &y,
            int64_t axis);

/// Reverses the first lens[b] elements along `timeAxis` of each batch b. The
/// two axes are 0 and 1 in either order.
void reverseSequence(const Tensor &x, const Tensor &lens, Tensor &y,
                     int64_t batchAxis, int64_t timeAxis);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_KERNELS_LAYOUT_H
