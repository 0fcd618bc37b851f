//===- LiteralNetwork.cpp - A literal run of the NPU's view ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One line or a few for each operation of the npu dialect.
//===----------------------------------------------------------------------===//
#include "LiteralNetwork.h"
#include "../NPU/LiteralSums.h"
#include "LiteralAttributes.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstring>
#include <fmt/format.h>

namespace parallax::literal {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Item emptyItem(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Item item;
  item.codes.dims = Dims(tensor.getShape());
  auto integer = dyn_cast<mlir::IntegerType>(tensor.getElementType());
  item.isFloat = !integer;
  if (!integer)
    return item;
  item.codes.bits = int(integer.getWidth());
  item.codes.isSigned = !integer.isUnsigned();
  item.codes.low = item.codes.bits < 64 ? item.codes.leastOfType() : 0;
  item.codes.high = item.codes.bits < 64
                        ? item.codes.low + (int64_t(1) << item.codes.bits) - 1
                        : 0;
  return item;
}

Item itemOf(const Tensor &tensor) {
  Item item;
  item.codes.dims = tensor.shape();
  dispatch(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *data = tensor.data<T>();
    if constexpr (std::is_integral_v<T>) {
      item.codes.bits = int(sizeof(T)) * 8;
      item.codes.isSigned = std::is_signed_v<T>;
      item.codes.values.assign(data, data + tensor.size());
    } else if constexpr (std::is_same_v<T, float>) {
      item.isFloat = true;
      item.floats.assign(data, data + tensor.size());
    } else {
      throw std::runtime_error("a tensor has neither codes nor floats");
    }
  });
  return item;
}

std::string difference(const Item &expected, const Tensor &found) {
  Item other = itemOf(found);
  if (other.isFloat != expected.isFloat ||
      other.codes.dims != expected.codes.dims)
    return "its type or its shape";
  for (int64_t i = 0; i < found.size(); ++i) {
    if (other.isFloat
            ? std::memcmp(&expected.floats[i], &other.floats[i], 4) != 0
            : expected.codes.values[i] != other.codes.values[i])
      return other.isFloat
                 ? fmt::format("element {}: {} in place of {}", i,
                               other.floats[i], expected.floats[i])
                 : fmt::format("element {}: {} in place of {}", i,
                               other.codes.values[i], expected.codes.values[i]);
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {

/// C25 or C26.
template <typename OpTy>
Item macResult(OpTy op, const std::vector<Wide> &sums, int64_t axis) {
  Item y = emptyItem(op.getY().getType());
  if (y.isFloat) {
    y.floats = floatSums(sums, op.getScales().vec(), y.codes.dims, axis);
    return y;
  }
  Codes codes = resultOf(op);
  storeSums(sums, factorsOf(op), axis, codes, tieOf(op));
  return codesItem(codes);
}

std::vector<int64_t> biasOf(const Items &x) {
  return x.size() > 2 ? x[2].codes.values : std::vector<int64_t>();
}

Item evaluate(npu::ConvOp op, const Items &x) {
  ArrayRef<int64_t> pads = op.getPads();
  Conv conv{op.getStrides().vec(), op.getDilations().vec(),
            pads.take_front(pads.size() / 2).vec(), int64_t(op.getGroup()),
            op.getTransposed()};
  return macResult(op,
                   convolutionSums(withZero(x[0], op.getXZeroPoint()),
                                   x[1].codes, biasOf(x), conv,
                                   emptyItem(op.getY().getType()).codes.dims),
                   1);
}

Item evaluate(npu::FullyConnectedOp op, const Items &x) {
  return macResult(op,
                   fullyConnectedSums(withZero(x[0], op.getXZeroPoint()),
                                      x[1].codes, biasOf(x)),
                   int64_t(x[0].codes.dims.size()) - 1);
}

Item evaluate(npu::MatMulOp op, const Items &x) {
  Dims dims = emptyItem(op.getY().getType()).codes.dims;
  return macResult(op,
                   matmulSums(withZero(x[0], op.getAZeroPoint()),
                              withZero(x[1], op.getBZeroPoint()), dims),
                   int64_t(dims.size()) - 1);
}

Item evaluate(npu::LinearOp op, const Items &x) {
  std::vector<Codes> operands;
  for (auto [item, zero] : llvm::zip_equal(x, op.getInputZeroPoints()))
    operands.push_back(withZero(item, uint64_t(zero)));
  Codes y = resultOf(op);
  linear(operands, {wide(op.getCoefficients()), int(op.getShift())}, y,
         tieOf(op));
  return codesItem(y);
}

Item evaluate(npu::AffineOp op, const Items &x) {
  std::vector<Affine> channels;
  for (auto [k, b, s] :
       llvm::zip_equal(op.getFactors(), op.getOffsets(), op.getShifts()))
    channels.push_back({k, b, s});
  Codes y = resultOf(op);
  affine(withZero(x[0], op.getXZeroPoint()), channels, int64_t(op.getAxis()), y,
         tieOf(op));
  return codesItem(y);
}

template <typename OpTy> Item evaluatePair(OpTy op, const Items &x) {
  Codes a = withZero(x[0], op.getAZeroPoint());
  Codes b = withZero(x[1], op.getBZeroPoint());
  std::vector<Factor> f = factorsOf(op);
  Codes y = resultOf(op);
  if constexpr (std::is_same_v<OpTy, npu::MulOp>)
    mul(a, b, f[0], y, tieOf(op));
  else if constexpr (std::is_same_v<OpTy, npu::DivOp>)
    div(a, b, f[0], y, tieOf(op));
  else
    prelu(a, b, f[0], f[1], y, tieOf(op));
  return codesItem(y);
}

Item evaluate(npu::MulOp op, const Items &x) { return evaluatePair(op, x); }
Item evaluate(npu::DivOp op, const Items &x) { return evaluatePair(op, x); }
Item evaluate(npu::PReluOp op, const Items &x) { return evaluatePair(op, x); }

Item evaluate(npu::CompareOp op, const Items &x) {
  Item y = emptyItem(op.getY().getType());
  StringRef kind = op.getKind();
  for (int sign :
       compare(withZero(x[0], op.getAZeroPoint()),
               withZero(x[1], op.getBZeroPoint()),
               Combination{wide(op.getCoefficients()), 1}, y.codes.dims)) {
    bool truth = (sign == 0 && kind.contains("equal")) ||
                 (sign < 0 && kind.contains("less")) ||
                 (sign > 0 && kind.contains("greater"));
    y.codes.values.push_back(truth ? 1 : 0);
  }
  return y;
}

Item evaluate(npu::TableOp op, const Items &x) {
  Codes y = resultOf(op);
  table(std::vector<int64_t>(op.getEntries().begin(), op.getEntries().end()),
        x[0].codes, y, tieOf(op));
  return codesItem(y);
}

Item evaluate(npu::QuantizeOp op, const Items &x) {
  Codes y = emptyItem(op.getY().getType()).codes;
  y.scale = op.getScale().convertToFloat();
  y.zero = int64_t(op.getZeroPoint());
  y.low = int64_t(op.getLow());
  y.high = int64_t(op.getHigh());
  quantize(x[0].floats, y);
  return codesItem(y);
}

Item evaluate(npu::DequantizeOp op, const Items &x) {
  Codes codes = withZero(x[0], op.getXZeroPoint());
  codes.scale = op.getScale().convertToFloat();
  Item y = emptyItem(op.getY().getType());
  y.floats = dequantize(codes);
  return y;
}

Item evaluate(npu::AveragePoolOp op, const Items &x) {
  Codes y = resultOf(op);
  averagePool(withZero(x[0], op.getXZeroPoint()),
              poolOf(op, op.getCountIncludePad()), factorsOf(op), y, tieOf(op));
  return codesItem(y);
}

Item evaluate(npu::LpPoolOp op, const Items &x) {
  Codes y = resultOf(op);
  lpPool(withZero(x[0], op.getXZeroPoint()), poolOf(op),
         op.getKind() == "l1" ? 1 : 2, factorsOf(op)[0], y, tieOf(op));
  return codesItem(y);
}

Item evaluate(npu::CumSumOp op, const Items &x) {
  Codes y = resultOf(op);
  cumSum(withZero(x[0], op.getXZeroPoint()), int64_t(op.getAxis()),
         op.getExclusive(), op.getReverse(), factorsOf(op)[0], y, tieOf(op));
  return codesItem(y);
}

Item evaluate(npu::ReduceOp op, const Items &x) {
  Codes y = resultOf(op);
  if (op.getKind() == "l2") {
    euclideanNorm(withZero(x[0], op.getXZeroPoint()), op.getAxes().vec(),
                  factorsOf(op)[0], y, tieOf(op));
    return codesItem(y);
  }
  reduce(op.getKind() == "sum_square" ? "square" : op.getKind().str(),
         withZero(x[0], op.getXZeroPoint()), op.getAxes().vec(),
         factorsOf(op)[0], y, tieOf(op));
  return codesItem(y);
}

Item evaluate(npu::ResizeOp op, const Items &x) {
  std::vector<WeightedAxis> axes;
  size_t next = 0;
  for (auto [in, out, taps] :
       llvm::zip_equal(op.getAxisIn(), op.getAxisOut(), op.getAxisTaps())) {
    auto count = size_t(out * taps);
    axes.push_back({in, out, taps, op.getIndices().slice(next, count).vec(),
                    wide(op.getWeights().slice(next, count))});
    next += count;
  }
  Codes y = resultOf(op);
  resize(withZero(x[0], op.getXZeroPoint()), int64_t(op.getOuter()), axes,
         int64_t(op.getInner()), factorsOf(op)[0], y, tieOf(op));
  return codesItem(y);
}

Item evaluate(npu::SoftmaxOp op, const Items &x) {
  Codes y = resultOf(op);
  softmax(x[0].codes, int64_t(op.getAxis()),
          {wide(op.getFine()), wide(op.getCoarse())}, factorsOf(op)[0], y,
          tieOf(op));
  return codesItem(y);
}

Item evaluate(npu::LogSoftmaxOp op, const Items &x) {
  Codes y = resultOf(op);
  LogSoftmax integers{{int64_t(op.getLogarithm()), int(op.getShift())},
                      int64_t(op.getDistance())};
  logSoftmax(x[0].codes, int64_t(op.getAxis()),
             {wide(op.getFine()), wide(op.getCoarse())},
             wide(op.getLogarithms()), integers, y, tieOf(op));
  return codesItem(y);
}

Item evaluate(npu::ReduceLogOp op, const Items &x) {
  Codes y = resultOf(op);
  LogSum integers{{wide(op.getFine()), wide(op.getCoarse())},
                  wide(op.getLogarithms()),
                  {{int64_t(op.getLogarithm()), int(op.getShift())},
                   int64_t(op.getDistance())},
                  misread("C67.offset") ? 0 : int64_t(op.getOffset())};
  logSum(withZero(x[0], op.getXZeroPoint()), op.getAxes().vec(),
         op.getKind() == "sum_exp", integers, y, tieOf(op));
  return codesItem(y);
}

Item evaluate(npu::NormalizeOp op, const Items &x) {
  Norm norm;
  for (unsigned i = op.getEpsilon().getBitWidth(); i-- > 0;)
    norm.epsilon = norm.epsilon * 2 + (op.getEpsilon()[i] ? 1 : 0);
  norm.fraction = int(op.getFractionBits());
  norm.s = int(op.getShift());
  norm.k = wide(op.getFactors());
  norm.b = wide(op.getOffsets());
  auto count = int64_t(op.getCount()), groups = int64_t(op.getGroups());
  auto inner = int64_t(op.getInner());
  auto entryOf = [&](int64_t row, int64_t i) {
    return (misread("C71.group") ? 0 : row % groups * (count / inner)) +
           i / inner;
  };
  Codes y = resultOf(op);
  normalize(op.getKind() == "centered" ? "layer" : op.getKind().str(),
            withZero(x[0], op.getXZeroPoint()), count, norm, entryOf, y,
            tieOf(op));
  return codesItem(y);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

Item constantItem(nn::ConstantOp op) {
  Item item = itemOf(toTensor(op.getValue()));
  if (misread("C1.signed") && !item.codes.isSigned)
    for (int64_t &value : item.codes.values)
      if (value >> (item.codes.bits - 1))
        value -= int64_t(1) << item.codes.bits;
  return item;
}

Items evaluate(Operation *op, const Items &operands) {
  if (auto constant = dyn_cast<nn::ConstantOp>(op))
    return {constantItem(constant)};
  Items results;
  for (Type type : op->getResultTypes())
    results.push_back(emptyItem(type));
  if (computeIntegersLiterally(op, operands, results) ||
      moveLiterally(op, operands, results) ||
      multiplyLiterally(op, operands, results) ||
      recurLiterally(op, operands, results) ||
      computeFloatsLiterally(op, operands, results))
    return results;
  return llvm::TypeSwitch<Operation *, Items>(op)
      .Case<npu::ConvOp, npu::FullyConnectedOp, npu::MatMulOp, npu::LinearOp,
            npu::AffineOp, npu::MulOp, npu::DivOp, npu::PReluOp, npu::CompareOp,
            npu::TableOp, npu::QuantizeOp, npu::DequantizeOp,
            npu::AveragePoolOp, npu::LpPoolOp, npu::CumSumOp, npu::ReduceOp,
            npu::ResizeOp, npu::SoftmaxOp, npu::LogSoftmaxOp, npu::ReduceLogOp,
            npu::NormalizeOp>(
          [&](auto op) -> Items { return {evaluate(op, operands)}; })
      .Default([](Operation *op) -> Items {
        throw std::runtime_error(op->getName().getStringRef().str() +
                                 " has no literal reading");
      });
}

} // namespace

llvm::DenseMap<Value, Item> runLiterally(mlir::func::FuncOp function,
                                         const std::vector<Tensor> &inputs) {
  llvm::DenseMap<Value, Item> values;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), inputs))
    values[argument] = itemOf(input);
  for (Operation &op : function.front().without_terminator()) {
    Items operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.at(operand));
    Items results = evaluate(&op, operands);
    for (auto [value, item] : llvm::zip_equal(op.getResults(), results))
      values[value] = item;
  }
  return values;
}

} // namespace parallax::literal
