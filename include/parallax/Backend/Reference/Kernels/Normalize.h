//===- Normalize.h - Reference kernels: normalization ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// float32 kernels with the meaning of the ONNX operators. Variances are
// computed in two passes, the deviations from a mean that is carried in two
// floats: a large common offset doesn't cost accuracy.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_REFERENCE_KERNELS_NORMALIZE_H
#define PARALLAX_BACKEND_REFERENCE_KERNELS_NORMALIZE_H

#include "parallax/Support/Tensor.h"

namespace parallax::kernels {

/// y = (x - mean) / sqrt(var + eps) * scale + bias per channel (dimension 1; a
/// tensor of rank 1 has one channel).
void batchNorm(const Tensor &x, const Tensor &scale, const Tensor &bias,
               const Tensor &mean, const Tensor &var, Tensor &y, float eps);

/// y = (x - mean) / std with one entry for each entry of `axis`. Subtracts and
/// divides, as the reader of calibration pictures does: both give the same
/// bits.
void normalize(const Tensor &x, Tensor &y, std::span<const float> mean,
               std::span<const float> std, int64_t axis);

/// Statistics per image and channel.
void instanceNorm(const Tensor &x, const Tensor &scale, const Tensor &bias,
                  Tensor &y, float eps);

/// Statistics per image and group of channels. `perChannelScale` is the form of
/// opset 21; before, scale and bias had one entry per group.
void groupNorm(const Tensor &x, const Tensor &scale, const Tensor &bias,
               Tensor &y, int64_t groups, float eps, bool perChannelScale);

/// Statistics over the dimensions from `axis` on. `scale` and `bias` broadcast
/// to x; `bias`, `mean` and `invStd` may be null.
void layerNorm(const Tensor &x, const Tensor &scale, const Tensor *bias,
               Tensor &y, Tensor *mean, Tensor *invStd, int64_t axis,
               float eps);

/// y = x / sqrt(mean(x^2) + eps) * scale over the dimensions from `axis` on.
void rmsNorm(const Tensor &x, const Tensor &scale, Tensor &y, int64_t axis,
             float eps);

/// Divides by the L1 or L2 norm along `axis`, or by `eps` if that is larger;
/// zeros stay zeros.
void lpNorm(const Tensor &x, Tensor &y, int64_t axis, int64_t p, float eps = 0);

/// y = x / (bias + alpha / size * sum)^beta, with the sum of squares over
/// `size` neighbouring channels.
void lrn(const Tensor &x, Tensor &y, int64_t size, float alpha, float beta,
         float bias);

/// y = (x - mean) / (deviation + 1e-9), statistics over `axes`.
void meanVarianceNorm(const Tensor &x, Tensor &y,
                      std::span<const int64_t> axes);

/// The softmax along one axis, or its logarithm.
void softmax(const Tensor &x, Tensor &y, int64_t axis, bool log);

/// 1 at the first maximum along `axis`, 0 elsewhere.
void hardmax(const Tensor &x, Tensor &y, int64_t axis);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_REFERENCE_KERNELS_NORMALIZE_H
