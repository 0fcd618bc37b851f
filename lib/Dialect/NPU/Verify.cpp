//===- Verify.cpp - What makes an operation of the machine legal ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every error names the statement of docs/numerics.md that it is about. Kernels
// rely on these checks and have none of their own.
//===----------------------------------------------------------------------===//
#include "parallax/Dialect/NPU/NPUOps.h"

#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/TypeUtilities.h"

namespace parallax::npu {
namespace {

CodeLimits limitsOf(Value value) {
  return codeLimitsOf(*toDType(mlir::getElementTypeOrSelf(value.getType())));
}

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

LogicalResult checkZeroPoint(Operation *op, StringRef name, Value value,
                             int64_t zero) {
  CodeLimits limits = limitsOf(value);
  if (zero >= limits.low && zero <= limits.high)
    return success();
  return op->emitOpError() << "violates C2: " << name << " " << zero
                           << " is not a code of "
                           << mlir::getElementTypeOrSelf(value.getType());
}

/// C2 and C3 of the result.
template <typename OpTy> LogicalResult checkResult(OpTy op) {
  Value y = op.getY();
  if (!isa<mlir::IntegerType>(mlir::getElementTypeOrSelf(y.getType())))
    return success();
  auto zero = int64_t(op.getZeroPoint());
  auto low = int64_t(op.getLow()), high = int64_t(op.getHigh());
  if (failed(checkZeroPoint(op, "zero_point", y, zero)))
    return failure();
  CodeLimits limits = limitsOf(y);
  if (low <= high && low >= limits.low && high <= limits.high)
    return success();
  return op.emitOpError() << "violates C3: limits " << low << " to " << high
                          << " are not within "
                          << mlir::getElementTypeOrSelf(y.getType());
}

LogicalResult checkShift(Operation *op, int32_t shift, int32_t greatest = 78) {
  if (shift >= 1 && shift <= greatest)
    return success();
  return op->emitOpError() << "violates C11: shift " << shift
                           << " is not from 1 to " << greatest;
}

LogicalResult checkMultipliers(Operation *op, ArrayRef<int32_t> multipliers,
                               ArrayRef<int32_t> shifts) {
  if (multipliers.size() != shifts.size())
    return op->emitOpError()
           << "violates C11: " << multipliers.size() << " multipliers have "
           << shifts.size() << " shifts";
  for (auto [multiplier, shift] : llvm::zip(multipliers, shifts)) {
    bool isZero = multiplier == 0 && shift == 1;
    if (!isZero && multiplier < (1 << 30))
      return op->emitOpError()
             << "violates C11: multiplier " << multiplier << " is below 2^30";
    if (failed(checkShift(op, shift)))
      return failure();
  }
  return success();
}

LogicalResult checkCount(Operation *op, StringRef label, StringRef what,
                         size_t count, int64_t expected) {
  if (int64_t(count) == expected)
    return success();
  return op->emitOpError() << "violates " << label << ": it has " << count
                           << " " << what << " in place of " << expected;
}

/// Factors of a product: one for all or one per channel, as multipliers or for
/// a float result as scales.
template <typename OpTy> LogicalResult checkMac(OpTy op, int64_t channels) {
  bool isFloat =
      isa<mlir::FloatType>(mlir::getElementTypeOrSelf(op.getY().getType()));
  size_t count = isFloat ? op.getScales().size() : op.getMultipliers().size();
  if (failed(checkMultipliers(op, op.getMultipliers(), op.getShifts())) ||
      failed(checkResult(op)))
    return failure();
  return count == 1
             ? success()
             : checkCount(op, isFloat ? "C26" : "C25",
                          isFloat ? "scales" : "multipliers", count, channels);
}

template <typename OpTy> LogicalResult checkBias(OpTy op, int64_t channels) {
  Value bias = op.getBias();
  return bias ? checkCount(op, "C24", "biases",
                           size_t(typeOf(bias).getNumElements()), channels)
              : success();
}

template <typename OpTy> LogicalResult checkPair(OpTy op, int64_t factors) {
  if (failed(checkZeroPoint(op, "a_zero_point", op.getA(),
                            int64_t(op.getAZeroPoint()))) ||
      failed(checkZeroPoint(op, "b_zero_point", op.getB(),
                            int64_t(op.getBZeroPoint()))) ||
      failed(checkMultipliers(op, op.getMultipliers(), op.getShifts())) ||
      failed(checkResult(op)))
    return failure();
  return checkCount(op, "C11", "multipliers", op.getMultipliers().size(),
                    factors);
}

/// An operand x, the result, and a number of multipliers.
template <typename OpTy> LogicalResult checkUnary(OpTy op, int64_t factors) {
  if (failed(checkZeroPoint(op, "x_zero_point", op.getX(),
                            int64_t(op.getXZeroPoint()))) ||
      failed(checkMultipliers(op, op.getMultipliers(), op.getShifts())) ||
      failed(checkResult(op)))
    return failure();
  return checkCount(op, "C11", "multipliers", op.getMultipliers().size(),
                    factors);
}

LogicalResult checkAxis(Operation *op, Value x, int64_t axis) {
  if (axis >= 0 && axis < typeOf(x).getRank())
    return success();
  return op->emitOpError() << "has no dimension " << axis;
}

bool isWide(Value value) {
  return mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() >
         8;
}

/// The two tables of C62.
template <typename OpTy> LogicalResult checkExponents(OpTy op) {
  if (failed(checkAxis(op, op.getX(), int64_t(op.getAxis()))) ||
      failed(checkResult(op)) ||
      failed(checkCount(op, "C62", "fine entries", op.getFine().size(), 256)))
    return failure();
  return checkCount(op, "C62", "coarse entries", op.getCoarse().size(),
                    isWide(op.getX()) ? 256 : 0);
}

} // namespace

LogicalResult ConvOp::verify() {
  RankedTensorType x = typeOf(getX()), weight = typeOf(getWeight());
  int64_t rank = x.getRank(), spatial = rank - 2;
  if (rank < 3 || weight.getRank() != rank || typeOf(getY()).getRank() != rank)
    return emitOpError("violates C21: operand, weights and result need the "
                       "same spatial dimensions");
  if (failed(
          checkCount(*this, "C21", "strides", getStrides().size(), spatial)) ||
      failed(checkCount(*this, "C21", "dilations", getDilations().size(),
                        spatial)) ||
      failed(checkCount(*this, "C21", "pads", getPads().size(), 2 * spatial)))
    return failure();
  auto group = int64_t(getGroup());
  bool transposed = getTransposed();
  int64_t channels = weight.getDimSize(0), depth = weight.getDimSize(1) * group;
  if (transposed)
    std::swap(channels, depth);
  if (group < 1 || x.getDimSize(1) != depth || channels % group != 0 ||
      typeOf(getY()).getDimSize(1) != channels)
    return emitOpError("violates ")
           << (transposed ? "C22" : "C21")
           << ": weights, channels and groups don't fit together";
  if (failed(checkZeroPoint(*this, "x_zero_point", getX(),
                            int64_t(getXZeroPoint()))) ||
      failed(checkBias(*this, channels)))
    return failure();
  return checkMac(*this, channels);
}

LogicalResult FullyConnectedOp::verify() {
  RankedTensorType x = typeOf(getX()), weight = typeOf(getWeight());
  if (x.getRank() < 1 || weight.getRank() != 2 ||
      x.getShape().back() != weight.getDimSize(1) ||
      typeOf(getY()).getShape().back() != weight.getDimSize(0))
    return emitOpError("violates C23: x needs [..., K] and weights [O, K]");
  if (failed(checkZeroPoint(*this, "x_zero_point", getX(),
                            int64_t(getXZeroPoint()))) ||
      failed(checkBias(*this, weight.getDimSize(0))))
    return failure();
  return checkMac(*this, weight.getDimSize(0));
}

LogicalResult MatMulOp::verify() {
  RankedTensorType a = typeOf(getA()), b = typeOf(getB());
  if (a.getRank() < 2 || b.getRank() < 2 ||
      a.getShape().back() != b.getDimSize(unsigned(b.getRank()) - 2))
    return emitOpError("violates C23: it needs [..., M, K] and [..., K, N]");
  if (failed(checkZeroPoint(*this, "a_zero_point", getA(),
                            int64_t(getAZeroPoint()))) ||
      failed(checkZeroPoint(*this, "b_zero_point", getB(),
                            int64_t(getBZeroPoint()))))
    return failure();
  return checkMac(*this, b.getShape().back());
}

LogicalResult LinearOp::verify() {
  auto count = int64_t(getInputs().size());
  if (count < 1 || count > 3)
    return emitOpError("violates C30: it has ") << count << " operands";
  if (failed(checkCount(*this, "C31", "coefficients", getCoefficients().size(),
                        count)) ||
      failed(checkCount(*this, "C31", "zero points",
                        getInputZeroPoints().size(), count)) ||
      failed(checkShift(*this, int32_t(getShift()))))
    return failure();
  for (int64_t coefficient : getCoefficients())
    if (std::abs(coefficient) >> 31 != 0)
      return emitOpError("violates C14: coefficient ")
             << coefficient << " has more than 31 bits";
  for (auto [input, zero] : llvm::zip(getInputs(), getInputZeroPoints()))
    if (failed(checkZeroPoint(*this, "zero point", input, zero)))
      return failure();
  return checkResult(*this);
}

LogicalResult AffineOp::verify() {
  if (failed(checkAxis(*this, getX(), int64_t(getAxis()))) ||
      failed(checkZeroPoint(*this, "x_zero_point", getX(),
                            int64_t(getXZeroPoint()))))
    return failure();
  int64_t channels = typeOf(getX()).getDimSize(unsigned(getAxis()));
  if (failed(
          checkCount(*this, "C33", "factors", getFactors().size(), channels)) ||
      failed(
          checkCount(*this, "C33", "offsets", getOffsets().size(), channels)) ||
      failed(checkCount(*this, "C33", "shifts", getShifts().size(), channels)))
    return failure();
  for (int32_t shift : getShifts())
    if (failed(checkShift(*this, shift)))
      return failure();
  return checkResult(*this);
}

LogicalResult MulOp::verify() { return checkPair(*this, 1); }
LogicalResult DivOp::verify() { return checkPair(*this, 1); }
LogicalResult PReluOp::verify() { return checkPair(*this, 2); }

LogicalResult CompareOp::verify() {
  if (failed(checkZeroPoint(*this, "a_zero_point", getA(),
                            int64_t(getAZeroPoint()))) ||
      failed(checkZeroPoint(*this, "b_zero_point", getB(),
                            int64_t(getBZeroPoint()))))
    return failure();
  return checkCount(*this, "C46", "coefficients", getCoefficients().size(), 2);
}

LogicalResult TableOp::verify() {
  bool wide = isWide(getX());
  if (failed(checkCount(*this, wide ? "C52" : "C50", "entries",
                        getEntries().size(), wide ? 513 : 256)))
    return failure();
  if (!wide)
    for (int32_t entry : getEntries())
      if (entry < int64_t(getLow()) || entry > int64_t(getHigh()))
        return emitOpError("violates C50: entry ")
               << entry << " is beyond the limits " << int64_t(getLow())
               << " to " << int64_t(getHigh());
  return checkResult(*this);
}

static LogicalResult checkScale(Operation *op, const llvm::APFloat &scale) {
  if (scale.isNormal() && !scale.isNegative())
    return success();
  return op->emitOpError("violates C2: a scale is positive and normal");
}

LogicalResult QuantizeOp::verify() {
  return failed(checkScale(*this, getScale())) ? failure() : checkResult(*this);
}

LogicalResult DequantizeOp::verify() {
  if (failed(checkScale(*this, getScale())))
    return failure();
  return checkZeroPoint(*this, "x_zero_point", getX(),
                        int64_t(getXZeroPoint()));
}

LogicalResult AveragePoolOp::verify() {
  int64_t taps = 1;
  for (int64_t extent : getKernel())
    taps *= extent;
  return checkUnary(*this, taps + 1);
}

LogicalResult ReduceOp::verify() {
  for (int64_t axis : getAxes())
    if (failed(checkAxis(*this, getX(), axis)))
      return failure();
  return checkUnary(*this, 1);
}

LogicalResult ResizeOp::verify() {
  auto axes = int64_t(getAxisIn().size());
  if (failed(checkCount(*this, "C39", "output lengths", getAxisOut().size(),
                        axes)) ||
      failed(checkCount(*this, "C39", "numbers of taps", getAxisTaps().size(),
                        axes)))
    return failure();
  int64_t taps = 0;
  for (auto [out, count] : llvm::zip(getAxisOut(), getAxisTaps()))
    taps += out * count;
  if (failed(checkCount(*this, "C39", "indices", getIndices().size(), taps)) ||
      failed(checkCount(*this, "C39", "weights", getWeights().size(), taps)))
    return failure();
  const int32_t *index = getIndices().data();
  for (auto [in, out, count] :
       llvm::zip(getAxisIn(), getAxisOut(), getAxisTaps()))
    for (int64_t i = 0; i < out * count; ++i, ++index)
      if (*index < 0 || *index >= in)
        return emitOpError("violates C39a: index ")
               << *index << " is outside of " << in << " inputs";
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
  if (failed(checkShift(*this, int32_t(getShift()))) ||
      failed(
          checkCount(*this, "C65", "logarithms", getLogarithms().size(), 257)))
    return failure();
  return checkExponents(*this);
}

LogicalResult NormalizeOp::verify() {
  auto count = int64_t(getCount()), groups = int64_t(getGroups());
  auto inner = int64_t(getInner());
  int64_t size = typeOf(getX()).getNumElements();
  if (count < 1 || groups < 1 || inner < 1 || count % inner != 0 ||
      count > (1 << 24) || size % count != 0)
    return emitOpError("violates C70: rows of ")
           << count << " elements don't fit the operand";
  for (size_t entries : {getFactors().size(), getOffsets().size()})
    if (entries != 1 && failed(checkCount(*this, "C71", "factors or offsets",
                                          entries, groups * (count / inner))))
      return failure();
  if (failed(checkZeroPoint(*this, "x_zero_point", getX(),
                            int64_t(getXZeroPoint()))) ||
      failed(checkShift(*this, int32_t(getShift()))))
    return failure();
  return checkResult(*this);
}

} // namespace parallax::npu
