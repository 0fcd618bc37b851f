//===- Parameters.h - From operations to parameters of kernels -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What more than one engine reads from an operation.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_REFERENCE_PARAMETERS_H
#define PARALLAX_BACKEND_REFERENCE_PARAMETERS_H

#include "parallax/Backend/Kernels/Elementwise.h"
#include "parallax/Backend/Kernels/OperatorParams.h"
#include "parallax/Backend/Kernels/Resize.h"
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

/// The windows of a pooling operator of any dialect.
template <typename OpTy> kernels::PoolParams windowParams(OpTy op) {
  ArrayRef<int64_t> pads = op.getPads();
  size_t spatial = pads.size() / 2;
  kernels::PoolParams params;
  params.kernel = op.getKernel().vec();
  params.strides = op.getStrides().vec();
  params.dilations = op.getDilations().vec();
  params.padsBegin = pads.take_front(spatial).vec();
  params.padsEnd = pads.drop_front(spatial).vec();
  return params;
}

kernels::PoolParams poolParams(nn::AveragePoolOp op);
kernels::PoolParams poolParams(nn::LpPoolOp op);
kernels::PoolParams poolParams(nn::MaxPoolOp op);
kernels::PoolParams poolParams(nn::MaxPoolWithIndicesOp op);
kernels::ResizeParams resizeParams(nn::ResizeOp op);
kernels::RecurrentParams recurrentParams(nn::RNNOp op);
kernels::RecurrentParams recurrentParams(nn::GRUOp op);
kernels::RecurrentParams recurrentParams(nn::LSTMOp op);

/// The shapes of a product, in which a vector is a matrix of one row or column.
struct ProductShapes {
  Shape a, b, y;
};
/// The same product with a matrix in place of each vector.
ProductShapes matrixShapes(ProductShapes shapes);

/// Calls fn(TypeTag<operation>(), kind) for every reduction.
template <typename Fn> void forEachReduction(Fn fn) {
  using enum kernels::ReduceKind;
  fn(TypeTag<nn::ReduceL1Op>(), L1);
  fn(TypeTag<nn::ReduceL2Op>(), L2);
  fn(TypeTag<nn::ReduceLogSumOp>(), LogSum);
  fn(TypeTag<nn::ReduceLogSumExpOp>(), LogSumExp);
  fn(TypeTag<nn::ReduceMaxOp>(), Max);
  fn(TypeTag<nn::ReduceMeanOp>(), Mean);
  fn(TypeTag<nn::ReduceMinOp>(), Min);
  fn(TypeTag<nn::ReduceProdOp>(), Prod);
  fn(TypeTag<nn::ReduceSumOp>(), Sum);
  fn(TypeTag<nn::ReduceSumSquareOp>(), SumSquare);
}

} // namespace parallax::reference

#endif // PARALLAX_BACKEND_REFERENCE_PARAMETERS_H
