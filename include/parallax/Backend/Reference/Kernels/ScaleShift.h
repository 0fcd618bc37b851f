//===- ScaleShift.h - Scale and shift per channel --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What a batch normalization with known statistics amounts to, in both
// layouts, with the rectifier that mostly follows it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_REFERENCE_KERNELS_SCALESHIFT_H
#define PARALLAX_BACKEND_REFERENCE_KERNELS_SCALESHIFT_H

#include "parallax/Support/Tensor.h"

namespace parallax::kernels {

/// y = x * mul + add, then max(y, 0) with `relu`. Float32. x is [N, C, ...], or
/// with `block` > 1 [N, C / block, ..., block]; `mul` and `add` have an entry
/// for each channel, those that fill up the last block included. y may be x.
void scaleShiftBlocks(const Tensor &x, const Tensor &mul, const Tensor &add,
                      Tensor &y, int64_t block, bool relu);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_REFERENCE_KERNELS_SCALESHIFT_H
