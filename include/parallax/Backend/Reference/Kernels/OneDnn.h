//===- OneDnn.h - Kernels that oneDNN computes -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Convolution, matrix product and pooling in float32. Weights are packed when
// the kernel is made. Where oneDNN has a vectorised implementation for blocked
// channels, the kernel asks for that layout; otherwise it takes plain tensors.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_REFERENCE_KERNELS_ONEDNN_H
#define PARALLAX_BACKEND_REFERENCE_KERNELS_ONEDNN_H

#include "parallax/Backend/Core/Kernel.h"
#include "parallax/Backend/Kernels/OperatorParams.h"

namespace parallax::kernels {

/// The number of channels in a block that the vector unit likes.
int64_t preferredChannelBlock();

/// Brings a float32 value into another layout.
Kernel makeReorder(const ValueInfo &from, Layout to);

/// What is applied to a result before it leaves the registers.
struct PostOp {
  enum class Kind {
    Relu,
    LeakyRelu, ///< alpha
    Clip,      ///< alpha to beta
    Elu,       ///< alpha
    Sigmoid,
    Tanh,
    Silu,
    HardSwish,
    Mish,
    GeluErf,
    GeluTanh,
    Add, ///< operand `input`, of the result's shape
  };
  Kind kind = Kind::Relu;
  float alpha = 0, beta = 0;
  size_t input = 0;
};

struct ConvolutionParams {
  Shape strides, dilations, padsBegin, padsEnd;
  int64_t group = 1;
  bool transposed = false;
};

/// Scales and shifts every output channel: a batch normalization that becomes
/// part of the weights.
struct ChannelAffine {
  std::vector<float> scale, shift;
};

/// Operands: x, weight, then bias if `hasBias`, then those of post-ops. With
/// `affine` the weights must be constant.
Kernel makeConvolution(KernelBuilder &builder, const ConvolutionParams &params,
                       bool hasBias, std::span<const PostOp> postOps,
                       const ChannelAffine *affine);

struct MatMulParams {
  bool transposeA = false, transposeB = false;
  float alpha = 1;
  /// Operand that holds one number per column, if there is one.
  int biasInput = -1;
};

/// The product of operands 0 and 1 over their last two dimensions, with
/// leading dimensions broadcast. Ranks are at least 2.
Kernel makeMatMul(KernelBuilder &builder, const MatMulParams &params,
                  std::span<const PostOp> postOps);

/// Returns a kernel without a function if oneDNN does not have this pooling.
Kernel makePooling(KernelBuilder &builder, PoolKind kind,
                   const PoolParams &params);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_REFERENCE_KERNELS_ONEDNN_H
