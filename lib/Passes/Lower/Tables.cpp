//===- Tables.cpp - Functions of one number as tables ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Tables are filled from the operator's own float kernel, in double. What
// interpolation would miss between two knots is measured before it is used.
//===----------------------------------------------------------------------===//
#include "Tables.h"

#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Support/TensorAttr.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;

namespace parallax::lower {

bool isWide(Value value) { return sizeOf(storageOf(value.getType())) > 1; }

std::optional<double> numberOf(Value value) {
  Tensor tensor = floatConstantOf(value);
  if (auto constant = value.getDefiningOp<nn::ConstantOp>())
    tensor = toTensor(constant.getValue());
  if (tensor.isNull() || tensor.size() != 1)
    return {};
  return dispatch(tensor.dtype(), [&](auto tag) {
    return static_cast<double>(tensor.data<typename decltype(tag)::type>()[0]);
  });
}

bool hasShapeOfResult(Value operand, Operation *op) {
  return shapeOf(operand) == shapeOf(op->getResult(0));
}

bool isFunctionOfCodes(Operation *op) {
  int64_t variables = 0;
  for (Value operand : op->getOperands()) {
    if (numberOf(operand))
      continue;
    ++variables;
    if (!hasCodes(operand) || !hasShapeOfResult(operand, op))
      return false;
  }
  return variables == 1;
}

namespace {

/// An operation on codes and numbers, as a function in double.
class ScalarFunction {
public:
  explicit ScalarFunction(Operation *op) : builder(op->getContext()) {
    for (Value operand : op->getOperands()) {
      std::optional<double> number = numberOf(operand);
      if (!number)
        variable = operands.size();
      operands.push_back(number.value_or(0));
    }
    builder.setInsertionPointToEnd(&block);
    SmallVector<Value> values;
    for (double operand : operands)
      values.push_back(nn::ConstantOp::create(
          builder, op->getLoc(), type(),
          DenseElementsAttr::get(type(), ArrayRef<double>(operand))));
    IRMapping mapping;
    mapping.map(op->getOperands(), values);
    function = builder.clone(*op, mapping);
    function->getResult(0).setType(type());
  }

  double operator()(double x) {
    operands[variable] = x;
    std::vector<Tensor> tensors;
    for (double &operand : operands)
      tensors.push_back(
          Tensor::fromValues<double>({1}, std::span(&operand, 1)));
    return evaluate(function, tensors, referenceKernels())[0].data<double>()[0];
  }

private:
  RankedTensorType type() {
    return RankedTensorType::get({1}, builder.getF64Type());
  }

  OpBuilder builder;
  Block block;
  Operation *function = nullptr;
  size_t variable = 0;
  std::vector<double> operands;
};

/// True for functions that bend between two knots of a table.
bool hasKink(Operation *op) {
  return isa<nn::AbsOp, nn::CeilOp, nn::CeluOp, nn::EluOp, nn::FloorOp,
             nn::HardSigmoidOp, nn::HardSwishOp, nn::LeakyReluOp, nn::RoundOp,
             nn::SeluOp, nn::ShrinkOp, nn::SignOp, nn::ThresholdedReluOp>(op);
}

/// A function of 16-bit codes by interpolation.
struct KnotTable {
  AffineParams from;
  DType fromType;
  std::vector<int32_t> entries;
  /// How far it is off the function, in codes of the result.
  int64_t error = 0;
};

/// The result that the function should have, in steps.
double stepsOf(ScalarFunction &function, double number,
               const AffineParams &to) {
  double steps = function(number) / double(to.scale);
  auto low = double(to.low - to.zeroPoint);
  return std::isnan(steps)
             ? low
             : std::clamp(steps, low, double(to.high - to.zeroPoint));
}

/// Compares a table with its function at the knots and between them, where a
/// smooth function is off most; where knots are far apart, in more places.
void measureTable(KnotTable &table, ScalarFunction &function,
                  const AffineParams &to, DType toType, Rounding rounding) {
  auto distance = int64_t(65536 / (table.entries.size() - 1));
  int64_t stride = std::clamp<int64_t>(distance / 2, 1, 64);
  int64_t count = 65536 / stride;
  int64_t lowest = codeLimitsOf(table.fromType).low;
  Tensor codes(table.fromType, {count}), found(toType, {count});
  npu::dispatchCodes("a table", table.fromType, [&]<typename T>(TypeTag<T>) {
    for (int64_t i = 0; i < count; ++i)
      codes.data<T>()[i] = T(lowest + stride * i);
  });
  npu::table(codes, found, table.entries, npu::outputCodes(to, rounding));
  npu::dispatchCodes("a table", toType, [&]<typename T>(TypeTag<T>) {
    for (int64_t i = 0; i < count; ++i) {
      double number = double(lowest + stride * i - table.from.zeroPoint) *
                      double(table.from.scale);
      int64_t code =
          to.zeroPoint + roundHalfEven(stepsOf(function, number, to));
      table.error =
          std::max(table.error, std::abs(code - int64_t(found.data<T>()[i])));
    }
  });
}

/// Codes with which a function that is constant at both ends, like the sigmoid,
/// is better sampled: they cover what is between with a finer scale, and all
/// codes of x within are among them.
std::optional<AffineParams> windowOf(ScalarFunction &function,
                                     const AffineParams &from, DType fromType,
                                     const AffineParams &to) {
  constexpr int64_t stride = 64, count = 65536 / stride;
  constexpr double noticed = 0.25; // Of a code.
  int64_t lowest = codeLimitsOf(fromType).low;
  std::vector<double> steps;
  for (int64_t i = 0; i <= count; ++i)
    steps.push_back(stepsOf(
        function,
        double(lowest + stride * i - from.zeroPoint) * double(from.scale), to));
  int64_t first = 0, last = count;
  while (first < last && std::abs(steps[first + 1] - steps[0]) < noticed)
    ++first;
  while (last > first && std::abs(steps[last - 1] - steps[count]) < noticed)
    --last;
  // The zero point has to be a code.
  int64_t begin = std::min(lowest + stride * first, from.zeroPoint);
  int64_t end = std::max(lowest + stride * last, from.zeroPoint + 1);
  int shift = 0;
  while (shift < 8 && (65536 >> (shift + 1)) >= end - begin)
    ++shift;
  auto scale = float(std::ldexp(double(from.scale), -shift));
  if (shift == 0 || !std::isnormal(scale))
    return {};
  begin -= ((65536 >> shift) - (end - begin)) / 2;
  return AffineParams{scale, (from.zeroPoint - begin) << shift, 0, 65535};
}

Refusal lowerKnots(Operation *op, Value x, ScalarFunction &function,
                   Lowering &lowering) {
  Value y = op->getResult(0);
  AffineParams to = affineParamsOf(y.getType());
  DType toType = storageOf(y.getType());
  auto make = [&](const AffineParams &from, DType fromType) {
    KnotTable table{from, fromType, {}};
    table.entries =
        npu::knotTable([&](double number) { return function(number); }, from,
                       to, lowering.arithmetic().tableKnots);
    measureTable(table, function, to, toType, lowering.arithmetic().rounding);
    return table;
  };
  AffineParams from = affineParamsOf(x.getType());
  KnotTable table = make(from, storageOf(x.getType()));
  Value codes = lowering.lowered(x);
  constexpr int64_t good = 1;
  if (table.error > good)
    if (auto window = windowOf(function, from, table.fromType, to))
      if (KnotTable finer = make(*window, DType::U16);
          finer.error < table.error) {
        table = finer;
        Type type =
            cast<RankedTensorType>(x.getType())
                .clone(quantizedType(op->getContext(), DType::U16, *window));
        codes = lowering.emitHelper<npu::LinearOp>(
            op, "_window", codes, lowering.linear(from, 1, *window), type);
      }
  // Less than 2^-11 of the range of 16 bits.
  int64_t tolerated = sizeOf(toType) == 1 ? 1 : 16;
  if (table.error > tolerated)
    return fmt::format("a 16-bit table would be off by {} codes", table.error);
  Attributes attributes = lowering.attributes();
  attributes.setList("entries", ArrayRef<int32_t>(table.entries));
  lowering.setOutput(attributes, to);
  lowering.emit<npu::TableOp>(op, codes, attributes);
  return {};
}

} // namespace

Refusal lowerTable(Operation *op, Lowering &lowering) {
  Value x = *llvm::find_if(op->getOperands(),
                           [](Value operand) { return !numberOf(operand); });
  Value y = op->getResult(0);
  if (!hasCodes(y))
    return "its result is float";
  ScalarFunction function(op);
  if (isWide(x)) {
    if (hasKink(op))
      return "it bends between the knots of a 16-bit table";
    return lowerKnots(op, x, function, lowering);
  }
  AffineParams to = affineParamsOf(y.getType());
  Attributes attributes = lowering.attributes();
  attributes.setList("entries",
                     ArrayRef<int32_t>(npu::directTable(
                         [&](double number) { return function(number); },
                         affineParamsOf(x.getType()), to)));
  lowering.setOutput(attributes, to);
  lowering.emit<npu::TableOp>(op, lowering.lowered(x), attributes);
  return {};
}

} // namespace parallax::lower
