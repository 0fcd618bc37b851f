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
  return WeightRow{getLayerName(layer).node,
                   getTensorName(floats.getResult()),
                   expected.shape(),
                   typeName(storageOf(type)),
                   metrics.mse,
                   metrics.reference,
                   metrics.quantized};
}

} // namespace

std::vector<WeightRow> weightsOf(AnalyzedNetwork views) {
  // A change of codes has the names of the layer that it belongs to.
  auto keyOf = [](Operation *op) {
    return (op->getName().getStringRef() + " " +
            getTensorName(op->getResult(0)))
        .str();
  };
  llvm::StringMap<Operation *> quantizedLayers;
  for (Operation &op : views.quantized.front().without_terminator())
    quantizedLayers.try_emplace(keyOf(&op), &op);

  std::vector<WeightRow> rows;
  for (Operation &op : views.network.front().without_terminator()) {
    Operation *partner = quantizedLayers.lookup(keyOf(&op));
    if (!partner || partner->getNumOperands() != op.getNumOperands())
      continue;
    for (auto [floats, codes] :
         llvm::zip(op.getOperands(), partner->getOperands())) {
      auto constant = floats.getDefiningOp<nn::ConstantOp>();
      auto quantized = codes.getDefiningOp<nn::QuantizedConstantOp>();
      if (!constant || !quantized)
        continue;
      if (auto row = weightOf(&op, constant, quantized))
        rows.push_back(std::move(*row));
    }
  }
  return rows;
}

} // namespace parallax::analyze
