//===- VerifyRecurrent.cpp - What makes a recurrent layer legal -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The three layers differ in the numbers of gates, functions and states. As in
// Verify.cpp, every error names the statement of docs/numerics.md that it is
// about, and kernels rely on these checks.
//===----------------------------------------------------------------------===//
#include "parallax/Dialect/NPU/NPUOps.h"

#include "VerifyCodes.h"

namespace parallax::npu {
namespace {

/// Knots of a function (C100).
constexpr int64_t knotCount = 4097;

/// What differs between the layers.
struct CellKind {
  int64_t gates, functions, states;
};

template <typename OpTy> class RecurrentCheck {
public:
  RecurrentCheck(OpTy op, const CellKind &kind) : op(op), kind(kind) {}

  LogicalResult run() {
    if (failed(checkShapes()) || failed(checkStates()) || failed(checkRows()) ||
        failed(checkFunctions()))
      return failure();
    return checkResults();
  }

  /// The weights of all rows have passed, so extents are known.
  int64_t directions = 1, hidden = 1;

  LogicalResult checkBelow(StringRef label, StringRef what,
                           ArrayRef<int64_t> values, int bits) {
    for (int64_t value : values)
      if (value >= int64_t(1) << bits || value <= -(int64_t(1) << bits))
        return op.emitOpError()
               << "violates " << label << ": " << what << " " << value
               << " has more than " << bits << " bits";
    return success();
  }

  int32_t fractionOf(int64_t function) {
    return op.getTableFractions()[size_t(op.getFunctions()[size_t(function)])];
  }

private:
  LogicalResult checkShapes() {
    bool batchFirst = op.getLayout() == 1;
    ArrayRef<int64_t> x = typeOf(op.getX()).getShape(),
                      w = typeOf(op.getWeight()).getShape(),
                      r = typeOf(op.getRecurrent()).getShape();
    if (op.getLayout() > 1 || x.size() != 3 || w.size() != 3 || r.size() != 3)
      return op.emitOpError("violates C104: x and weights need rank 3");
    directions = op.getDirection() == "bidirectional" ? 2 : 1;
    hidden = r[2];
    int64_t rows = kind.gates * hidden;
    int64_t steps = x[batchFirst ? 1 : 0], batch = x[batchFirst ? 0 : 1];
    if (hidden < 1 || w != ArrayRef<int64_t>{directions, rows, x[2]} ||
        r != ArrayRef<int64_t>{directions, rows, hidden})
      return op.emitOpError("violates C104: weights don't fit directions, "
                            "gates, units and inputs");
    for (Value weight : {op.getWeight(), op.getRecurrent()})
      if (failed(checkWeights(op, weight)))
        return failure();
    SmallVector<int64_t> all{steps, directions, batch, hidden};
    SmallVector<int64_t> state{directions, batch, hidden};
    if (batchFirst) {
      all = {batch, steps, directions, hidden};
      state = {batch, directions, hidden};
    }
    if (typeOf(op.getSequenceLens()).getShape() != ArrayRef<int64_t>{batch})
      return op.emitOpError("violates C108: it needs a length per sequence");
    bool fits = typeOf(op->getResult(0)).getShape() == ArrayRef<int64_t>(all);
    for (Value value : op->getOperands().drop_front(4))
      fits = fits && typeOf(value).getShape() == ArrayRef<int64_t>(state);
    for (Value value : op->getResults().drop_front(1))
      fits = fits && typeOf(value).getShape() == ArrayRef<int64_t>(state);
    if (!fits)
      return op.emitOpError(
          "violates C102: states don't fit directions, sequences and units");
    return success();
  }

  LogicalResult checkZero(Value value, int64_t zero) {
    return checkZeroPoint(op, "zero point", value, zero);
  }

  LogicalResult checkFactors(ArrayRef<int32_t> multipliers,
                             ArrayRef<int32_t> shifts) {
    for (auto [multiplier, shift] : llvm::zip(multipliers, shifts))
      if (multiplier < 0 || shift < 1 || shift > 78)
        return op.emitOpError() << "violates C11: the multiplier " << multiplier
                                << " with shift " << shift;
    return success();
  }

  LogicalResult checkStates() {
    for (size_t count :
         {op.getInitialZeroPoints().size(), op.getInitialMultipliers().size(),
          op.getInitialShifts().size()})
      if (failed(checkCount(op, "C103", "initial factors", count, kind.states)))
        return failure();
    for (auto [value, zero] :
         llvm::zip(op->getOperands().drop_front(4), op.getInitialZeroPoints()))
      if (failed(checkZero(value, zero)))
        return failure();
    if (int32_t(op.getStateFraction()) < 0 ||
        int32_t(op.getStateFraction()) > 15)
      return op.emitOpError("violates C102: F_h is not from 0 to 15");
    if (failed(checkZero(op.getX(), int64_t(op.getXZeroPoint()))))
      return failure();
    return checkFactors(op.getInitialMultipliers(), op.getInitialShifts());
  }

  LogicalResult checkRows() {
    int64_t rows = directions * kind.gates * hidden;
    for (size_t count :
         {op.getInputFactors().size(), op.getStateFactors().size(),
          op.getOffsets().size(), op.getGateShifts().size()})
      if (failed(checkCount(op, "C104", "factors", count, rows)))
        return failure();
    for (int32_t shift : op.getGateShifts())
      if (shift < 1 || shift > 78)
        return op.emitOpError()
               << "violates C11: shift " << shift << " is not from 1 to 78";
    if (failed(checkBelow("C104", "factor", op.getInputFactors(), 31)) ||
        failed(checkBelow("C104", "factor", op.getStateFactors(), 31)))
      return failure();
    return checkBelow("C104", "offset", op.getOffsets(), 62);
  }

  LogicalResult checkFunctions() {
    auto tables = int64_t(op.getTableFractions().size());
    if (failed(checkCount(op, "C100", "knots", op.getTables().size(),
                          tables * knotCount)) ||
        failed(checkCount(op, "C100", "functions", op.getFunctions().size(),
                          directions * kind.functions)))
      return failure();
    for (int32_t knot : op.getTables())
      if (std::abs(int64_t(knot)) > int64_t(1) << 23)
        return op.emitOpError()
               << "violates C100: knot " << knot << " is beyond 2^23";
    for (int32_t fraction : op.getTableFractions())
      if (fraction < 10 || fraction > 15)
        return op.emitOpError() << "violates C100: a function has " << fraction
                                << " bits of fraction";
    for (int64_t function : op.getFunctions())
      if (function < 0 || function >= tables)
        return op.emitOpError()
               << "violates C100: there is no function " << function;
    auto limit = int64_t(op.getLimit());
    if (limit < 0 || limit >= int64_t(1) << 19)
      return op.emitOpError() << "violates C101: arguments up to " << limit
                              << " are beyond a table";
    return success();
  }

  LogicalResult checkResults() {
    int64_t count = op->getNumResults();
    for (size_t entries :
         {op.getZeroPoints().size(), op.getLows().size(), op.getHighs().size(),
          op.getMultipliers().size(), op.getShifts().size()})
      if (failed(checkCount(op, "C108", "factors or limits of results", entries,
                            count)))
        return failure();
    for (auto [value, zero, low, high] :
         llvm::zip(op->getResults(), op.getZeroPoints(), op.getLows(),
                   op.getHighs())) {
      if (isa<mlir::IntegerType>(mlir::getElementTypeOrSelf(value.getType())) &&
          (failed(checkZero(value, zero)) ||
           failed(checkLimits(op, value, low, high))))
        return failure();
    }
    return checkFactors(op.getMultipliers(), op.getShifts());
  }

  OpTy op;
  CellKind kind;
};

} // namespace

LogicalResult RNNOp::verify() { return RecurrentCheck(*this, {1, 1, 1}).run(); }

LogicalResult GRUOp::verify() {
  RecurrentCheck check(*this, {3, 2, 1});
  if (failed(check.run()))
    return failure();
  int64_t count = getLinearBeforeReset() ? check.directions * check.hidden : 0;
  if (failed(checkCount(*this, "C106", "offsets of the state",
                        getStateOffsets().size(), count)))
    return failure();
  return check.checkBelow("C106", "offset", getStateOffsets(), 62);
}

LogicalResult LSTMOp::verify() {
  RecurrentCheck check(*this, {4, 3, 2});
  if (failed(check.run()))
    return failure();
  if (!getPeepholes().empty() &&
      failed(checkCount(*this, "C104", "peepholes", getPeepholes().size(),
                        check.directions * 3 * check.hidden)))
    return failure();
  if (failed(check.checkBelow("C104", "peephole", getPeepholes(), 31)))
    return failure();
  for (int64_t d = 0; d < check.directions; ++d)
    if (check.fractionOf(3 * d) + check.fractionOf(3 * d + 2) - 15 <
        int32_t(getStateFraction()))
      return emitOpError("violates C102: F_h is more than its functions have");
  return success();
}

} // namespace parallax::npu
