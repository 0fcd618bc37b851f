//===- Parameters.h - From operations to parameters of kernels -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What more than one engine reads from an operation.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_REFERENCE_PARAMETERS_H
#define PARALLAX_BACKEND_REFERENCE_PARAMETERS_H

#include "parallax/Backend/Reference/Kernels/Elementwise.h"
#include "parallax/Backend/Reference/Kernels/Pool.h"
#include "parallax/Backend/Reference/Kernels/Recurrent.h"
#include "parallax/Backend/Reference/Kernels/Resize.h"
#include "parallax/Dialect/NN/NNOps.h"

#include "llvm/ADT/StringMap.h"

namespace parallax::reference {

/// A function of one number, with what its operation gives as parameters.
struct UnaryFunction {
  kernels::UnaryKind kind;
  float alpha = 0, beta = 0;
};
/// By the name of the operation.
const llvm::StringMap<std::function<UnaryFunction(Operation *)>> &
unaryFunctions();

kernels::PoolParams poolParams(nn::AveragePoolOp op);
kernels::PoolParams poolParams(nn::LpPoolOp op);
kernels::PoolParams poolParams(nn::MaxPoolOp op);
kernels::PoolParams poolParams(nn::MaxPoolWithIndicesOp op);
kernels::ResizeParams resizeParams(nn::ResizeOp op);
kernels::RecurrentParams recurrentParams(nn::RNNOp op);
kernels::RecurrentParams recurrentParams(nn::GRUOp op);
kernels::RecurrentParams recurrentParams(nn::LSTMOp op);

} // namespace parallax::reference

#endif // PARALLAX_BACKEND_REFERENCE_PARAMETERS_H
