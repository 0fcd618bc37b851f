//===- Weights.cpp - What codes make of weights ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Two layers may read one constant and have it in different codes, so weights
// are matched by the layer that reads them, not by their names.
//===----------------------------------------------------------------------===//
#include "Rows.h"

#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace parallax::analyze {
namespace {

/// The magnitudes of the channels along an axis.
ChannelPeak peakAlong(const Tensor &weights, int64_t axis) {
  ChannelLayout layout;
  for (int64_t i = 0; i < weights.rank(); ++i)
    (i < axis   ? layout.outer
     : i > axis ? layout.inner
                : layout.channels) *= size_t(weights.dim(i));
  constexpr float infinite = std::numeric_limits<float>::infinity();
  std::vector<float> low(layout.channels, infinite),
      high(layout.channels, -infinite);
  widenChannels(weights.values<float>(), layout, low, high);
  std::vector<float> maxima;
  for (auto [least, most] : llvm::zip(low, high))
    maxima.push_back(least <= most ? std::max(-least, most) : 0.0f);
  return peakOf(maxima);
}

/// Along the dimension that has a scale for each channel, and across it.
void addPeaks(WeightRow &row, const Tensor &weights, Type type) {
  if (!isPerAxis(type) || weights.rank() < 2 || weights.dtype() != DType::F32)
    return;
  int64_t axis = channelParamsOf(type).axis;
  row.outputs = peakAlong(weights, axis);
  row.inputs = peakAlong(weights, axis == 0 ? 1 : 0);
}

std::optional<WeightRow> weightOf(Operation *layer, nn::ConstantOp floats,
                                  nn::QuantizedConstantOp codes) {
  Tensor expected = toTensor(floats.getValue());
  Tensor found = evaluate(codes, {}, referenceKernels())[0];
  if (!isFloat(expected.dtype()) || found.shape() != expected.shape())
    return std::nullopt;
  TensorComparison comparison(/*channelAxis=*/-1, {}, /*tracksRows=*/false,
                              /*summarizes=*/true);
  comparison.add(found, expected);
  ComparisonResult metrics = comparison.result();
  Type type = getElementTypeOrSelf(codes.getY().getType());
  WeightRow row{getLayerName(layer).node,
                getTensorName(floats.getResult()),
                expected.shape(),
                typeName(storageOf(type)),
                metrics.mse,
                metrics.reference,
                metrics.quantized};
  addPeaks(row, expected, type);
  return row;
}

} // namespace

void forEachWeight(AnalyzedNetwork views, WeightFn fn) {
  // A change of codes has the names of the layer that it belongs to.
  auto keyOf = [](Operation *op) {
    return (op->getName().getStringRef() + " " +
            getTensorName(op->getResult(0)))
        .str();
  };
  llvm::StringMap<Operation *> quantizedLayers;
  for (Operation &op : views.quantized.front().without_terminator())
    quantizedLayers.try_emplace(keyOf(&op), &op);

  for (Operation &op : views.network.front().without_terminator()) {
    Operation *partner = quantizedLayers.lookup(keyOf(&op));
    if (!partner || partner->getNumOperands() != op.getNumOperands())
      continue;
    for (auto [floats, codes] :
         llvm::zip(op.getOperands(), partner->getOperands())) {
      auto constant = floats.getDefiningOp<nn::ConstantOp>();
      auto quantized = codes.getDefiningOp<nn::QuantizedConstantOp>();
      if (constant && quantized)
        fn(&op, constant, quantized);
    }
  }
}

std::vector<WeightRow> weightsOf(AnalyzedNetwork views) {
  std::vector<WeightRow> rows;
  forEachWeight(views, [&](Operation *layer, nn::ConstantOp floats,
                           nn::QuantizedConstantOp codes) {
    if (auto row = weightOf(layer, floats, codes))
      rows.push_back(std::move(*row));
  });
  return rows;
}

} // namespace parallax::analyze
