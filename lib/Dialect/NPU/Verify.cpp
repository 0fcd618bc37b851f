//===- Verify.cpp - What makes an npu operation legal ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every error names the statement of docs/numerics.md that it is about. Kernels
// rely on these checks and have none of their own.
//===----------------------------------------------------------------------===//
#include "parallax/Dialect/NPU/NPUOps.h"

#include "VerifyCodes.h"

#include "parallax/Support/FixedPoint.h"

namespace parallax::npu {
namespace {

/// Factors of a product: one for all or one per channel, as multipliers or for
/// a float result as scales.
template <typename OpTy> LogicalResult checkMac(OpTy op, int64_t channels) {
  bool isFloat =
      isa<mlir::FloatType>(mlir::getElementTypeOrSelf(op.getY().getType()));
  size_t count = isFloat ? op.getScales().size() : op.getMultipliers().size();
  if (failed(checkMultipliers(op, op.getMultipliers(), op.getShifts())) ||
      failed(checkResult(op)))
    return failure();
  for (double scale : op.getScales())
    if (!std::isfinite(scale) || scale <= 0)
      return op.emitOpError("violates C26: a scale is positive and finite");
  if (isFloat ? !op.getMultipliers().empty() : !op.getScales().empty())
    return op.emitOpError(
        "violates C26: multipliers are for codes, and scales for floats");
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
      failed(checkBroadcast(
          op, "C5",
          {typeOf(op.getA()).getShape(), typeOf(op.getB()).getShape()})) ||
      failed(checkResult(op)))
    return failure();
  return checkCount(op, "C11", "multipliers", op.getMultipliers().size(),
                    factors);
}

} // namespace

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

TargetAttr targetOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(targetAttrName))
      return target;
  return {};
}

LogicalResult
TargetAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                   StringRef name, int64_t accumulatorBits8,
                   int64_t accumulatorBits16, int64_t multiplierBits,
                   StringRef rounding, int64_t tableKnots) {
  auto check = [&](StringRef label, StringRef what, int64_t value, int64_t low,
                   int64_t high) {
    if (value >= low && value <= high)
      return success();
    emitError() << "violates " << label << ": " << what << " " << value
                << " is not from " << low << " to " << high;
    return failure();
  };
  if (failed(check("C20", "accumulator_bits_8", accumulatorBits8, 12, 32)) ||
      failed(check("C20", "accumulator_bits_16", accumulatorBits16,
                   accumulatorBits8, 48)) ||
      failed(check("C11", "multiplier_bits", multiplierBits, minMultiplierBits,
                   defaultMultiplierBits)) ||
      failed(check("C52", "table_knots", tableKnots, 5, 65537)))
    return failure();
  if (!llvm::isPowerOf2_64(uint64_t(tableKnots - 1)))
    return emitError() << "violates C52: table_knots " << tableKnots
                       << " is not a power of two and one";
  if (rounding != "half_up" && rounding != "half_away" &&
      rounding != "half_even")
    return emitError() << "violates C10: there is no rounding " << rounding;
  return success();
}

LogicalResult NPUDialect::verifyOperationAttribute(Operation *op,
                                                   mlir::NamedAttribute named) {
  if (named.getName() == targetAttrName && !isa<TargetAttr>(named.getValue()))
    return op->emitError() << targetAttrName << " must be an #npu.target";
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult ConvOp::verify() {
  RankedTensorType x = typeOf(getX()), weight = typeOf(getWeight());
  bool transposed = getTransposed();
  StringRef label = transposed ? "C22" : "C21";
  if (x.getRank() < 3 || weight.getRank() != x.getRank())
    return emitOpError("violates ")
           << label << ": operand and weights need the same spatial dimensions";
  if (failed(checkWindow(*this, label,
                         {weight.getShape().drop_front(2), getStrides(),
                          getPads(), getDilations()},
                         transposed)))
    return failure();
  auto group = int64_t(getGroup());
  int64_t inputs = x.getDimSize(1), channels = typeOf(getY()).getDimSize(1);
  bool divides = group >= 1 && inputs >= 1 && channels >= 1 &&
                 inputs % group == 0 && channels % group == 0;
  if (!divides || weight.getDimSize(0) != (transposed ? inputs : channels) ||
      weight.getDimSize(1) != (transposed ? channels : inputs) / group)
    return emitOpError("violates ")
           << label << ": weights, channels and groups don't fit together";
  if (failed(checkZeroPoint(*this, "x_zero_point", getX(),
                            int64_t(getXZeroPoint()))) ||
      failed(checkWeights(*this, getWeight())) ||
      failed(checkBias(*this, channels)))
    return failure();
  return checkMac(*this, channels);
}

LogicalResult FullyConnectedOp::verify() {
  RankedTensorType x = typeOf(getX()), weight = typeOf(getWeight());
  if (x.getRank() < 1 || weight.getRank() != 2 ||
      x.getShape().back() != weight.getDimSize(1))
    return emitOpError("violates C23: x needs [..., K] and weights [O, K]");
  SmallVector<int64_t> shape(x.getShape());
  shape.back() = weight.getDimSize(0);
  if (failed(checkResultShape(*this, "C23", shape)) ||
      failed(checkWeights(*this, getWeight())) ||
      failed(checkZeroPoint(*this, "x_zero_point", getX(),
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
  int64_t rows = a.getDimSize(unsigned(a.getRank()) - 2);
  if (failed(checkBroadcast(
          *this, "C23", {a.getShape().drop_back(2), b.getShape().drop_back(2)},
          {rows, b.getShape().back()})) ||
      failed(checkZeroPoint(*this, "a_zero_point", getA(),
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
      failed(checkCoefficients(*this, "C14", getCoefficients())) ||
      failed(checkShift(*this, int32_t(getShift()))))
    return failure();
  for (auto [input, zero] : llvm::zip(getInputs(), getInputZeroPoints()))
    if (failed(checkZeroPoint(*this, "zero point", input, zero)))
      return failure();
  SmallVector<ArrayRef<int64_t>> shapes;
  for (Value input : getInputs())
    shapes.push_back(typeOf(input).getShape());
  if (failed(checkBroadcast(*this, "C31", shapes)))
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
      failed(
          checkCount(*this, "C33", "shifts", getShifts().size(), channels)) ||
      failed(checkCoefficients(*this, "C33", getFactors())) ||
      failed(checkEntries(*this, "C33", "offset", getOffsets(),
                          -(int64_t(1) << 46), int64_t(1) << 46)) ||
      failed(checkSameShape(*this, "C33", getX(), getY())))
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
  if (failed(checkCoefficients(*this, "C46", getCoefficients())) ||
      failed(checkBroadcast(
          *this, "C46",
          {typeOf(getA()).getShape(), typeOf(getB()).getShape()})))
    return failure();
  return checkCount(*this, "C46", "coefficients", getCoefficients().size(), 2);
}

LogicalResult TableOp::verify() {
  bool wide = isWide(getX());
  TargetAttr target = targetOf(*this);
  int64_t knots = target ? target.getTableKnots() : 513;
  if (failed(checkCount(*this, wide ? "C52" : "C50", "entries",
                        getEntries().size(), wide ? knots : 256)))
    return failure();
  int64_t low = wide ? -(int64_t(1) << 30) : int64_t(getLow());
  int64_t high = wide ? int64_t(1) << 30 : int64_t(getHigh());
  if (failed(checkEntries(*this, wide ? "C52" : "C50", "entry", getEntries(),
                          low, high)) ||
      failed(checkSameShape(*this, "C51", getX(), getY())))
    return failure();
  return checkResult(*this);
}

static LogicalResult checkScale(Operation *op, const llvm::APFloat &scale) {
  if (scale.isNormal() && !scale.isNegative())
    return success();
  return op->emitOpError("violates C2: a scale is positive and normal");
}

LogicalResult QuantizeOp::verify() {
  if (failed(checkScale(*this, getScale())) ||
      failed(checkSameShape(*this, "C6", getX(), getY())))
    return failure();
  return checkResult(*this);
}

LogicalResult DequantizeOp::verify() {
  if (failed(checkScale(*this, getScale())) ||
      failed(checkSameShape(*this, "C7", getX(), getY())))
    return failure();
  return checkZeroPoint(*this, "x_zero_point", getX(),
                        int64_t(getXZeroPoint()));
}

} // namespace parallax::npu
