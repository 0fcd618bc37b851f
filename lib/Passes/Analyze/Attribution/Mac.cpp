//===- Mac.cpp - What operands of products are worth ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The transpose of a product is a product again, and that of a convolution a
// transposed convolution with the same weights, so that the kernels of the
// float engine do the work. Of two factors that both differ, each is multiplied
// by the middle of the other.
//===----------------------------------------------------------------------===//
#include "Adjoint.h"

#include <numeric>
#include <set>

using namespace mlir;

namespace parallax::analyze {
namespace {

bool convBack(Layer &layer, nn::ConvOp op) {
  Shape x = layer.shapeOf(0), y = layer.resultShape(), w = layer.shapeOf(1);
  if (!layer.isConstant(1) || (op.getBias() && !layer.isConstant(2)))
    return false;
  // What the last window does not reach gets nothing.
  SmallVector<int64_t> rest;
  for (size_t i = 2, n = x.size() - 2; i < x.size(); ++i)
    rest.push_back(x[i] - (y[i] - 1) * op.getStrides()[i - 2] -
                   (w[i] - 1) * op.getDilations()[i - 2] - 1 +
                   op.getPads()[i - 2] + op.getPads()[i - 2 + n]);
  layer.give(0,
             layer.makeBack<nn::ConvTransposeOp>(
                 x, layer.gradient(), layer.floats(1), Value(), op.getStrides(),
                 op.getPads(), op.getDilations(), rest, op.getGroup()));
  return true;
}

bool convTransposeBack(Layer &layer, nn::ConvTransposeOp op) {
  if (!layer.isConstant(1) || (op.getBias() && !layer.isConstant(2)))
    return false;
  layer.give(0, layer.makeBack<nn::ConvOp>(layer.shapeOf(0), layer.gradient(),
                                           layer.floats(1), Value(),
                                           op.getStrides(), op.getPads(),
                                           op.getDilations(), op.getGroup()));
  return true;
}

bool fullyConnectedBack(Layer &layer, nn::FullyConnectedOp op) {
  if (!layer.isConstant(1) || (op.getBias() && !layer.isConstant(2)))
    return false;
  layer.give(0, layer.makeBack<nn::MatMulOp>(layer.shapeOf(0), layer.gradient(),
                                             layer.floats(1)));
  return true;
}

bool gemmBack(Layer &layer, nn::GemmOp op) {
  bool transA = op.getTransA(), transB = op.getTransB();
  auto give = [&](unsigned operand, Value first, Value second, bool transFirst,
                  bool transSecond) {
    layer.give(operand,
               layer.makeBack<nn::GemmOp>(layer.shapeOf(operand), first, second,
                                          Value(), op.getAlpha(), op.getBeta(),
                                          transFirst, transSecond));
  };
  Value g = layer.gradient();
  if (layer.wants(0)) {
    Value b = layer.middle(1);
    transA ? give(0, b, g, transB, true) : give(0, g, b, false, !transB);
  }
  if (layer.wants(1)) {
    Value a = layer.middle(0);
    transB ? give(1, g, a, true, transA) : give(1, a, g, !transA, false);
  }
  if (op.getC() && layer.wants(2)) {
    Tensor beta(DType::F32, {});
    *beta.data<float>() = op.getBeta().convertToFloat();
    layer.give(
        2, layer.product(g, layer.values.constant(beta), layer.resultShape()));
  }
  return true;
}

/// The last two dimensions change places.
Value transposed(Layer &layer, OpBuilder &builder, Value value, Shape shape) {
  SmallVector<int64_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return layer.make<nn::TransposeOp>(builder, shape, value, order);
}

bool matMulBack(Layer &layer, nn::MatMulOp) {
  Shape a = layer.shapeOf(0), b = layer.shapeOf(1), y = layer.resultShape();
  Value g = layer.gradient();
  // Weights need not be turned: a fully connected layer reads them so.
  if (layer.isConstant(1) && b.size() == 2 && a.size() >= 2) {
    layer.give(0, layer.makeBack<nn::FullyConnectedOp>(a, g, layer.floats(1),
                                                       Value()));
    return true;
  }
  // Vectors are matrices of one row, or one column.
  if (a.size() == 1) {
    a.insert(a.begin(), 1);
    y.insert(y.end() - (b.size() == 1 ? 0 : 1), 1);
  }
  if (b.size() == 1) {
    b.push_back(1);
    y.push_back(1);
  }
  g = layer.reshaped(layer.back, g, y);
  Shape batch(y.begin(), y.end() - 2);
  auto withBatch = [&](int64_t rows, int64_t columns) {
    Shape shape = batch;
    shape.insert(shape.end(), {rows, columns});
    return shape;
  };
  // A vector has got its one row or column back by then, so that only what was
  // broadcast is summed.
  auto give = [&](unsigned operand, Value gradient, const Shape &padded) {
    if (padded.size() != layer.shapeOf(operand).size()) {
      Shape summed = padded;
      Value sum = gradient;
      if (!batch.empty()) {
        SmallVector<int64_t> axes(batch.size());
        std::iota(axes.begin(), axes.end(), 0);
        sum = layer.makeBack<nn::ReduceSumOp>(summed, sum, axes,
                                              /*keepdims=*/false);
      }
      gradient = layer.reshaped(layer.back, sum, layer.shapeOf(operand));
    }
    layer.give(operand, gradient);
  };
  int64_t m = y[y.size() - 2], n = y.back(), k = a.back();
  if (layer.wants(0)) {
    Value other = layer.reshaped(layer.beside, layer.middle(1), b);
    give(0,
         layer.makeBack<nn::MatMulOp>(withBatch(m, k), g,
                                      transposed(layer, layer.back, other, b)),
         a);
  }
  if (layer.wants(1)) {
    Value other = layer.reshaped(layer.beside, layer.middle(0), a);
    give(1,
         layer.makeBack<nn::MatMulOp>(
             withBatch(k, n), transposed(layer, layer.back, other, a), g),
         b);
  }
  return true;
}

/// For two operands: what stands for one of them changes places with the
/// result.
bool einsumBack(Layer &layer, nn::EinsumOp op) {
  auto [operands, result] = op.getEquation().split("->");
  auto [a, b] = operands.split(',');
  std::string terms[] = {a.str(), b.str()}, y = result.str();
  for (std::string *term : {&terms[0], &terms[1], &y})
    std::erase(*term, ' ');
  if (op->getNumOperands() != 2 || y.empty() || op.getEquation().contains('.'))
    return false;
  auto letters = [](const std::string &term) {
    return std::set<char>(term.begin(), term.end());
  };
  for (unsigned i = 0; i < 2; ++i) {
    std::set<char> known = letters(y + terms[1 - i]);
    if (letters(terms[i]).size() != terms[i].size() ||
        llvm::any_of(terms[i], [&](char c) { return !known.contains(c); }))
      return false;
  }
  for (unsigned i = 0; i < 2; ++i)
    if (layer.wants(i)) {
      Value operandsBack[] = {layer.gradient(), layer.middle(1 - i)};
      layer.give(i, layer.makeBack<nn::EinsumOp>(
                        layer.shapeOf(i), ValueRange(operandsBack),
                        y + "," + terms[1 - i] + "->" + terms[i]));
    }
  return true;
}

} // namespace

void addMacAdjoints(AdjointTable &table) {
  table.add<nn::ConvOp>(convBack);
  table.add<nn::ConvTransposeOp>(convTransposeBack);
  table.add<nn::FullyConnectedOp>(fullyConnectedBack);
  table.add<nn::GemmOp>(gemmBack);
  table.add<nn::MatMulOp>(matMulBack);
  table.add<nn::EinsumOp>(einsumBack);
}

} // namespace parallax::analyze
