//===- BiasCorrection.cpp - Errors that are always the same ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A layer is fed with rows of the float network, rounded to the codes that it
// reads. So a layer answers for its own error only, and all layers can be
// corrected at once. Half of the samples say what the correction is, the other
// half whether it helps.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Quantize/BiasCorrection.h"
#include "FloatRows.h"

#include "parallax/Backend/Reference/Kernels/Quantize.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace mlir;

namespace parallax {
namespace quantize {
namespace {

/// A layer of the network, its copy, and the same one on codes.
struct LayerViews {
  MacLayer exact, layer;
  Operation *quantized;
};

/// The weights that a layer of a quantized view computes with.
Tensor codedMatrix(const LayerViews &views) {
  Value weight = views.quantized->getOperand(1);
  auto constant = weight.getDefiningOp<nn::QuantizedConstantOp>();
  Type type = constant.getType();
  Tensor codes = views.layer.toMatrix(toTensor(constant.getCodes()));
  std::vector<float> scales =
      isPerAxis(type) ? channelParamsOf(type).scales
                      : std::vector<float>(size_t(codes.dim(0)),
                                           affineParamsOf(type).scale);
  Tensor result(DType::F32, codes.shape());
  int64_t columns = codes.dim(1);
  dispatch(codes.dtype(), [&](auto tag) {
    using Code = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<Code>)
      for (int64_t i = 0; i < codes.size(); ++i)
        result.data<float>()[i] =
            float(codes.data<Code>()[i]) * scales[size_t(i / columns)];
  });
  return result;
}

using LayersByName = llvm::StringMap<Operation *>;

LayersByName layersOf(func::FuncOp function) {
  LayersByName layers;
  for (Operation &op : function.front().without_terminator())
    if (isa<nn::ConvOp, nn::FullyConnectedOp>(op))
      layers[getLayerName(&op).node] = &op;
  return layers;
}

/// Layers that can get another bias: a matrix product has none.
std::vector<LayerViews> correctable(func::FuncOp network, func::FuncOp copy,
                                    func::FuncOp quantized) {
  LayersByName exactOnes = layersOf(network),
               quantizedOnes = layersOf(quantized);
  std::vector<LayerViews> result;
  for (Operation &op : copy.front().without_terminator()) {
    if (!isa<nn::ConvOp, nn::FullyConnectedOp>(op))
      continue;
    std::string name = getLayerName(&op).node;
    Operation *original = exactOnes.lookup(name);
    Operation *codes = quantizedOnes.lookup(name);
    std::optional<MacLayer> layer = MacLayer::of(&op), exact;
    if (original)
      exact = MacLayer::of(original);
    if (layer && layer->hasPlainBias() && exact && exact->hasPlainBias() &&
        codes && isQuantized(codes->getOperand(0).getType()) &&
        codes->getOperand(1).getDefiningOp<nn::QuantizedConstantOp>())
      result.push_back({*exact, *layer, codes});
  }
  return result;
}

CorrectedLayer correct(LayerViews &views, const FloatRows &rows) {
  MacLayer &layer = views.layer;
  const Tensor &exact = *rows.rows(layer.input(), layer.geometry());
  Tensor coded(DType::F32, exact.shape());
  kernels::fakeQuantize(
      exact, coded, affineParamsOf(views.quantized->getOperand(0).getType()));
  Tensor right = layer.product(exact, views.exact.matrix());
  Tensor actual = layer.product(coded, codedMatrix(views));
  std::vector<float> bias = layer.bias(), rightBias = views.exact.bias();

  auto channels = size_t(layer.outputChannels());
  int64_t perSample = rows.rowsPerSample(layer.input(), layer.geometry());
  int64_t count = exact.dim(0);
  // A single sample is halved itself.
  int64_t half =
      count > perSample ? perSample : std::max<int64_t>(count / 2, 1);
  auto isHeldOut = [&](int64_t row) { return row / half % 2 == 1; };
  auto differenceAt = [&](int64_t row, size_t channel) {
    size_t i = size_t(row) * channels + channel;
    return double(right.data<float>()[i]) + double(rightBias[channel]) -
           double(actual.data<float>()[i]) - double(bias[channel]);
  };
  std::vector<double> shift(channels, 0.0);
  int64_t seen = 0;
  for (int64_t row = 0; row < count; ++row)
    if (!isHeldOut(row)) {
      ++seen;
      for (size_t c = 0; c < channels; ++c)
        shift[c] += differenceAt(row, c);
    }
  double squaresOfShift = 0, squares = 0, before = 0, after = 0;
  for (double &value : shift) {
    value /= double(seen);
    squaresOfShift += value * value * double(count - seen);
  }
  for (int64_t row = 0; row < count; ++row)
    for (size_t c = 0; isHeldOut(row) && c < channels; ++c) {
      double value = double(right.data<float>()[size_t(row) * channels + c]);
      double difference = differenceAt(row, c);
      squares += value * value;
      before += difference * difference;
      after += (difference - shift[c]) * (difference - shift[c]);
    }

  CorrectedLayer outcome;
  outcome.layer = getLayerName(layer.operation()).node;
  outcome.channels = int64_t(channels);
  squares = std::max(squares, 1e-300);
  outcome.shift = std::sqrt(squaresOfShift / squares);
  outcome.errorBefore = before / squares;
  outcome.errorAfter = after / squares;
  outcome.kept = after < before;
  if (outcome.kept) {
    for (size_t c = 0; c < channels; ++c)
      bias[c] = float(double(bias[c]) + shift[c]);
    layer.setBias(bias);
  }
  return outcome;
}

} // namespace
} // namespace quantize

std::vector<CorrectedLayer> correctBiases(func::FuncOp network,
                                          func::FuncOp copy,
                                          func::FuncOp quantized,
                                          const Samples &samples, int threads) {
  using namespace quantize;
  RangesAside ofNetwork(network), ofCopy(copy);
  ThreadCountScope scope(threads);
  std::vector<LayerViews> layers = correctable(network, copy, quantized);
  FloatRows rows;
  for (const LayerViews &views : layers)
    rows.want(views.layer.input(), views.layer.geometry());
  // A mean needs more samples than an error does.
  rows.collect(network, samples, threads, FloatRows::mostSamples);
  std::vector<CorrectedLayer> outcomes;
  for (LayerViews &views : layers) {
    const Tensor *known =
        rows.rows(views.layer.input(), views.layer.geometry());
    // One row says nothing about another one.
    if (known && known->dim(0) > 1)
      outcomes.push_back(correct(views, rows));
  }
  return outcomes;
}

} // namespace parallax
