//===- Verify.cpp - What makes an operation of the machine legal ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every error names the statement of docs/numerics.md that it is about. Kernels
// rely on these checks and have none of their own.
//===----------------------------------------------------------------------===//
#include "parallax/Dialect/NPU/NPUOps.h"

#include "VerifyShapes.h"

#include "parallax/Support/FixedPoint.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/TypeUtilities.h"

namespace parallax::npu {
namespace {

CodeLimits limitsOf(Value value) {
  return codeLimitsOf(*toDType(mlir::getElementTypeOrSelf(value.getType())));
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

int multiplierBitsOf(Operation *op) {
  TargetAttr target = targetOf(op);
  return target ? int(target.getMultiplierBits()) : defaultMultiplierBits;
}

LogicalResult checkShift(Operation *op, int32_t shift) {
  int greatest = multiplierBitsOf(op) + 47;
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
  int bits = multiplierBitsOf(op);
  for (auto [multiplier, shift] : llvm::zip(multipliers, shifts)) {
    bool isZero = multiplier == 0 && shift == 1;
    if (!isZero && (multiplier < 0 || multiplier >> (bits - 1) != 1))
      return op->emitOpError()
             << "violates C11: multiplier " << multiplier << " is not from 2^"
             << bits - 1 << " to below 2^" << bits;
    if (failed(checkShift(op, shift)))
      return failure();
  }
  return success();
}

/// Integers that are made with the shift of a multiplier are not above it.
LogicalResult checkCoefficients(Operation *op, StringRef label,
                                ArrayRef<int64_t> coefficients) {
  int bits = multiplierBitsOf(op);
  int64_t limit = int64_t(1) << bits;
  for (int64_t coefficient : coefficients)
    if (coefficient <= -limit || coefficient >= limit)
      return op->emitOpError()
             << "violates " << label << ": coefficient " << coefficient
             << " has more than " << bits << " bits";
  return success();
}

/// Entries of a table are from `low` to `high`.
template <typename T>
LogicalResult checkEntries(Operation *op, StringRef label, StringRef what,
                           ArrayRef<T> entries, int64_t low, int64_t high) {
  for (int64_t entry : entries)
    if (entry < low || entry > high)
      return op->emitOpError()
             << "violates " << label << ": " << what << " " << entry
             << " is not from " << low << " to " << high;
  return success();
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

/// C20: weights are signed.
LogicalResult checkWeights(Operation *op, Value weight) {
  Type element = mlir::getElementTypeOrSelf(weight.getType());
  if (!element.isUnsignedInteger())
    return success();
  return op->emitOpError() << "violates C2: weights of " << element
                           << " are not signed";
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
