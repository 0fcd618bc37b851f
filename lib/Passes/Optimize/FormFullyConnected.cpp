//===- FormFullyConnected.cpp - Products with weights ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One form for what exporters write as MatMul, MatMul and Add, or Gemm.
//===----------------------------------------------------------------------===//
#include "Families.h"
#include "Match.h"

using namespace mlir;

namespace parallax {
namespace {

/// A matrix times a factor, transposed if asked for.
Tensor scaledMatrix(const Tensor &matrix, bool transpose, double factor) {
  int64_t rows = matrix.dim(matrix.rank() - 2);
  int64_t columns = matrix.dim(matrix.rank() - 1);
  Tensor result(DType::F32,
                transpose ? Shape{columns, rows} : Shape{rows, columns});
  const float *from = matrix.data<float>();
  float *to = result.data<float>();
  if (!transpose) {
    for (int64_t i = 0; i < matrix.size(); ++i)
      to[i] = float(from[i] * factor);
    return result;
  }
  // Tiles that fit the cache: large matrices are read and written once.
  constexpr int64_t tile = 32;
  for (int64_t row = 0; row < rows; row += tile)
    for (int64_t column = 0; column < columns; column += tile)
      for (int64_t r = row; r < std::min(row + tile, rows); ++r)
        for (int64_t c = column; c < std::min(column + tile, columns); ++c)
          to[c * rows + r] = float(from[r * columns + c] * factor);
  return result;
}

/// A constant float matrix, ones in front of its dimensions allowed.
Tensor matrixOf(Value value) {
  Tensor tensor = constantOf(value);
  if (tensor.isNull() || tensor.dtype() != DType::F32 || tensor.rank() < 2)
    return {};
  for (int64_t i = 0; i + 2 < tensor.rank(); ++i)
    if (tensor.dim(i) != 1)
      return {};
  return tensor;
}

void formFromMatMul(nn::MatMulOp op, Proposal &proposal) {
  Tensor weight = matrixOf(op.getB());
  if (weight.isNull() || rankOf(op.getA()) < weight.rank())
    return;
  Value transposed = proposal.constantLike(
      op.getB(), scaledMatrix(weight, /*transpose=*/true, 1));
  proposal.replace(
      proposal.create<nn::FullyConnectedOp>({op.getA(), transposed}));
}

/// The numbers of a constant, one per column, times a factor.
Tensor scaledColumns(Value constant, RankedTensorType type, double factor) {
  std::optional<std::vector<double>> numbers =
      numbersAlong(constant, type, type.getRank() - 1);
  if (!numbers)
    return {};
  Tensor result(DType::F32, {int64_t(numbers->size())});
  llvm::transform(*numbers, result.data<float>(),
                  [&](double n) { return float(n * factor); });
  return result;
}

void addBias(nn::AddOp op, Proposal &proposal) {
  auto layer = operandMadeBy<nn::FullyConnectedOp>(op);
  if (!layer || layer.getBias() || layer.getType() != op.getType())
    return;
  Value constant = otherOperand(op, layer);
  Tensor bias = scaledColumns(constant, nn::getTensorType(op), 1);
  if (bias.isNull())
    return;
  proposal.replace(
      proposal.createLike(layer, {layer.getX(), layer.getWeight(),
                                  proposal.constantLike(constant, bias)}));
}

void formFromGemm(nn::GemmOp op, Proposal &proposal) {
  Tensor weight = matrixOf(op.getB());
  if (weight.isNull())
    return;
  Tensor bias;
  if (op.getC()) {
    bias = scaledColumns(op.getC(), nn::getTensorType(op),
                         op.getBeta().convertToFloat());
    if (bias.isNull())
      return;
  }
  Value x = op.getA();
  if (op.getTransA())
    x = proposal.create<nn::TransposeOp>(x, proposal.i64s("perm", {1, 0}),
                                         "transposed");
  double alpha = op.getAlpha().convertToFloat();
  SmallVector<Value> operands{x, op.getB()};
  if (!op.getTransB() || alpha != 1)
    operands[1] = proposal.constantLike(
        op.getB(), scaledMatrix(weight, !op.getTransB(), alpha));
  if (op.getC())
    operands.push_back(proposal.constantLike(op.getC(), bias));
  proposal.replace(proposal.create<nn::FullyConnectedOp>(operands));
}

} // namespace

Rewrites formFullyConnectedRewrites() {
  return {rewrite("form-fully-connected", formFromMatMul),
          rewrite("form-fully-connected-of-gemm", formFromGemm),
          rewrite("add-bias-to-fully-connected", addBias)};
}

} // namespace parallax
