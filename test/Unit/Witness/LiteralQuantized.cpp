//===- LiteralQuantized.cpp - A literal run of the quantized view ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every layer from the scales and zero points of its types: derivation and
// execution of docs/numerics.md together. Layers that the page has no integers
// for are not among the networks that this reads.
//===----------------------------------------------------------------------===//
#include "../NPU/LiteralDetail.h"
#include "../NPU/LiteralMovement.h"
#include "../NPU/LiteralSums.h"
#include "LiteralNetwork.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

namespace parallax::literal {
namespace {

/// A value of a quantized type without its elements.
Item emptyCodes(Type type) {
  if (!isQuantized(type))
    return emptyItem(type);
  Item item;
  item.codes.dims = Dims(cast<RankedTensorType>(type).getShape());
  DType storage = storageOf(type);
  item.codes.bits = int(sizeOf(storage)) * 8;
  item.codes.isSigned =
      storage == DType::I8 || storage == DType::I16 || storage == DType::I32;
  if (isPerAxis(type))
    return item;
  AffineParams params = affineParamsOf(type);
  item.codes.scale = params.scale;
  item.codes.zero = params.zeroPoint;
  item.codes.low = params.low;
  item.codes.high = params.high;
  return item;
}

/// One layer with its operands.
class Layer {
public:
  Layer(Operation *op, const Items &x, Tie tie) : op(op), x(x), tie(tie) {
    for (Type type : op->getResultTypes())
      results.push_back(emptyCodes(type));
  }

  Items evaluate() {
    if (multiplyLiterally(op, x, results))
      return results;
    Codes &y = results[0].codes;
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](nn::RequantizeOp) { requantize(); })
        .Case([&](nn::ConvOp op) { convolve(op, false); })
        .Case([&](nn::ConvTransposeOp op) { convolve(op, true); })
        .Case([&](nn::FullyConnectedOp op) {
          if (results[0].isFloat)
            return leaveAsFloats(
                fullyConnectedSums(x[0].codes, x[1].codes, bias()),
                weightScales(), int64_t(y.dims.size()) - 1);
          fullyConnected(x[0].codes, x[1].codes, weightScales(), bias(), y,
                         tie);
        })
        .Case([&](nn::MatMulOp) {
          if (results[0].isFloat)
            return leaveAsFloats(matmulSums(x[0].codes, x[1].codes, y.dims),
                                 {x[1].codes.scale}, 0);
          matmul(x[0].codes, x[1].codes, y, tie);
        })
        .Case([&](nn::AddOp) {
          linear({x[0].codes, x[1].codes}, {1, 1}, y, tie);
        })
        .Case([&](nn::SubOp) {
          linear({x[0].codes, x[1].codes}, {1, -1}, y, tie);
        })
        .Case([&](nn::MulOp) { mul(x[0].codes, x[1].codes, y, tie); })
        .Case([&](nn::DivOp) { div(x[0].codes, x[1].codes, y, tie); })
        .Case([&](nn::PReluOp) { prelu(x[0].codes, x[1].codes, y, tie); })
        .Case([&](nn::ReluOp) { clamp(0, INFINITY); })
        .Case([&](nn::ClipOp op) {
          clamp(op.getMin().convertToDouble(), op.getMax().convertToDouble());
        })
        .Case([&](nn::AveragePoolOp op) {
          averagePool(x[0].codes, poolOf(op, op.getCountIncludePad()), y, tie);
        })
        .Case([&](nn::GlobalAveragePoolOp) {
          Dims axes;
          for (size_t i = 2; i < x[0].codes.dims.size(); ++i)
            axes.push_back(int64_t(i));
          reduce("mean", x[0].codes, axes, y, tie);
        })
        .Case([&](nn::ReduceMeanOp op) {
          reduce("mean", x[0].codes, op.getAxes().vec(), y, tie);
        })
        .Case([&](nn::ReduceSumOp op) {
          reduce("sum", x[0].codes, op.getAxes().vec(), y, tie);
        })
        .Case([&](nn::ReduceL1Op op) {
          reduce("l1", x[0].codes, op.getAxes().vec(), y, tie);
        })
        .Case([&](nn::ReduceSumSquareOp op) {
          reduce("square", x[0].codes, op.getAxes().vec(), y, tie);
        })
        .Case([&](nn::ReduceL2Op op) {
          euclideanNorm(x[0].codes, op.getAxes().vec(), y, tie);
        })
        .Case([&](nn::ReduceLogSumExpOp op) {
          logSum(x[0].codes, op.getAxes().vec(), true, y, tie);
        })
        .Case([&](nn::CumSumOp op) {
          cumSum(x[0].codes, axisOf(op.getAxis()), op.getExclusive(),
                 op.getReverse(), y, tie);
        })
        .Case([&](nn::LpPoolOp op) {
          lpPool(x[0].codes, poolOf(op), int(op.getP()), y, tie);
        })
        .Case([&](nn::SoftmaxOp op) {
          softmax(x[0].codes, axisOf(op.getAxis()), y, tie);
        })
        .Case([&](nn::LogSoftmaxOp op) {
          logSoftmax(x[0].codes, axisOf(op.getAxis()), y, tie);
        })
        .Case([&](nn::LayerNormalizationOp op) {
          normalizeRows("layer", axisOf(op.getAxis()),
                        op.getEpsilon().convertToFloat());
        })
        .Case([&](nn::RMSNormalizationOp op) {
          normalizeRows("rms", axisOf(op.getAxis()),
                        op.getEpsilon().convertToFloat());
        })
        .Case([&](nn::LpNormalizationOp op) {
          normalizeRows("l2", axisOf(op.getAxis()), 0);
        })
        .Case([&](nn::InstanceNormalizationOp op) {
          normalizeChannels(x[0].codes.dims[1],
                            op.getEpsilon().convertToFloat());
        })
        .Case([&](nn::GroupNormalizationOp op) {
          normalizeChannels(int64_t(op.getNumGroups()),
                            op.getEpsilon().convertToFloat());
        })
        .Case([&](nn::ResizeOp op) { resample(op); })
        .Default([&](Operation *) { functionOrMovement(); });
    return results;
  }

private:
  int64_t axisOf(uint64_t attribute) const {
    auto axis = int64_t(attribute);
    return axis < 0 ? axis + int64_t(x[0].codes.dims.size()) : axis;
  }

  //===--------------------------------------------------------------------===//
  // Multiply and accumulate
  //===--------------------------------------------------------------------===//

  /// One per output channel.
  std::vector<float> weightScales() const {
    std::vector<float> scales =
        channelParamsOf(op->getOperand(1).getType()).scales;
    auto axis =
        isa<nn::FullyConnectedOp>(op) ? results[0].codes.dims.size() - 1 : 1;
    if (scales.size() == 1)
      scales.assign(size_t(results[0].codes.dims[axis]), scales[0]);
    return scales;
  }

  /// C24: a bias in float has the bits of the accumulator.
  std::vector<int64_t> bias() const {
    if (x.size() < 3 || !x[2].isFloat)
      return x.size() < 3 ? std::vector<int64_t>() : x[2].codes.values;
    std::vector<int64_t> integers;
    std::vector<float> scales = weightScales();
    for (size_t o = 0; o < x[2].floats.size(); ++o)
      integers.push_back(
          int64_t(rne(double(x[2].floats[o]) /
                      (double(x[0].codes.scale) * double(scales[o])))));
    return integers;
  }

  /// C26: the accumulators at their scale.
  void leaveAsFloats(const std::vector<Wide> &sums,
                     const std::vector<float> &scales, int64_t axis) {
    std::vector<double> products;
    for (float scale : scales)
      products.push_back(double(x[0].codes.scale) * double(scale));
    results[0].floats = floatSums(sums, products, results[0].codes.dims, axis);
  }

  template <typename OpTy> void convolve(OpTy op, bool isTransposed) {
    ArrayRef<int64_t> pads = op.getPads();
    Conv conv{op.getStrides().vec(), op.getDilations().vec(),
              pads.take_front(pads.size() / 2).vec(), int64_t(op.getGroup()),
              isTransposed};
    if (results[0].isFloat)
      return leaveAsFloats(convolutionSums(x[0].codes, x[1].codes, bias(), conv,
                                           results[0].codes.dims),
                           weightScales(), 1);
    convolution(x[0].codes, x[1].codes, weightScales(), bias(), conv,
                results[0].codes, tie);
  }

  //===--------------------------------------------------------------------===//
  // Codes to codes
  //===--------------------------------------------------------------------===//

  void requantize() {
    Item &y = results[0];
    if (x[0].isFloat)
      quantize(x[0].floats, y.codes);
    else if (y.isFloat)
      y.floats = dequantize(x[0].codes);
    else
      linear({x[0].codes}, {1}, y.codes, tie);
  }

  static bool isSame(const Codes &a, const Codes &b) {
    return a.bits == b.bits && a.isSigned == b.isSigned && a.scale == b.scale &&
           a.zero == b.zero;
  }

  /// C3, as limits of a layer with the same codes or of a requantization.
  void clamp(double low, double high) {
    Codes &y = results[0].codes;
    auto codeOf = [&](double value) {
      double steps = value / double(y.scale);
      if (steps > double(y.high - y.zero))
        return y.high;
      return steps < double(y.low - y.zero) ? y.low
                                            : y.zero + int64_t(rne(steps));
    };
    Codes limited = y;
    limited.low = codeOf(low);
    limited.high = codeOf(high);
    if (isSame(x[0].codes, y))
      for (int64_t code : x[0].codes.values)
        limited.values.push_back(code < limited.low    ? limited.low
                                 : code > limited.high ? limited.high
                                                       : code);
    else
      linear({x[0].codes}, {1}, limited, tie);
    y.values = limited.values;
  }

  std::vector<float> learned(size_t operand) const {
    return operand < x.size() ? x[operand].floats : std::vector<float>();
  }

  /// Rows are groups of channels with all their positions.
  void normalizeChannels(int64_t groups, float epsilon) {
    int64_t pixels = 1, channels = x[0].codes.dims[1] / groups;
    for (size_t i = 2; i < x[0].codes.dims.size(); ++i)
      pixels *= x[0].codes.dims[i];
    normalize(
        "layer", x[0].codes, channels * pixels, epsilon, learned(1), learned(2),
        [&](int64_t row, int64_t i) {
          return row % groups * channels + i / pixels;
        },
        results[0].codes, tie);
  }

  void normalizeRows(const std::string &kind, int64_t axis, float epsilon) {
    int64_t n = 1;
    for (size_t i = size_t(axis); i < x[0].codes.dims.size(); ++i)
      n *= x[0].codes.dims[i];
    normalize(
        kind, x[0].codes, n, epsilon, learned(1), learned(2),
        [](int64_t, int64_t i) { return i; }, results[0].codes, tie);
  }

  /// C39 with C39a, over the axes from the first to the last that changes.
  void resample(nn::ResizeOp op) {
    const Codes &from = x[0].codes;
    Codes &y = results[0].codes;
    if (op.getMode() == "nearest")
      return functionOrMovement();
    size_t first = 0, last = from.dims.size() - 1;
    while (from.dims[first] == y.dims[first])
      ++first;
    while (from.dims[last] == y.dims[last])
      --last;
    auto number = int(last - first) + 1;
    int accumulator =
        from.bits == 8 ? machine.accumulator8 : machine.accumulator16;
    int bits = std::min(15, (accumulator - from.bits - 2) / number);
    int64_t outer = 1, inner = 1;
    for (size_t i = 0; i < first; ++i)
      outer *= from.dims[i];
    for (size_t i = last + 1; i < from.dims.size(); ++i)
      inner *= from.dims[i];
    std::vector<WeightedAxis> axes;
    for (size_t i = first; i <= last; ++i) {
      Sampling sampling{from.dims[i], y.dims[i], op.getScales()[i],
                        op.getMode().str(), op.getCoordinateMode().str()};
      sampling.cubic = op.getCubicCoeffA().convertToDouble();
      sampling.excludeOutside = op.getExcludeOutside();
      sampling.antialias = op.getAntialias();
      axes.push_back(paddedAxis(sampling, bits));
    }
    resize(from, outer, axes, inner,
           mult(std::pow(2.0, -bits * number) *
                (double(from.scale) / double(y.scale))),
           y, tie);
  }

  /// As many taps for every output.
  static WeightedAxis paddedAxis(const Sampling &sampling, int bits) {
    std::vector<Taps> all = weightedInputs(sampling, bits);
    WeightedAxis axis{sampling.in, sampling.out, 1, {}, {}};
    for (const Taps &taps : all)
      axis.taps = std::max(axis.taps, int64_t(taps.size()));
    for (Taps &taps : all) {
      taps.resize(size_t(axis.taps), {0, 0});
      for (auto [input, weight] : taps) {
        axis.index.push_back(int32_t(input));
        axis.weight.push_back(weight);
      }
    }
    return axis;
  }

  //===--------------------------------------------------------------------===//
  // Functions and movement
  //===--------------------------------------------------------------------===//

  std::function<double(double)> functionOf() const {
    using Function = std::function<double(double)>;
    return llvm::TypeSwitch<Operation *, Function>(op)
        .Case([](nn::SigmoidOp) -> Function {
          return [](double v) { return 1 / (1 + std::exp(-v)); };
        })
        .Case([](nn::TanhOp) -> Function {
          return [](double v) { return std::tanh(v); };
        })
        .Case([](nn::GeluOp) -> Function {
          return [](double v) {
            return v / 2 * (1 + std::erf(v / std::sqrt(2.0)));
          };
        })
        .Case([](nn::LeakyReluOp op) -> Function {
          double alpha = op.getAlpha().convertToDouble();
          return [=](double v) { return v >= 0 ? v : alpha * v; };
        })
        .Case([](nn::HardSigmoidOp op) -> Function {
          double a = op.getAlpha().convertToDouble();
          double b = op.getBeta().convertToDouble();
          return
              [=](double v) { return std::fmin(std::fmax(a * v + b, 0), 1); };
        })
        .Case([](nn::HardSwishOp) -> Function {
          return [](double v) {
            return v * std::fmin(std::fmax(v / 6 + 0.5, 0), 1);
          };
        })
        .Default(Function());
  }

  void functionOrMovement() {
    std::function<double(double)> f = functionOf();
    if (!f)
      return moveCodes();
    Codes &y = results[0].codes;
    const Codes &from = x[0].codes;
    if (from.bits == 8)
      return table(f, from, y, tie);
    // 16 bits: a function with a kink is not a table.
    if (auto leaky = dyn_cast<nn::LeakyReluOp>(op)) {
      double slope = leaky.getAlpha().convertToDouble();
      Codes one{16, true, {1}, float(slope / 32767), 0, -32768, 32767, {32767}};
      return prelu(from, one, y, tie);
    }
    if (auto sigmoid = dyn_cast<nn::HardSigmoidOp>(op))
      return hardSigmoid(from, sigmoid.getAlpha().convertToDouble(),
                         sigmoid.getBeta().convertToDouble(), y);
    if (isa<nn::HardSwishOp>(op)) {
      Codes gate{16, false, from.dims, 1.0f / 65535, 0, 0, 65535, {}};
      hardSigmoid(from, 1.0 / 6, 0.5, gate);
      return mul(from, gate, y, tie);
    }
    table(f, from, y, tie);
  }

  /// C33 within the codes of 0 and 1.
  void hardSigmoid(const Codes &from, double alpha, double beta, Codes &y) {
    Codes limited = y;
    auto codeOf = [&](double value) {
      int64_t code = y.zero + int64_t(rne(value / double(y.scale)));
      return code < y.low ? y.low : code > y.high ? y.high : code;
    };
    limited.low = codeOf(0);
    limited.high = codeOf(1);
    Affine integers = affineIntegers(
        alpha * double(from.scale) / double(y.scale), beta / double(y.scale));
    affine(from, std::vector<Affine>(size_t(from.dims[0]), integers), 0,
           limited, tie);
    y.values = limited.values;
  }

  /// C47: operands are brought to the codes of the result first.
  void moveCodes() {
    Items moved = x;
    for (Item &item : moved)
      if (!isSame(item.codes, results[0].codes) && item.codes.bits <= 16) {
        Codes same = results[0].codes;
        same.dims = item.codes.dims;
        linear({item.codes}, {1}, same, tie);
        item.codes = same;
      }
    Codes &y = results[0].codes;
    if (auto pads = dyn_cast<nn::PadOp>(op)) {
      Codes added = y;
      quantize({float(pads.getValue().convertToDouble())}, added);
      ArrayRef<int64_t> extents = pads.getPads();
      return pad(moved[0].codes, extents.take_front(extents.size() / 2).vec(),
                 pads.getMode().str(), added.values[0], y);
    }
    if (auto triangle = dyn_cast<nn::TriluOp>(op))
      return trilu(moved[0].codes, int64_t(triangle.getK()),
                   triangle.getUpper(), y.zero, y);
    if (isa<nn::GlobalMaxPoolOp>(op)) {
      Dims axes;
      for (size_t i = 2; i < y.dims.size(); ++i)
        axes.push_back(int64_t(i));
      return reduceExtreme(moved[0].codes, axes, true, y);
    }
    if (!moveLiterally(op, moved, results))
      throw std::runtime_error(op->getName().getStringRef().str() +
                               " has no literal reading");
  }

  Operation *op;
  const Items &x;
  Tie tie;
  Items results;
};

} // namespace

llvm::DenseMap<Value, Item>
runQuantizedLiterally(mlir::func::FuncOp function,
                      const std::vector<Tensor> &inputs, Tie tie) {
  llvm::DenseMap<Value, Item> values;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), inputs))
    values[argument] = itemOf(input);
  for (Operation &op : function.front().without_terminator()) {
    if (auto constant = dyn_cast<nn::ConstantOp>(op)) {
      values[constant.getResult()] = itemOf(toTensor(constant.getValue()));
      continue;
    }
    if (auto constant = dyn_cast<nn::QuantizedConstantOp>(op)) {
      Item item = emptyCodes(constant.getResult().getType());
      item.codes.values = itemOf(toTensor(constant.getCodes())).codes.values;
      values[constant.getResult()] = item;
      continue;
    }
    Items operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.at(operand));
    Items results = Layer(&op, operands, tie).evaluate();
    for (auto [value, item] : llvm::zip_equal(op.getResults(), results))
      values[value] = item;
  }
  return values;
}

} // namespace parallax::literal
