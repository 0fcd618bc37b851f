//===- EasyQuant.cpp - Ranges that serve the layers behind them -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Tries nine parts of the range of each tensor, and keeps the one with which
// its readers compute best.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Quantize/EasyQuant.h"
#include "FloatRows.h"

#include "parallax/Backend/Reference/Kernels/Quantize.h"
#include "parallax/Dialect/NN/QuantRule.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Passes/Quantize/Precision.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Parallel.h"

#include "llvm/ADT/MapVector.h"

#include <cmath>

using namespace mlir;

namespace parallax {
namespace quantize {
namespace {

/// Parts of a range that are tried, from wide to narrow.
constexpr double rangeParts[] = {0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3};

/// The tensor that has the range: what only moves elements has none of its own.
Value rangeOwner(Value tensor) {
  for (Operation *op = tensor.getDefiningOp();
       op && nn::sharesScale(op) && op->getNumOperands() == 1;
       op = tensor.getDefiningOp())
    tensor = op->getOperand(0);
  return tensor;
}

struct Reader {
  MacLayer layer;
  DataType kind;
  /// Rows of its input, its rounded weights, and what it should compute.
  const Tensor *rows;
  Tensor weights, expected;
};

class RangeTuner {
public:
  RangeTuner(Calibration &calibration, const ScalingOptions &options)
      : options(options) {
    for (TensorRange &tensor : calibration.tensors)
      ranges[tensor.tensor] = &tensor;
  }

  std::vector<TunedRange> run(func::FuncOp network) {
    llvm::MapVector<Value, std::vector<MacLayer>> tensors;
    FloatRows rows;
    for (Operation &op : network.front().without_terminator())
      if (std::optional<MacLayer> layer = MacLayer::of(&op);
          layer && ranges.contains(getTensorName(rangeOwner(layer->input()))) &&
          isCodeType(getPrecision(&op).data)) {
        tensors[layer->input()].push_back(*layer);
        rows.want(layer->input(), layer->geometry());
      }
    rows.collect(network, options.samples, options.threads);
    std::vector<TunedRange> outcomes;
    for (auto &[tensor, layers] : tensors)
      outcomes.push_back(tune(tensor, layers, rows));
    return outcomes;
  }

private:
  TunedRange tune(Value tensor, const std::vector<MacLayer> &layers,
                  const FloatRows &rows) {
    TunedRange outcome;
    outcome.tensor = getTensorName(tensor);
    std::vector<Reader> readers;
    for (const MacLayer &layer : layers) {
      const Tensor *known = rows.rows(tensor, layer.geometry());
      LayerPrecision types = getPrecision(layer.operation());
      Tensor matrix = layer.matrix();
      Tensor rounded = isCodeType(types.weight)
                           ? roundedWeights(matrix, types.weight,
                                            options.refineWeightThreshold)
                           : matrix;
      readers.push_back(
          {layer, types.data, known, rounded, layer.product(*known, matrix)});
      outcome.consumers.push_back(getLayerName(layer.operation()).node);
    }
    TensorRange &range = *ranges.at(getTensorName(rangeOwner(tensor)));
    outcome.errorBefore = outcome.errorAfter = error(readers, range, 1);
    for (double part : rangeParts)
      if (double error = this->error(readers, range, part);
          error < outcome.errorAfter) {
        outcome.errorAfter = error;
        outcome.part = part;
      }
    outcome.kept = outcome.part < 1;
    if (outcome.kept)
      for (Interval *chosen : {&range.u8, &range.u16})
        *chosen = {chosen->low * outcome.part, chosen->high * outcome.part};
    return outcome;
  }

  /// Of all readers, with a part of the range.
  static double error(const std::vector<Reader> &readers,
                      const TensorRange &range, double part) {
    double sum = 0;
    for (const Reader &reader : readers) {
      Interval whole = bitsOf(reader.kind) == 8 ? range.u8 : range.u16;
      Tensor coded(DType::F32, reader.rows->shape());
      kernels::fakeQuantize(
          *reader.rows, coded,
          affineParams({whole.low * part, whole.high * part}, reader.kind));
      sum += relativeError(reader.layer.product(coded, reader.weights),
                           reader.expected);
    }
    return sum;
  }

  const ScalingOptions &options;
  std::map<std::string, TensorRange *> ranges;
};

} // namespace
} // namespace quantize

std::vector<TunedRange> tuneRanges(func::FuncOp network,
                                   const ScalingOptions &options) {
  if (options.samples.count == 0)
    return {};
  ThreadCountScope threads(options.threads);
  RangesAside aside(network);
  return quantize::RangeTuner(aside.ranges(), options).run(network);
}

} // namespace parallax
