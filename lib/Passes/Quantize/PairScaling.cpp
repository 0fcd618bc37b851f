//===- PairScaling.cpp - Scales that move between layers ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Scales are tried on rows of the float network, rounded as they will be, and
// applied to weights, ranges and rows alike.
//===----------------------------------------------------------------------===//
#include "PairScaling.h"

#include "parallax/Backend/Reference/Kernels/Quantize.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Parallel.h"

#include <cmath>

using namespace mlir;

namespace parallax::quantize {
namespace {

Scales inverse(const Scales &scales) {
  Scales result;
  for (float scale : scales)
    result.push_back(1.0f / scale);
  return result;
}

/// Multiplies negative elements by the slope of their channel.
void rectify(Tensor &rows, const RowGeometry &geometry,
             const std::vector<float> &slopes) {
  int64_t columns = rows.dim(1);
  std::vector<float> perColumn =
      slopes.size() == 1 ? std::vector<float>(size_t(columns), slopes[0])
                         : geometry.perElement(slopes);
  float *data = rows.data<float>();
  for (int64_t row = 0; row < rows.dim(0); ++row, data += columns)
    for (int64_t i = 0; i < columns; ++i)
      data[i] = data[i] < 0 ? data[i] * perColumn[size_t(i)] : data[i];
}

void multiplyChannels(OpOperand &operand, const Scales &factors) {
  Tensor values = floatConstant(operand.get()).clone();
  for (int64_t i = 0; i < values.size(); ++i)
    values.data<float>()[i] *= factors[size_t(i) % factors.size()];
  replaceConstant(operand, values);
}

/// What calibration has chosen is the same part of all values as before.
double rescaled(double chosen, double whole, double scaledWhole) {
  return whole == 0 ? scaledWhole : scaledWhole * (chosen / whole);
}

} // namespace

//===----------------------------------------------------------------------===//
// What is known of tensors
//===----------------------------------------------------------------------===//

PairScaler::PairScaler(Calibration &calibration, const ScalingOptions &options)
    : calibration(calibration), options(options) {
  for (auto [i, tensor] : llvm::enumerate(calibration.tensors))
    ranges[tensor.tensor] = i;
}

const TensorRange *PairScaler::range(Value tensor) const {
  auto it = ranges.find(getTensorName(tensor));
  return it == ranges.end() ? nullptr : &calibration.tensors[it->second];
}

void PairScaler::removeUnmeasurable(std::vector<Pair> &pairs) const {
  std::erase_if(pairs, [&](const Pair &pair) {
    return llvm::any_of(pair.tensors,
                        [&](const ScaledTensor &tensor) {
                          return !range(tensor.value);
                        }) ||
           llvm::all_of(pair.consumers, [&](const MacLayer &layer) {
             return getPrecision(layer.operation()).data == DataType::FP32;
           });
  });
}

static bool hasChannels(const TensorRange &range, const ScaledTensor &tensor,
                        int64_t channels) {
  return range.channelAxis == tensor.axis &&
         int64_t(range.channelMin.size()) == channels;
}

static int64_t channelsOf(const ScaledTensor &tensor) {
  return cast<RankedTensorType>(tensor.value.getType())
      .getDimSize(unsigned(tensor.axis));
}

bool PairScaler::hasCalibratedChannels(const Pair &pair) const {
  return llvm::all_of(pair.tensors, [&](const ScaledTensor &tensor) {
    return hasChannels(*range(tensor.value), tensor, pair.channels);
  });
}

ChannelExtremes PairScaler::extremes(const ScaledTensor &tensor) const {
  const TensorRange *known = range(tensor.value);
  ChannelExtremes result;
  if (hasChannels(*known, tensor, channelsOf(tensor)))
    result = {known->channelMin, known->channelMax};
  else if (auto it = observed.find(getTensorName(tensor.value));
           it != observed.end())
    result = it->second;
  // Channels without any finite value.
  for (std::vector<float> *side : {&result.low, &result.high})
    for (float &value : *side)
      value = std::isfinite(value) ? value : 0.0f;
  return result;
}

std::vector<float> PairScaler::channelMaxima(const Pair &pair) const {
  std::vector<float> maxima(size_t(pair.channels), 0.0f);
  for (const ScaledTensor &tensor : pair.tensors) {
    bool isRead = llvm::any_of(pair.consumers, [&](const MacLayer &layer) {
      return layer.input() == tensor.value;
    });
    ChannelExtremes known = extremes(tensor);
    for (size_t i = 0; isRead && i < known.low.size(); ++i)
      maxima[i] = std::max(
          {maxima[i], std::abs(known.low[i]), std::abs(known.high[i])});
  }
  return maxima;
}

/// With the extremes of channels, the range of all values after scaling is
/// exact. Where they are of fewer samples than the range, it grows or shrinks
/// as they do.
TensorRange PairScaler::scaledRange(const ScaledTensor &tensor,
                                    const Scales &scales) const {
  TensorRange result = *range(tensor.value);
  ChannelExtremes known = extremes(tensor);
  if (known.low.empty())
    return result;
  Interval before{INFINITY, -INFINITY}, after = before;
  for (size_t i = 0; i < scales.size(); ++i) {
    before.low = std::min(before.low, double(known.low[i]));
    before.high = std::max(before.high, double(known.high[i]));
    after.low = std::min(after.low, double(known.low[i] / scales[i]));
    after.high = std::max(after.high, double(known.high[i] / scales[i]));
  }
  Interval whole = result.values;
  result.values = {rescaled(whole.low, before.low, after.low),
                   rescaled(whole.high, before.high, after.high)};
  for (Interval *chosen : {&result.u8, &result.u16})
    *chosen = {rescaled(chosen->low, whole.low, result.values.low),
               rescaled(chosen->high, whole.high, result.values.high)};
  if (hasChannels(result, tensor, int64_t(scales.size()))) {
    for (size_t i = 0; i < scales.size(); ++i) {
      result.channelMin[i] /= scales[i];
      result.channelMax[i] /= scales[i];
    }
    return result;
  }
  // Along another dimension nothing is known but the range of all.
  for (float &value : result.channelMin)
    value = std::max(value, float(result.values.low));
  for (float &value : result.channelMax)
    value = std::min(value, float(result.values.high));
  return result;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

void PairScaler::wantRows(const Pair &pair, Value tensor,
                          const RowGeometry &geometry) {
  rows.want(tensor, geometry);
  std::optional<TensorSource> source = sourceOf(pair, tensor);
  if (!source)
    return;
  wantRows(pair, source->from, geometry);
  if (source->gate)
    rows.want(source->gate, geometry);
}

void PairScaler::want(const Pair &pair) {
  for (const MacLayer &layer : pair.consumers)
    wantRows(pair, layer.input(), layer.geometry());
  for (const ScaledTensor &tensor : pair.tensors)
    if (!hasChannels(*range(tensor.value), tensor, pair.channels)) {
      rows.wantExtremes(tensor.value, tensor.axis);
      uncalibrated.push_back(tensor);
    }
}

void PairScaler::collect(func::FuncOp network) {
  rows.collect(network, options.samples, options.threads);
  for (const ScaledTensor &tensor : uncalibrated)
    observed[getTensorName(tensor.value)] =
        rows.extremes(tensor.value, tensor.axis);
}

/// The rows as their readers get them: scaled, and rounded to codes.
Tensor PairScaler::scaledRows(const Pair &pair, Value tensor,
                              const RowGeometry &geometry, const Scales &scales,
                              DataType kind) const {
  auto round = [&](Tensor &values, const TensorRange &range) {
    if (isCodeType(kind))
      kernels::fakeQuantize(
          values, values,
          affineParams(bitsOf(kind) == 8 ? range.u8 : range.u16, kind));
  };
  Tensor result;
  if (std::optional<TensorSource> source = sourceOf(pair, tensor)) {
    result = scaledRows(pair, source->from, geometry, scales, kind);
    if (source->gate) {
      Tensor gate = rows.rows(source->gate, geometry)->clone();
      if (const TensorRange *known = range(source->gate))
        round(gate, *known);
      for (int64_t i = 0; i < result.size(); ++i)
        result.data<float>()[i] *= gate.data<float>()[i];
    } else {
      rectify(result, geometry, source->slopes);
    }
  } else {
    result = rows.rows(tensor, geometry)->clone();
    multiplyColumns(result, geometry.perElement(inverse(scales)));
  }
  auto it = llvm::find_if(pair.tensors, [&](const ScaledTensor &scaled) {
    return scaled.value == tensor;
  });
  round(result, scaledRange(*it, scales));
  return result;
}

/// Weights as they are after a rounding to codes.
Tensor PairScaler::codedMatrix(const Tensor &matrix, DataType kind,
                               Effort effort) const {
  if (!isCodeType(kind))
    return matrix;
  if (effort == Effort::Final)
    return roundedWeights(matrix, kind, options.refineWeightThreshold);
  int64_t columns = matrix.dim(1);
  Tensor result(DType::F32, matrix.shape());
  float *to = result.data<float>();
  int64_t limit = kind == DataType::S16 ? 32767 : 127;
  for (int64_t i = 0; i < matrix.dim(0); ++i) {
    const float *from = matrix.data<float>() + i * columns;
    float most = 0;
    for (int64_t j = 0; j < columns; ++j)
      most = std::max(most, std::abs(from[j]));
    Tensor row(DType::F32, {columns}, const_cast<float *>(from));
    Tensor rounded(DType::F32, {columns}, to + i * columns);
    kernels::fakeQuantize(
        row, rounded,
        {std::max(most / float(limit), 0x1p-126f), 0, -limit, limit});
  }
  return result;
}

PairScaler::Exact PairScaler::exact(const Pair &pair) const {
  ThreadCountScope threads(options.threads);
  Exact result;
  for (const MacLayer &layer : pair.consumers) {
    result.matrices.push_back(layer.matrix());
    result.results.push_back(layer.product(
        *rows.rows(layer.input(), layer.geometry()), result.matrices.back()));
  }
  return result;
}

PairError PairScaler::error(const Pair &pair, const Exact &exact,
                            const Scales &scales, Effort effort,
                            bool withTensor) const {
  ThreadCountScope threads(options.threads);
  PairError sum;
  for (auto [layer, matrix, expected] :
       llvm::zip(pair.consumers, exact.matrices, exact.results)) {
    LayerPrecision types = getPrecision(layer.operation());
    Tensor coded =
        scaledRows(pair, layer.input(), layer.geometry(), scales, types.data);
    Tensor weights = codedMatrix(layer.withScaledInputs(matrix, scales),
                                 types.weight, effort);
    sum.results += relativeError(layer.product(coded, weights), expected);
    if (!withTensor)
      continue;
    multiplyColumns(coded, layer.geometry().perElement(scales));
    const Tensor &right = *rows.rows(layer.input(), layer.geometry());
    sum.tensor += relativeError(coded, right) / double(pair.consumers.size());
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Changing
//===----------------------------------------------------------------------===//

void PairScaler::apply(Pair &pair, const Scales &scales) {
  Scales inverted = inverse(scales);
  if (std::optional<MacLayer> layer = MacLayer::of(pair.producer))
    layer->scaleOutputs(inverted);
  else
    for (unsigned i = 1; i < std::min(pair.producer->getNumOperands(), 3u); ++i)
      multiplyChannels(pair.producer->getOpOperand(i), inverted);
  for (MacLayer &layer : pair.consumers)
    layer.scaleInputs(scales);
  for (const ScaledTensor &tensor : pair.tensors) {
    std::string name = getTensorName(tensor.value);
    calibration.tensors[ranges.at(name)] = scaledRange(tensor, scales);
    rows.scale(tensor.value, inverted);
    auto it = observed.find(name);
    for (size_t i = 0; it != observed.end() && i < it->second.low.size(); ++i) {
      it->second.low[i] *= inverted[i];
      it->second.high[i] *= inverted[i];
    }
  }
}

} // namespace parallax::quantize
