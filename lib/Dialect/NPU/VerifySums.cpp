//===- VerifySums.cpp - What makes sums and rows legal --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Windows, sums along axes, resize, and what needs the statistics of rows.
//===----------------------------------------------------------------------===//
#include "parallax/Dialect/NPU/NPUOps.h"

#include "VerifyCodes.h"

#include "parallax/Support/FixedPoint.h"

namespace parallax::npu {
namespace {

/// The two tables of C62 for rows of `length`: no sum of their entries is 0, or
/// 2^62 or more.
template <typename OpTy>
LogicalResult checkExponentTables(OpTy op, int64_t length) {
  constexpr int64_t one = int64_t(1) << 30;
  if (failed(checkCount(op, "C62", "fine entries", op.getFine().size(), 256)) ||
      failed(checkCount(op, "C62", "coarse entries", op.getCoarse().size(),
                        isWide(op.getX()) ? 256 : 0)))
    return failure();
  for (ArrayRef<int64_t> table : {op.getFine(), op.getCoarse()}) {
    if (failed(checkEntries(op, "C62", "entry", table, 0, one)))
      return failure();
    if (!table.empty() && table.front() != one)
      return op.emitOpError("violates C62: the first entry is not 2^30");
  }
  if (length >> 32 != 0)
    return op.emitOpError("violates C64: a row has 2^32 elements or more");
  return success();
}

/// The logarithms of C65, and the coefficients of what they are added to.
template <typename OpTy> LogicalResult checkLogarithms(OpTy op) {
  if (failed(checkShift(op, int32_t(op.getShift()))) ||
      failed(checkCoefficients(op, "C65", int64_t(op.getLogarithm()))) ||
      failed(checkCount(op, "C65", "logarithms", op.getLogarithms().size(),
                        257)) ||
      failed(checkEntries(op, "C65", "logarithm", op.getLogarithms(), 0,
                          int64_t(1) << 20)))
    return failure();
  int64_t farthest = isWide(op.getX()) ? 65535 : 255;
  return checkEntries<int64_t>(op, "C65", "distance", int64_t(op.getDistance()),
                               0, (int64_t(1) << 61) / farthest);
}

/// The two tables of C62 and a result of the same shape.
template <typename OpTy> LogicalResult checkExponents(OpTy op) {
  if (failed(checkAxis(op, op.getX(), int64_t(op.getAxis()))) ||
      failed(checkResult(op)) ||
      failed(checkSameShape(op, "C64", op.getX(), op.getY())))
    return failure();
  int64_t length = typeOf(op.getX()).getDimSize(unsigned(op.getAxis()));
  return checkExponentTables(op, length);
}

} // namespace

template <typename OpTy> static Window windowOf(OpTy op) {
  return {op.getKernel(), op.getStrides(), op.getPads(), op.getDilations()};
}

LogicalResult AveragePoolOp::verify() {
  int64_t taps = 0;
  if (failed(checkPool(*this, "C36", windowOf(*this), taps)))
    return failure();
  return checkUnary(*this, taps + 1);
}

LogicalResult LpPoolOp::verify() {
  int64_t taps = 0;
  if (failed(checkPool(*this, "C36a", windowOf(*this), taps)))
    return failure();
  return checkUnary(*this, 1);
}

LogicalResult CumSumOp::verify() {
  if (failed(checkAxis(*this, getX(), int64_t(getAxis()))))
    return failure();
  if (typeOf(getX()).getShape() != typeOf(getY()).getShape())
    return emitOpError("violates C37a: its result has another shape");
  return checkUnary(*this, 1);
}

LogicalResult ReduceOp::verify() {
  return failed(checkReduction(*this, "C37", getAxes())) ? failure()
                                                         : checkUnary(*this, 1);
}

/// Outer dimensions, those that are resized and inner ones make up x and y.
static LogicalResult checkResizeShapes(ResizeOp op) {
  constexpr Int128 tooMany = Int128(1) << 62;
  // An extent of 0 does not make up for an absurd one beside it.
  struct Product {
    Int128 elements = 1, extents = 1;
  };
  Product in, out;
  Int128 taps = 0;
  bool isNegative = false;
  auto multiply = [&](Product &product, int64_t factor) {
    isNegative |= factor < 0;
    Int128 extent = std::max<int64_t>(factor, 0);
    product.elements = std::min(product.elements * extent, tooMany);
    product.extents =
        std::min(product.extents * std::max<Int128>(extent, 1), tooMany);
  };
  for (Product *product : {&in, &out}) {
    multiply(*product, int64_t(op.getOuter()));
    multiply(*product, int64_t(op.getInner()));
  }
  for (auto [from, to, count] :
       llvm::zip(op.getAxisIn(), op.getAxisOut(), op.getAxisTaps())) {
    multiply(in, from);
    multiply(out, to);
    isNegative |= count < 1;
    taps = std::min(taps + Int128(to) * count, tooMany);
  }
  if (isNegative || std::max(in.extents, out.extents) == tooMany ||
      in.elements != typeOf(op.getX()).getNumElements() ||
      out.elements != typeOf(op.getY()).getNumElements() ||
      typeOf(op.getX()).getRank() != typeOf(op.getY()).getRank())
    return op.emitOpError("violates C39: its lengths don't lead from ")
           << typeOf(op.getX()) << " to " << typeOf(op.getY());
  if (failed(checkCount(op, "C39", "indices", op.getIndices().size(),
                        int64_t(taps))))
    return failure();
  return checkCount(op, "C39", "weights", op.getWeights().size(),
                    int64_t(taps));
}

/// Indices are those of inputs, and the weights of an output sum to 1.
static LogicalResult checkResizeTaps(ResizeOp op) {
  auto axes = int64_t(op.getAxisIn().size());
  TargetAttr target = targetOf(op);
  bool wide = isWide(op.getX());
  int64_t accumulator = wide ? (target ? target.getAccumulatorBits_16() : 48)
                             : (target ? target.getAccumulatorBits_8() : 32);
  int64_t budget = accumulator - (wide ? 16 : 8) - 2;
  int64_t bits = axes == 0 ? 0 : std::min<int64_t>(15, budget / axes);
  if (int64_t(op.getFractionBits()) != bits || (axes > 0 && bits < 1))
    return op.emitOpError("violates C39: it has ")
           << op.getFractionBits() << " bits of fraction in place of " << bits;
  const int32_t *index = op.getIndices().data();
  const int32_t *weight = op.getWeights().data();
  for (auto [in, out, taps] :
       llvm::zip(op.getAxisIn(), op.getAxisOut(), op.getAxisTaps()))
    for (int64_t o = 0; o < out; ++o) {
      int64_t sum = 0;
      for (int64_t t = 0; t < taps; ++t, ++index) {
        if (*index < 0 || *index >= in)
          return op.emitOpError("violates C39a: index ")
                 << *index << " is outside of " << in << " inputs";
        sum += *weight++;
      }
      if (sum != int64_t(1) << bits)
        return op.emitOpError("violates C39: the weights of an output sum to ")
               << sum << " in place of 2^" << bits;
    }
  return success();
}

LogicalResult ResizeOp::verify() {
  auto axes = int64_t(getAxisIn().size());
  if (failed(checkCount(*this, "C39", "output lengths", getAxisOut().size(),
                        axes)) ||
      failed(checkCount(*this, "C39", "numbers of taps", getAxisTaps().size(),
                        axes)))
    return failure();
  if (failed(checkResizeShapes(*this)) || failed(checkResizeTaps(*this)))
    return failure();
  return checkUnary(*this, 1);
}

LogicalResult SoftmaxOp::verify() {
  if (failed(checkMultipliers(*this, getMultipliers(), getShifts())) ||
      failed(
          checkCount(*this, "C63", "multipliers", getMultipliers().size(), 1)))
    return failure();
  return checkExponents(*this);
}

LogicalResult LogSoftmaxOp::verify() {
  return failed(checkLogarithms(*this)) ? failure() : checkExponents(*this);
}

LogicalResult ReduceLogOp::verify() {
  bool hasExponents = getKind() == "sum_exp";
  if (failed(checkReduction(*this, hasExponents ? "C68" : "C67", getAxes())) ||
      failed(checkZeroPoint(*this, "x_zero_point", getX(),
                            int64_t(getXZeroPoint()))) ||
      failed(checkLogarithms(*this)) ||
      failed(checkEntries<int64_t>(*this, "C67", "offset", int64_t(getOffset()),
                                   -(int64_t(1) << 61), int64_t(1) << 61)) ||
      failed(checkResult(*this)))
    return failure();
  if (hasExponents)
    return checkExponentTables(*this, typeOf(getX()).getNumElements());
  return checkCount(*this, "C67", "entries of exponents",
                    getFine().size() + getCoarse().size(), 0);
}

LogicalResult NormalizeOp::verify() {
  auto count = int64_t(getCount()), groups = int64_t(getGroups());
  auto inner = int64_t(getInner());
  int64_t size = typeOf(getX()).getNumElements();
  if (count < 1 || groups < 1 || groups > (1 << 30) || inner < 1 ||
      count % inner != 0 || count > (1 << 24) || size % count != 0)
    return emitOpError("violates C70: rows of ")
           << count << " elements don't fit the operand";
  for (size_t entries : {getFactors().size(), getOffsets().size()})
    if (entries != 1 && failed(checkCount(*this, "C71", "factors or offsets",
                                          entries, groups * (count / inner))))
      return failure();
  int bits = 22 - std::max(0, (bitLength(count - 1) - 15) >> 1);
  if (int64_t(getFractionBits()) != bits)
    return emitOpError("violates C71: it has ")
           << getFractionBits() << " bits of fraction in place of " << bits;
  const llvm::APInt epsilon = getEpsilon();
  if (epsilon.getBitWidth() != 128 || epsilon.getActiveBits() > 118)
    return emitOpError("violates C70: epsilon is not below 2^118");
  if (failed(checkZeroPoint(*this, "x_zero_point", getX(),
                            int64_t(getXZeroPoint()))) ||
      failed(checkCoefficients(*this, "C71", getFactors())) ||
      failed(checkEntries(*this, "C71", "offset", getOffsets(),
                          -(int64_t(1) << 60), int64_t(1) << 60)) ||
      failed(checkSameShape(*this, "C75", getX(), getY())) ||
      failed(checkShift(*this, int32_t(getShift()))))
    return failure();
  return checkResult(*this);
}

} // namespace parallax::npu
