//===- LossModel.cpp - Which layers cause the loss of the outputs ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Indexes the report by tensor and layer. Where nothing was attributed, the
// PerLayer error of a layer stands in for its part of the loss of the outputs.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/LossModel.h"

#include <algorithm>
#include <cmath>

namespace parallax {
namespace {

/// The last table of a method: that of the NPU, if it was analyzed.
const PrecisionTable *lastTable(const PrecisionReport &report,
                                AnalysisMethod method) {
  const PrecisionTable *found = nullptr;
  for (const PrecisionTable &table : report.tables)
    if (table.method == method)
      found = &table;
  return found;
}

double noiseToSignal(const PrecisionRow &row) {
  double signal = meanSquare(row.metrics.reference);
  return signal > 0 && !row.metrics.isExact ? row.metrics.mse / signal : 0;
}

double square(double value) { return value * value; }

/// The other way round.
double lossOfSquare(double error) { return 1 - 1 / std::sqrt(1 + 2 * error); }
/// From here on a loss says little about the size of the errors behind it.
constexpr double saturatedLoss = 0.3;

/// How far values lie beyond codes.
double farthestBeyond(const PrecisionRow &row, const AffineParams &codes) {
  auto [low, high] = rangeOf(codes);
  return std::max(
      {row.metrics.reference.max - high, low - row.metrics.reference.min, 0.0});
}

/// The mean squared error of values beyond the codes, if they are spread evenly
/// up to the farthest of them.
double clippingError(const PrecisionRow &row) {
  if (row.metrics.saturated == 0 || !row.codes)
    return 0;
  double beyond = farthestBeyond(row, *row.codes);
  // No more than what was measured beside the rounding.
  double rest = std::max(row.metrics.mse - roundingError(*row.codes), 0.0);
  return std::min(row.metrics.saturated * square(beyond) / 3, rest);
}

/// The part of a tensor's error that finer codes of the same range leave.
double clippedPart(const PrecisionRow &row) {
  double clipped = clippingError(row);
  return clipped > 0 ? clipped / (clipped + roundingError(*row.codes)) : 0;
}

} // namespace

double squareOfLoss(double loss) {
  double cosine = std::max(1 - loss, 1e-3);
  return (1 / square(cosine) - 1) / 2;
}

double meanSquare(const ValueSummary &values) {
  return values.variance + values.mean * values.mean;
}

std::pair<double, double> rangeOf(const AffineParams &codes) {
  return {double(codes.low - codes.zeroPoint) * codes.scale,
          double(codes.high - codes.zeroPoint) * codes.scale};
}

double roundingError(const AffineParams &codes) {
  return double(codes.scale) * double(codes.scale) / 12;
}

LossModel::LossModel(const PrecisionReport &report) {
  static const std::vector<PrecisionRow> nothing;
  perLayer = &nothing;
  // Summaries of values are the same in every table of this method.
  for (const PrecisionTable &table : report.tables)
    if (table.method == AnalysisMethod::PerLayer && perLayer->empty())
      perLayer = &table.rows;
  for (const std::vector<PrecisionRow> *list : {&report.inputs, perLayer})
    for (const PrecisionRow &row : *list) {
      rows.try_emplace(row.tensor, &row);
      for (const std::string &input : row.inputs)
        readersOf.emplace(input, &row);
    }
  for (const OutlierRow &row : report.outliers)
    outlierRows.try_emplace(row.tensor, &row);
  for (const WeightRow &row : report.weights)
    if (row.outputs.channel >= 0)
      weightRows.try_emplace(row.node, &row);
    else
      biases[row.node] =
          std::max({biases[row.node], row.floats.max, -row.floats.min});

  int64_t outputs = 0;
  if (const PrecisionTable *table = lastTable(report, AnalysisMethod::EndToEnd))
    for (const PrecisionRow &row : table->rows)
      if (row.isOutput) {
        double lost = 1 - decidingSimilarity(row);
        loss += lost;
        lossOfMoves += lossByMoves(row, lost);
        worstLoss = std::max(worstLoss, lost);
        ++outputs;
      }
  if (outputs > 0) {
    loss /= double(outputs);
    lossOfMoves /= double(outputs);
  }
  shareOut(report);
}

double LossModel::lossByMoves(const PrecisionRow &output, double lost) const {
  std::vector<const PrecisionRow *> from = makers(output.tensor);
  bool decides =
      !from.empty() && std::ranges::all_of(from, [](const PrecisionRow *maker) {
        return maker->type == "Softmax";
      });
  return decides && output.metrics.rows > 0
             ? std::clamp(1 - output.metrics.agreement, 0.0, lost)
             : 0;
}

void LossModel::shareOut(const PrecisionReport &report) {
  squares = squareOfLoss(loss);
  if (report.attribution && report.attribution->closes()) {
    // Parts may cancel each other, and do so only as long as both are there;
    // the squares of what layers lose alone add up.
    parts = report.attribution->rows;
    double found = 0;
    for (AttributionRow &part : parts) {
      double alone = squareOfLoss(part.alone);
      part.weights = alone * part.partOfWeights();
      part.activations = alone - part.weights;
      found += alone;
    }
    if (loss > saturatedLoss)
      squares = std::max(squares, found);
  } else {
    std::map<std::string, AttributionRow> byTensor;
    auto partOf = [&](const PrecisionRow &row) -> AttributionRow & {
      return byTensor
          .try_emplace(row.tensor,
                       AttributionRow{row.node, row.tensor, row.type})
          .first->second;
    };
    for (const PrecisionRow &row : report.inputs)
      partOf(row).activations += noiseToSignal(row);
    for (const PrecisionRow &row : *perLayer) {
      if (row.moves)
        continue;
      double noise = noiseToSignal(row);
      ErrorParts error = errorOf(row);
      AttributionRow &own = partOf(row);
      own.activations += error.own * noise;
      own.weights += error.weights * noise;
      for (const std::string &input : row.inputs)
        if (const PrecisionRow *maker = find(input))
          partOf(*maker).activations +=
              error.inputs * noise / double(row.inputs.size());
    }
    for (const std::vector<PrecisionRow> *list : {&report.inputs, perLayer})
      for (const PrecisionRow &row : *list)
        if (auto it = byTensor.find(row.tensor); it != byTensor.end())
          parts.push_back(it->second);
  }
  double sum = 0;
  for (const AttributionRow &part : parts)
    sum += part.total();
  double scale = sum > 0 ? loss / sum : 0;
  for (AttributionRow &part : parts) {
    part.weights = std::max(0.0, part.weights * scale);
    part.activations = std::max(0.0, part.activations * scale);
    partByTensor[part.tensor] += part.total();
  }
}

const PrecisionRow *LossModel::find(const std::string &tensor) const {
  auto it = rows.find(tensor);
  return it == rows.end() ? nullptr : it->second;
}

const OutlierRow *LossModel::outliers(const std::string &tensor) const {
  auto it = outlierRows.find(tensor);
  return it == outlierRows.end() ? nullptr : it->second;
}

const WeightRow *LossModel::weights(const std::string &node) const {
  auto it = weightRows.find(node);
  return it == weightRows.end() ? nullptr : it->second;
}

LossModel::Readers LossModel::readers(const std::string &tensor) const {
  Readers result;
  std::vector<std::string> moved = {tensor};
  std::set<std::string> seen(moved.begin(), moved.end());
  for (size_t i = 0; i < moved.size(); ++i) {
    if (const PrecisionRow *row = find(moved[i]); row && row->isOutput)
      result.outputs.push_back(row->tensor);
    auto [begin, end] = readersOf.equal_range(moved[i]);
    for (auto it = begin; it != end; ++it) {
      const PrecisionRow *reader = it->second;
      if (seen.insert(reader->tensor).second && reader->moves)
        moved.push_back(reader->tensor);
      if (!reader->moves &&
          std::ranges::find(result.layers, reader) == result.layers.end())
        result.layers.push_back(reader);
    }
  }
  return result;
}

std::vector<const PrecisionRow *>
LossModel::makers(const std::string &tensor) const {
  std::vector<const PrecisionRow *> found;
  std::vector<std::string> moved = {tensor};
  std::set<std::string> seen(moved.begin(), moved.end());
  for (size_t i = 0; i < moved.size(); ++i) {
    const PrecisionRow *row = find(moved[i]);
    if (row && !row->moves && row->type != inputType)
      found.push_back(row);
    if (row && row->moves)
      for (const std::string &input : row->inputs)
        if (seen.insert(input).second)
          moved.push_back(input);
  }
  return found;
}

double LossModel::bias(const std::string &node) const {
  auto it = biases.find(node);
  return it == biases.end() ? 0 : it->second;
}

double LossModel::partOf(const std::string &tensor) const {
  auto it = partByTensor.find(tensor);
  return it == partByTensor.end() ? 0 : it->second;
}

ErrorParts LossModel::errorOf(const PrecisionRow &row) const {
  double mse = row.metrics.mse;
  if (!(mse > 0))
    return {};
  ErrorParts parts;
  if (row.codes)
    parts.own =
        std::min(1.0, (clippingError(row) + roundingError(*row.codes)) / mse);
  if (const WeightRow *weight = weights(row.node))
    if (double signal = meanSquare(weight->floats); signal > 0)
      parts.weights =
          std::min(1 - parts.own, weight->mse / signal *
                                      meanSquare(row.metrics.reference) / mse);
  parts.inputs = row.inputs.empty() ? 0 : 1 - parts.own - parts.weights;
  return parts;
}

double LossModel::lossOfParts(double left) const {
  double all = 0;
  for (const AttributionRow &part : parts)
    all += part.total();
  if (!(all > 0) || left >= all)
    return loss;
  // How many answers change goes with the size of errors, not with its square.
  double moves = loss > 0 ? lossOfMoves / loss : 0;
  double smooth = std::min(loss, lossOfSquare(squares * left / all));
  return (1 - moves) * smooth + lossOfMoves * std::sqrt(left / all);
}

double LossModel::kept(const std::string &tensor, const Trial &trial) const {
  const PrecisionRow *row = find(tensor);
  if (!row || !row->codes)
    return 1;
  auto codes = trial.codes.find(tensor);
  if (codes == trial.codes.end())
    return 0;
  // A method may choose a wider range for 16 bits. Of values that are spread
  // evenly beyond a range, fewer are then beyond it, and not as far.
  double clipped = clippedPart(*row);
  double closer = clipped > 0 ? farthestBeyond(*row, codes->second) /
                                    farthestBeyond(*row, *row->codes)
                              : 0;
  return clipped * closer * square(closer) +
         (1 - clipped) *
             square(double(codes->second.scale) / row->codes->scale);
}

double LossModel::predict(const Trial &trial) const {
  double left = 0;
  for (const AttributionRow &part : parts) {
    left += part.activations * kept(part.tensor, trial);
    left += trial.wideWeights.contains(part.node) ? 0 : part.weights;
  }
  return lossOfParts(left);
}

double stepOver(double low, double high, const AffineParams &codes) {
  auto steps = std::max<int64_t>(codes.high - codes.low, 1);
  return (std::max(high, 0.0) - std::min(low, 0.0)) / double(steps);
}

double LossModel::recalibratedStep(const PrecisionRow &row) const {
  const ValueSummary &values = row.metrics.reference;
  return stepOver(values.min, values.max, *row.codes);
}

double LossModel::predictRecalibrated() const {
  return predictSteps(
      [&](const PrecisionRow &row) { return recalibratedStep(row); });
}

double LossModel::predictSteps(
    const std::function<double(const PrecisionRow &)> &stepOf) const {
  std::map<std::string, double> kept;
  for (const AttributionRow &part : parts) {
    const PrecisionRow *row = find(part.tensor);
    if (!row || !row->codes || row->metrics.reference.count == 0)
      continue;
    kept[part.tensor] =
        (1 - clippedPart(*row)) * square(stepOf(*row) / row->codes->scale);
  }
  return predictScaled(kept);
}

double
LossModel::predictScaled(const std::map<std::string, double> &kept) const {
  double left = 0;
  for (const AttributionRow &part : parts) {
    auto it = kept.find(part.tensor);
    left +=
        part.weights + part.activations * (it == kept.end() ? 1 : it->second);
  }
  return lossOfParts(left);
}

} // namespace parallax
