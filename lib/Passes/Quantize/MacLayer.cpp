//===- MacLayer.cpp - Layers with weights as matrix products --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions, fully connected layers and matrix products as one matrix, with
// the rows of their inputs.
//===----------------------------------------------------------------------===//
#include "MacLayer.h"

#include "parallax/Backend/Reference/Kernels/OneDnn.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/TensorAttr.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace parallax::quantize {

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

int64_t RowGeometry::rows(const Shape &tensor) const {
  if (isWindow())
    return tensor[0] * elementCount(outputs);
  return elementCount(std::span(tensor).first(tensor.size() - 1));
}

int64_t RowGeometry::length(const Shape &tensor) const {
  return isWindow() ? tensor[1] * window() : tensor.back();
}

std::vector<float>
RowGeometry::perElement(const std::vector<float> &channels) const {
  std::vector<float> result;
  result.reserve(channels.size() * size_t(window()));
  for (float channel : channels)
    result.insert(result.end(), size_t(window()), channel);
  return result;
}

void RowGeometry::copyRow(const float *tensor, const Shape &shape, int64_t row,
                          float *to) const {
  int64_t rowLength = length(shape);
  if (!isWindow()) {
    std::copy_n(tensor + row * rowLength, rowLength, to);
    return;
  }
  size_t rank = kernel.size();
  std::span<const int64_t> spatial = std::span(shape).subspan(2);
  int64_t pixels = elementCount(spatial), positions = elementCount(outputs);
  const float *sample = tensor + row / positions * shape[1] * pixels;
  // The pixel of every entry of the window, or -1 in the padding.
  std::vector<int64_t> places(size_t(window()), 0);
  for (size_t i = 0; i < places.size(); ++i) {
    int64_t position = row % positions, entry = int64_t(i), stride = 1;
    for (size_t d = rank; d-- > 0;) {
      int64_t at = position % outputs[d] * strides[d] - pads[d] +
                   entry % kernel[d] * dilations[d];
      position /= outputs[d], entry /= kernel[d];
      bool isInside = at >= 0 && at < spatial[d] && places[i] >= 0;
      places[i] = isInside ? places[i] + at * stride : -1;
      stride *= spatial[d];
    }
  }
  for (int64_t c = 0; c < shape[1]; ++c)
    for (int64_t place : places)
      *to++ = place < 0 ? 0.0f : sample[c * pixels + place];
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Tensor floatConstant(Value value) {
  auto constant = value ? value.getDefiningOp<nn::ConstantOp>() : nullptr;
  if (!constant ||
      !cast<RankedTensorType>(value.getType()).getElementType().isF32())
    return {};
  return toTensor(constant.getValue());
}

void replaceConstant(OpOperand &operand, const Tensor &values) {
  auto old = operand.get().getDefiningOp<nn::ConstantOp>();
  OpBuilder builder(old);
  std::string name = getTensorName(old.getResult());
  Location location = old.getLoc();
  if (!old->hasOneUse()) {
    name += "_of_" + getLayerName(operand.getOwner()).node;
    location = makeLayerLocation(builder.getContext(), name, {name});
  }
  auto made = nn::ConstantOp::create(
      builder, location, toTensorType(builder.getContext(), values),
      toAttribute(builder.getContext(), values, name));
  operand.set(made);
  if (old->use_empty())
    old.erase();
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

static Shape extentsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().vec();
}

std::optional<MacLayer> MacLayer::of(Operation *op) {
  MacLayer layer;
  layer.op = op;
  bool isMac =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case([](nn::FullyConnectedOp) { return true; })
          .Case([&](nn::MatMulOp op) {
            Shape b = extentsOf(op.getB());
            layer.isTransposed = true;
            // Leading dimensions are other matrices, unless there is only one.
            return b.size() >= 2 && extentsOf(op.getA()).size() >= b.size() &&
                   elementCount(std::span(b).first(b.size() - 2)) == 1;
          })
          .Case([&](nn::GemmOp op) {
            layer.isTransposed = !op.getTransB();
            return !op.getTransA();
          })
          .Case([&](nn::ConvOp op) {
            layer.groupCount = op.getGroup();
            Shape weight = extentsOf(op.getWeight()), y = extentsOf(op.getY());
            layer.rowGeometry = {Shape(weight.begin() + 2, weight.end()),
                                 op.getStrides().vec(), op.getPads().vec(),
                                 op.getDilations().vec(),
                                 Shape(y.begin() + 2, y.end())};
            return true;
          })
          .Default(false);
  auto isStatic = [](Value value) {
    return cast<RankedTensorType>(value.getType()).hasStaticShape();
  };
  if (!isMac || floatConstant(op->getOperand(1)).isNull() ||
      !isStatic(op->getOperand(0)) || !isStatic(op->getResult(0)))
    return std::nullopt;
  Shape input = extentsOf(op->getOperand(0)),
        result = extentsOf(op->getResult(0));
  layer.inputs =
      input[size_t(layer.rowGeometry.channelAxis(int64_t(input.size())))];
  layer.outputs = result[size_t(layer.outputAxis())];
  return layer;
}

int64_t MacLayer::outputAxis() const {
  return rowGeometry.channelAxis(int64_t(extentsOf(op->getResult(0)).size()));
}

bool MacLayer::hasPlainBias() const {
  if (op->getNumOperands() < 3)
    return true;
  Tensor values = floatConstant(op->getOperand(2));
  return !values.isNull() && values.size() == outputs &&
         values.shape().back() == outputs;
}

static Tensor transposed(const Tensor &matrix) {
  int64_t rows = matrix.dim(0), columns = matrix.dim(1);
  Tensor result(matrix.dtype(), {columns, rows});
  dispatch(matrix.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        result.data<T>()[j * rows + i] = matrix.data<T>()[i * columns + j];
  });
  return result;
}

Tensor MacLayer::toMatrix(const Tensor &weights) const {
  int64_t length = weights.size() / outputs;
  return isTransposed ? transposed(weights.reshaped({length, outputs}))
                      : weights.reshaped({outputs, length});
}

Tensor MacLayer::matrix() const {
  return toMatrix(floatConstant(op->getOperand(1)));
}

void MacLayer::setMatrix(const Tensor &matrix) {
  Tensor values = isTransposed ? transposed(matrix) : matrix;
  replaceConstant(op->getOpOperand(1),
                  values.reshaped(extentsOf(op->getOperand(1))));
}

std::vector<float> MacLayer::bias() const {
  std::vector<float> values(size_t(outputs), 0.0f);
  if (op->getNumOperands() > 2)
    llvm::copy(floatConstant(op->getOperand(2)).values<float>(),
               values.begin());
  return values;
}

void MacLayer::setBias(const std::vector<float> &values) {
  MLIRContext *context = op->getContext();
  Tensor tensor = Tensor::fromValues<float>({outputs}, values);
  if (op->getNumOperands() > 2)
    return replaceConstant(op->getOpOperand(2),
                           tensor.reshaped(extentsOf(op->getOperand(2))));
  OpBuilder builder(op);
  std::string name = getLayerName(op).node + "_bias";
  auto made = nn::ConstantOp::create(
      builder, makeLayerLocation(context, name, {name}),
      toTensorType(context, tensor), toAttribute(context, tensor, name));
  op->insertOperands(2, {made});
}

Tensor MacLayer::withScaledInputs(const Tensor &matrix,
                                  const std::vector<float> &factors) const {
  Tensor result(DType::F32, matrix.shape());
  int64_t columns = matrix.dim(1);
  std::vector<float> perColumn = rowGeometry.perElement(factors);
  for (int64_t i = 0; i < outputs; ++i) {
    const float *from = matrix.data<float>() + i * columns;
    const float *factor = perColumn.data() + groupOffset(i, columns);
    float *to = result.data<float>() + i * columns;
    for (int64_t j = 0; j < columns; ++j)
      to[j] = from[j] * factor[j];
  }
  return result;
}

void MacLayer::scaleInputs(const std::vector<float> &factors) {
  setMatrix(withScaledInputs(matrix(), factors));
}

void MacLayer::scaleOutputs(const std::vector<float> &factors) {
  Tensor scaled = matrix().clone();
  int64_t columns = scaled.dim(1);
  for (int64_t i = 0; i < scaled.size(); ++i)
    scaled.data<float>()[i] *= factors[size_t(i / columns)];
  setMatrix(scaled);
  if (op->getNumOperands() < 3)
    return;
  std::vector<float> values = bias();
  for (size_t i = 0; i < values.size(); ++i)
    values[i] *= factors[i];
  setBias(values);
}

std::vector<float> MacLayer::inputMaxima() const {
  Tensor weights = matrix();
  int64_t columns = weights.dim(1), window = rowGeometry.window();
  std::vector<float> perColumn(size_t(inputs * window), 0.0f);
  for (int64_t i = 0; i < outputs; ++i) {
    const float *from = weights.data<float>() + i * columns;
    float *most = perColumn.data() + groupOffset(i, columns);
    for (int64_t j = 0; j < columns; ++j)
      most[j] = std::max(most[j], std::abs(from[j]));
  }
  std::vector<float> maxima;
  for (auto first = perColumn.begin(); first != perColumn.end();
       first += window)
    maxima.push_back(*std::max_element(first, first + window));
  return maxima;
}

std::vector<float> MacLayer::outputMaxima() const {
  Tensor weights = matrix();
  int64_t columns = weights.dim(1);
  std::vector<float> maxima(size_t(outputs), 0.0f);
  for (int64_t i = 0; i < outputs; ++i)
    for (int64_t j = 0; j < columns; ++j)
      maxima[size_t(i)] = std::max(
          maxima[size_t(i)], std::abs(weights.data<float>()[i * columns + j]));
  return maxima;
}

/// a b^T by the library that computes the network.
static Tensor multiply(const Tensor &a, const Tensor &b) {
  Tensor result(DType::F32, {a.dim(0), b.dim(0)});
  KernelBuilder builder;
  builder.inputs = {{{DType::F32, a.shape(), {}}, {}, {}},
                    {{DType::F32, b.shape(), {}}, {}, {}}};
  builder.outputs = {{{DType::F32, result.shape(), {}}}};
  kernels::MatMulParams params;
  params.transposeB = true;
  // With several threads the library may split sums among them, and it decides
  // that when it makes the kernel.
  ThreadCountScope oneThread(1);
  Kernel kernel = kernels::makeMatMul(builder, params, {});
  // Tensors are aligned as kernels like their scratch memory.
  Tensor scratch(DType::U8, {int64_t(kernel.scratchBytes)});
  std::shared_ptr<void> state = kernel.makeState ? kernel.makeState() : nullptr;
  std::vector<Tensor> inputs = {a, b};
  kernel.run({inputs, {&result, 1}, scratch.rawData(), state.get()});
  return result;
}

Tensor MacLayer::product(const Tensor &rows, const Tensor &matrix) const {
  if (groupCount == 1)
    return multiply(rows, matrix);
  // Groups are many and small: a loop is faster than as many calls.
  Tensor result(DType::F32, {rows.dim(0), outputs});
  int64_t length = matrix.dim(1), perGroup = outputs / groupCount;
  parallelFor(rows.dim(0), 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      for (int64_t output = 0; output < outputs; ++output) {
        const float *x =
            rows.data<float>() + row * rows.dim(1) + output / perGroup * length;
        const float *w = matrix.data<float>() + output * length;
        result.data<float>()[row * outputs + output] =
            std::inner_product(x, x + length, w, 0.0f);
      }
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

Tensor roundedWeights(const Tensor &matrix, DataType kind,
                      double refineThreshold) {
  WeightOptions wanted;
  wanted.type = kind;
  wanted.refineThreshold = refineThreshold;
  WeightCodes weights = quantizeWeights(matrix, 0, wanted);
  Tensor result(DType::F32, matrix.shape());
  int64_t columns = matrix.dim(1);
  for (int64_t i = 0; i < result.size(); ++i)
    result.data<float>()[i] =
        weights.scales[size_t(i / columns)] *
        (kind == DataType::S16 ? float(weights.codes.data<int16_t>()[i])
                               : float(weights.codes.data<int8_t>()[i]));
  return result;
}

double relativeError(const Tensor &actual, const Tensor &expected) {
  double error = 0, whole = 0;
  const float *a = actual.data<float>(), *b = expected.data<float>();
  for (int64_t i = 0; i < expected.size(); ++i) {
    double difference = double(a[i]) - double(b[i]);
    error += difference * difference;
    whole += double(b[i]) * double(b[i]);
  }
  return error == 0 ? 0 : error / std::max(whole, 1e-300);
}

} // namespace parallax::quantize
