//===- LiteralCells.cpp - A literal reading of recurrent layers -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// From operations to the functions of LiteralRecurrent.h, with the integers of
// C109, and of LiteralFloat.h (C99).
//===----------------------------------------------------------------------===//
#include "../NPU/LiteralRecurrent.h"
#include "LiteralAttributes.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

namespace parallax::literal {
namespace {

Codes withOutput(Value value, int64_t zero, int64_t low, int64_t high) {
  Codes y = emptyItem(value.getType()).codes;
  y.zero = zero;
  y.low = low;
  y.high = high;
  return y;
}

template <typename OpTy> Items evaluateRecurrent(OpTy op, const Items &x) {
  constexpr bool isLstm = std::is_same_v<OpTy, npu::LSTMOp>;
  constexpr bool isGru = std::is_same_v<OpTy, npu::GRUOp>;
  Recurrent layer;
  layer.kind = isLstm ? "lstm" : isGru ? "gru" : "rnn";
  layer.directions = op.getDirection() == "bidirectional" ? 2 : 1;
  layer.reverse = op.getDirection() == "reverse";
  layer.batchFirst = op.getLayout() != 0;
  layer.hidden = x[2].codes.dims[2];
  int64_t rows = int64_t(op.getInputFactors().size()) / layer.directions;
  RecurrentIntegers integers;
  integers.stateFraction = int(op.getStateFraction());
  integers.limit = int64_t(op.getLimit());
  for (int64_t f : op.getFunctions()) {
    auto knots = op.getTables().slice(size_t(f) * 4097, 4097);
    integers.functions.push_back(
        {wide(knots), op.getTableFractions()[size_t(f)]});
  }
  for (auto [kx, kh, b, s] :
       llvm::zip_equal(op.getInputFactors(), op.getStateFactors(),
                       op.getOffsets(), op.getGateShifts()))
    integers.rows.push_back({kx, kh, 0, b, 0, s});
  if constexpr (isLstm) {
    layer.inputForget = op.getInputForget();
    for (auto [i, k] : llvm::enumerate(op.getPeepholes())) {
      auto perDirection = size_t(3 * layer.hidden);
      integers.rows[i / perDirection * size_t(rows) + i % perDirection].c = k;
    }
  }
  if constexpr (isGru) {
    layer.linearBeforeReset = op.getLinearBeforeReset();
    for (auto [i, b] : llvm::enumerate(op.getStateOffsets())) {
      auto units = size_t(layer.hidden);
      integers.rows[i / units * size_t(rows) + 2 * units + i % units].stateB =
          b;
    }
  }
  auto initial = [&](size_t i) -> Factor {
    return {op.getInitialMultipliers()[i], op.getInitialShifts()[i]};
  };
  auto stateOf = [&](size_t operand, size_t i) {
    return withZero(x[operand], uint64_t(op.getInitialZeroPoints()[i]));
  };
  std::vector<Codes> y;
  std::vector<Factor> factors = factorsOf(op);
  for (auto [i, value] : llvm::enumerate(op->getResults()))
    y.push_back(withOutput(value, op.getZeroPoints()[i], op.getLows()[i],
                           op.getHighs()[i]));
  integers.initialH = initial(0);
  integers.y = factors[0];
  integers.yH = factors[1];
  Codes c0;
  if constexpr (isLstm) {
    integers.initialC = initial(1);
    integers.yC = factors[2];
    c0 = stateOf(5, 1);
  }
  y.resize(3);
  recurrent(layer, integers, withZero(x[0], op.getXZeroPoint()), x[1].codes,
            x[2].codes, x[3].codes.values, stateOf(4, 0), c0, y[0], y[1], y[2],
            tieOf(op));
  Items results;
  for (size_t i = 0; i < op->getNumResults(); ++i)
    results.push_back(codesItem(y[i]));
  return results;
}

Floats partOf(const Item &x, int64_t direction, int64_t directions) {
  auto size = long(x.floats.size()) / directions;
  return {x.floats.begin() + direction * size,
          x.floats.begin() + (direction + 1) * size};
}

/// C99: all directions and sequences, by their places.
template <typename OpTy>
void recurrentLayers(OpTy op, const Items &x, Items &results) {
  constexpr bool isLstm = std::is_same_v<OpTy, nn::LSTMOp>;
  constexpr bool isGru = std::is_same_v<OpTy, nn::GRUOp>;
  int64_t directions = op.getDirection() == "bidirectional" ? 2 : 1;
  bool batchFirst = op.getLayout() == 1;
  Array input = floatsOf(x[0]);
  int64_t batches = input.dims[batchFirst ? 0 : 1];
  auto units = int64_t(op.getHiddenSize());
  std::vector<Array> y;
  for (Item &item : results)
    y.emplace_back(item.codes.dims);
  for (int64_t d = 0; d < directions; ++d)
    for (int64_t b = 0; b < batches; ++b) {
      FloatCell cell;
      cell.kind = isLstm ? "LSTM" : isGru ? "GRU" : "RNN";
      size_t perDirection = op.getActivations().size() / size_t(directions);
      for (size_t i = 0; i < perDirection; ++i) {
        auto name =
            cast<StringAttr>(op.getActivations()[size_t(d) * perDirection + i]);
        cell.functions.push_back(
            [name = name.str()](float v) { return floatFunction(name, v); });
      }
      cell.w = partOf(x[1], d, directions);
      cell.r = partOf(x[2], d, directions);
      cell.b = partOf(x[3], d, directions);
      cell.hidden = units;
      cell.depth = input.dims[2];
      cell.clip = op.getClip() ? op.getClip()->convertToFloat() : INFINITY;
      if constexpr (isLstm) {
        cell.p = partOf(x[7], d, directions);
        cell.inputForget = op.getInputForget();
      }
      if constexpr (isGru)
        cell.linearBeforeReset = op.getLinearBeforeReset();
      int64_t length = x[4].codes.values[size_t(b)];
      bool backwards = op.getDirection() == "reverse" || d == 1;
      auto timeOf = [&](int64_t i) { return backwards ? length - 1 - i : i; };
      auto stateAt = [&](int64_t j) {
        return batchFirst ? Dims{b, d, j} : Dims{d, b, j};
      };
      std::vector<Floats> sequence;
      for (int64_t i = 0; i < length; ++i) {
        sequence.emplace_back();
        for (int64_t k = 0; k < cell.depth; ++k)
          sequence.back().push_back(input.at(
              batchFirst ? Dims{b, timeOf(i), k} : Dims{timeOf(i), b, k}));
      }
      Floats h, c;
      for (int64_t j = 0; j < units; ++j) {
        h.push_back(floatsOf(x[5]).at(stateAt(j)));
        c.push_back(isLstm ? floatsOf(x[6]).at(stateAt(j)) : 0.0f);
      }
      std::vector<Floats> states = floatRecurrent(cell, sequence, h, c);
      for (int64_t i = 0; i < length; ++i)
        for (int64_t j = 0; j < units; ++j)
          y[0].at(batchFirst ? Dims{b, timeOf(i), d, j}
                             : Dims{timeOf(i), d, b, j}) =
              states[size_t(i)][size_t(j)];
      for (int64_t j = 0; j < units; ++j) {
        y[1].at(stateAt(j)) = h[size_t(j)];
        if constexpr (isLstm)
          y[2].at(stateAt(j)) = c[size_t(j)];
      }
    }
  for (size_t i = 0; i < results.size(); ++i)
    results[i].floats = y[i].values;
}

} // namespace

bool recurLiterally(Operation *op, const Items &x, Items &results) {
  bool isKnown = true;
  llvm::TypeSwitch<Operation *>(op)
      .Case<npu::LSTMOp, npu::GRUOp, npu::RNNOp>(
          [&](auto op) { results = evaluateRecurrent(op, x); })
      .Case<nn::LSTMOp, nn::GRUOp, nn::RNNOp>(
          [&](auto op) { recurrentLayers(op, x, results); })
      .Default([&](Operation *) { isKnown = false; });
  return isKnown;
}

} // namespace parallax::literal
