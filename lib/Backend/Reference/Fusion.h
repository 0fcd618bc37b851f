//===- Fusion.h - Layers that are computed together ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What follows a convolution or matrix product and costs nothing if it is
// computed before the result leaves the registers. The network in MLIR stays
// as it is: fusion is an arrangement of the float engine, and it is off while
// somebody observes the layers.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_REFERENCE_FUSION_H
#define PARALLAX_LIB_BACKEND_REFERENCE_FUSION_H

#include "parallax/Backend/Core/KernelSet.h"
#include "parallax/Backend/Reference/Kernels/OneDnn.h"
#include "parallax/Dialect/NN/NNOps.h"

namespace parallax::reference {

/// The operations after a root, and what they mean to its kernel.
struct Epilogue {
  SmallVector<Operation *> absorbed;
  SmallVector<Value> extraOperands;
  /// First of the four parameters of a batch normalization among the kernel's
  /// operands, or -1.
  int batchNormInput = -1;
  float batchNormEpsilon = 0;
  /// Operand of the kernel with one number per column, or -1.
  int biasInput = -1;
  std::vector<kernels::PostOp> postOps;
};

/// Follows the result of `root` as long as `mayAbsorb` agrees and the kernel
/// can do the next operation.
Epilogue matchEpilogue(Operation *root,
                       const std::function<bool(Operation *)> &mayAbsorb);

/// The epilogue that was planned for an operation.
Epilogue plannedEpilogue(Operation *root, ArrayRef<Operation *> absorbed);

FusionPlan planFusion(mlir::func::FuncOp function,
                      const std::function<bool(Operation *)> &mayAbsorb);

/// The scale and shift per channel that a batch normalization amounts to. Its
/// scale, bias, mean and variance are the constant operands from `first` on,
/// which the kernel does not need any more.
kernels::ChannelAffine channelAffine(KernelBuilder &builder, size_t first,
                                     float epsilon);

} // namespace parallax::reference

#endif // PARALLAX_LIB_BACKEND_REFERENCE_FUSION_H
