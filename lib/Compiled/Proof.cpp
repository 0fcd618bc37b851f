//===- Proof.cpp - No accumulator overflows -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One line per npu operation: how its sums are bounded. What has no
// line can't be read, so that no operation is forgotten.
//===----------------------------------------------------------------------===//
#include "Proof.h"

#include "parallax/Backend/NPU/Kernels/Mac.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"

#include <fmt/format.h>
#include <functional>

namespace parallax::compiled {
namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

DType elementsOf(Value value) {
  return *toDType(mlir::getElementTypeOrSelf(value.getType()));
}

/// The value of weights or biases; `what` they are.
Tensor constantOf(Value value, const char *what) {
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  if (!constant)
    throw Error(
        fmt::format("violates C27: its {} are not constant, so its sums "
                    "have no bound",
                    what));
  return toTensor(constant.getValue());
}

/// What codes lie between: as they are in constants, else all of the type. The
/// limits of the layer that gives them would be narrower, but kernels choose
/// their arithmetic by types.
CodeLimits rangeOf(Value value) {
  CodeLimits limits = codeLimitsOf(elementsOf(value));
  if (!value.getDefiningOp<nn::ConstantOp>())
    return limits;
  Tensor tensor = constantOf(value, "codes");
  npu::dispatchCodes("a product", tensor.dtype(), [&]<typename T>(TypeTag<T>) {
    std::span<const T> codes = tensor.values<T>();
    if (codes.empty())
      return;
    auto [low, high] = std::minmax_element(codes.begin(), codes.end());
    limits = {*low, *high};
  });
  return limits;
}

int64_t magnitudeOf(Value value, uint64_t zeroPoint) {
  CodeLimits limits = rangeOf(value);
  auto zero = int64_t(zeroPoint);
  return std::max(std::abs(limits.high - zero), std::abs(zero - limits.low));
}

class Accumulators {
public:
  explicit Accumulators(npu::TargetAttr target)
      : bits8(target ? int(target.getAccumulatorBits_8()) : widest8),
        bits16(target ? int(target.getAccumulatorBits_16()) : widest16) {}

  int bits(Value a, Value b) const {
    bool areBytes = sizeOf(elementsOf(a)) == 1 && sizeOf(elementsOf(b)) == 1;
    return areBytes ? bits8 : bits16;
  }
  int wideBits() const { return bits16; }

  static void check(const npu::AccumulatorBound &bound, int bits) {
    if (bound.marginBits < 0)
      throw Error(fmt::format("violates C27: its sums need {} bits, more than "
                              "the {} of its accumulator",
                              bits - bound.marginBits, bits));
  }

private:
  /// Kernels are exact up to these widths; no target has more.
  static constexpr int widest8 = 32, widest16 = 48;

  int bits8, bits16;
};

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

std::vector<int64_t> biasesOf(Value bias) {
  std::vector<int64_t> values;
  if (!bias)
    return values;
  Tensor tensor = constantOf(bias, "biases");
  dispatch(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>)
      values.assign(tensor.data<T>(), tensor.data<T>() + tensor.size());
  });
  return values;
}

/// The weights of output channel o: `count` runs of `length` codes, `stride`
/// apart, the first of them at `first(o)`.
struct Rows {
  int64_t channels, count, stride, length;
  std::function<int64_t(int64_t)> first;
};

/// One row after another: a copy of all weights would be a second network.
void proveRows(const Tensor &weights, const Rows &rows,
               std::span<const int64_t> biases, CodeLimits x, int bits) {
  std::vector<int32_t> row;
  npu::dispatchCodes("a product", weights.dtype(), [&]<typename T>(TypeTag<T>) {
    for (int64_t o = 0; o < rows.channels; ++o) {
      row.clear();
      for (int64_t run = 0; run < rows.count; ++run) {
        const T *from = weights.data<T>() + rows.first(o) + run * rows.stride;
        row.insert(row.end(), from, from + rows.length);
      }
      Accumulators::check(npu::boundOf(row,
                                       biases.empty() ? 0 : biases[size_t(o)],
                                       x.low, x.high, bits),
                          bits);
    }
  });
}

/// Rows along the last dimension.
void proveRows(const Tensor &weights, std::span<const int64_t> biases,
               CodeLimits x, int bits) {
  int64_t depth = weights.shape().back();
  int64_t channels = elementCount(
      std::span(weights.shape()).first(weights.shape().size() - 1));
  proveRows(weights,
            {channels, 1, 0, depth, [=](int64_t o) { return o * depth; }},
            biases, x, bits);
}

CodeLimits distances(Value x, uint64_t zeroPoint) {
  CodeLimits limits = rangeOf(x);
  return {limits.low - int64_t(zeroPoint), limits.high - int64_t(zeroPoint)};
}

void proveConv(npu::ConvOp op, const Accumulators &accumulators) {
  ArrayRef<int64_t> shape = shapeOf(op.getWeight());
  auto groups = int64_t(op.getGroup());
  ArrayRef<int64_t> kernel = shape.drop_front(2);
  int64_t taps = elementCount({kernel.data(), kernel.size()});
  int64_t outputs = shape[1], depth = shape[0] / groups;
  Rows plain{shape[0], 1, 0, outputs * taps,
             [=](int64_t o) { return o * outputs * taps; }};
  Rows transposed{outputs * groups, depth, outputs * taps, taps,
                  [=](int64_t o) {
                    int64_t group = o / outputs, own = o % outputs;
                    return (group * depth * outputs + own) * taps;
                  }};
  proveRows(constantOf(op.getWeight(), "weights"),
            op.getTransposed() ? transposed : plain, biasesOf(op.getBias()),
            distances(op.getX(), op.getXZeroPoint()),
            accumulators.bits(op.getX(), op.getWeight()));
}

void proveFullyConnected(npu::FullyConnectedOp op,
                         const Accumulators &accumulators) {
  proveRows(constantOf(op.getWeight(), "weights"), biasesOf(op.getBias()),
            distances(op.getX(), op.getXZeroPoint()),
            accumulators.bits(op.getX(), op.getWeight()));
}

void proveMatMul(npu::MatMulOp op, const Accumulators &accumulators) {
  int bits = accumulators.bits(op.getA(), op.getB());
  Accumulators::check(
      npu::productBound(shapeOf(op.getA()).back(),
                        magnitudeOf(op.getA(), op.getAZeroPoint()),
                        magnitudeOf(op.getB(), op.getBZeroPoint()), bits),
      bits);
}

/// C104.
template <typename OpTy>
void proveRecurrent(OpTy op, const Accumulators &accumulators) {
  proveRows(constantOf(op.getWeight(), "weights"), {},
            distances(op.getX(), op.getXZeroPoint()),
            accumulators.bits(op.getX(), op.getWeight()));
  proveRows(constantOf(op.getRecurrent(), "weights"), {},
            codeLimitsOf(DType::I16), accumulators.wideBits());
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// `count` terms, or their squares.
template <typename OpTy>
void proveSum(OpTy op, int64_t count, bool squares,
              const Accumulators &accumulators) {
  int64_t reach = magnitudeOf(op.getX(), op.getXZeroPoint());
  int bits = accumulators.bits(op.getX(), op.getX());
  Accumulators::check(
      npu::productBound(count, reach, squares ? reach : 1, bits), bits);
}

int64_t countAlong(Value x, ArrayRef<int64_t> axes) {
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= shapeOf(x)[size_t(axis)];
  return count;
}

void proveReduce(npu::ReduceOp op, const Accumulators &accumulators) {
  proveSum(op, countAlong(op.getX(), op.getAxes()),
           op.getKind() == "sum_square" || op.getKind() == "l2", accumulators);
}

/// Sums of exponentials are bounded by their table and the length of a row.
void proveReduceLog(npu::ReduceLogOp op, const Accumulators &accumulators) {
  if (op.getKind() == "sum")
    proveSum(op, countAlong(op.getX(), op.getAxes()), false, accumulators);
}

void proveCumSum(npu::CumSumOp op, const Accumulators &accumulators) {
  proveSum(op, countAlong(op.getX(), int64_t(op.getAxis())), false,
           accumulators);
}

int64_t tapsOf(ArrayRef<int64_t> kernel) {
  return elementCount({kernel.data(), kernel.size()});
}

void proveAveragePool(npu::AveragePoolOp op, const Accumulators &accumulators) {
  proveSum(op, tapsOf(op.getKernel()), false, accumulators);
}

void proveLpPool(npu::LpPoolOp op, const Accumulators &accumulators) {
  proveSum(op, tapsOf(op.getKernel()), op.getKind() == "l2", accumulators);
}

/// The greatest sum of magnitudes of weights, axis by axis (C39).
void proveResize(npu::ResizeOp op, const Accumulators &accumulators) {
  int bits = accumulators.bits(op.getX(), op.getX());
  CodeLimits limits = codeLimitsOf(elementsOf(op.getX()));
  Int128 product = limits.high - limits.low;
  const int32_t *weight = op.getWeights().data();
  for (auto [out, taps] : llvm::zip(op.getAxisOut(), op.getAxisTaps())) {
    int64_t greatest = 0;
    for (int64_t o = 0; o < out; ++o) {
      int64_t sum = 0;
      for (int64_t t = 0; t < taps; ++t)
        sum += std::abs(int64_t(*weight++));
      greatest = std::max(greatest, sum);
    }
    product = std::min(product * greatest, Int128(1) << 62);
  }
  Accumulators::check(npu::productBound(1, int64_t(product), 1, bits), bits);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

struct Line {
  StringRef operation;
  void (*prove)(Operation *, const Accumulators &);
};

template <typename OpTy, void (*prove)(OpTy, const Accumulators &)>
constexpr Line lineOf() {
  return {OpTy::getOperationName(),
          [](Operation *op, const Accumulators &accumulators) {
            prove(cast<OpTy>(op), accumulators);
          }};
}

/// Sums of few terms whose factors the verifier bounds.
template <typename OpTy> constexpr Line bounded() {
  return {OpTy::getOperationName(), nullptr};
}

const Line lines[] = {
    lineOf<npu::ConvOp, proveConv>(),
    lineOf<npu::FullyConnectedOp, proveFullyConnected>(),
    lineOf<npu::MatMulOp, proveMatMul>(),
    lineOf<npu::LSTMOp, proveRecurrent<npu::LSTMOp>>(),
    lineOf<npu::GRUOp, proveRecurrent<npu::GRUOp>>(),
    lineOf<npu::RNNOp, proveRecurrent<npu::RNNOp>>(),
    lineOf<npu::ReduceOp, proveReduce>(),
    lineOf<npu::ReduceLogOp, proveReduceLog>(),
    lineOf<npu::CumSumOp, proveCumSum>(),
    lineOf<npu::AveragePoolOp, proveAveragePool>(),
    lineOf<npu::LpPoolOp, proveLpPool>(),
    lineOf<npu::ResizeOp, proveResize>(),
    bounded<npu::LinearOp>(),
    bounded<npu::AffineOp>(),
    bounded<npu::MulOp>(),
    bounded<npu::DivOp>(),
    bounded<npu::PReluOp>(),
    bounded<npu::CompareOp>(),
    bounded<npu::TableOp>(),
    bounded<npu::QuantizeOp>(),
    bounded<npu::DequantizeOp>(),
    bounded<npu::SoftmaxOp>(),
    bounded<npu::LogSoftmaxOp>(),
    bounded<npu::NormalizeOp>(),
};

const Line *findLine(StringRef operation) {
  const Line *line = llvm::find_if(
      lines, [&](const Line &line) { return line.operation == operation; });
  return line == std::end(lines) ? nullptr : line;
}

} // namespace

bool hasProof(StringRef operation) { return findLine(operation) != nullptr; }

void proveAccumulators(mlir::func::FuncOp function) {
  Accumulators accumulators(npu::targetOf(function));
  for (Operation &op : function.front()) {
    if (!isa<npu::NPUDialect>(op.getDialect()))
      continue;
    std::string name = fmt::format("node '{}': '{}' ", getLayerName(&op).node,
                                   op.getName().getStringRef().str());
    const Line *line = findLine(op.getName().getStringRef());
    if (!line)
      throw Error(name + "has no proof that its sums fit an accumulator");
    try {
      if (line->prove)
        line->prove(&op, accumulators);
    } catch (const Error &error) {
      throw Error(name + error.what());
    }
  }
}

} // namespace parallax::compiled
