//===- FrontPrediction.cpp - Costs and losses before trials ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The losses of an attribution and the costs of layers make a problem of
// widths, whose solutions are priced as real networks.
//===----------------------------------------------------------------------===//
#include "FrontPrediction.h"
#include "Allowed.h"

#include "parallax/Support/Log.h"

#include <algorithm>

namespace parallax {
namespace {

/// Samples that losses are attributed on.
constexpr size_t attributedOn = 8;

ConfigEdit everythingWide(bool isWeights) {
  std::string entry = R"({"start_tensor_names":["DEFAULT"],)"
                      R"("end_tensor_names":["DEFAULT"],"data_type":"U16")";
  if (isWeights)
    entry += R"(,"weight_data_type":"S16")";
  return {"quant.layer_configs", entry + "}", true};
}

/// The rules for all that can be had: float where 16 bits are not allowed.
std::vector<ConfigEdit> everything(const WidthProblem &problem,
                                   bool isWeights) {
  std::vector<ConfigEdit> edits = {everythingWide(isWeights)};
  Widening floats;
  for (const std::string &layer : problem.asFloat)
    floats.floats.add(layer);
  for (ConfigEdit &edit : floats.edits())
    edits.push_back(std::move(edit));
  return edits;
}

/// Of many corners, those that can be told from each other by what is
/// measured: to price one is to quantize and lower the network.
std::vector<WidthPoint> farApart(std::vector<WidthPoint> corners) {
  constexpr double alike = 0.85, asGoodAsNothing = 1e-3;
  double enough = corners.front().loss * asGoodAsNothing;
  std::vector<WidthPoint> kept;
  for (WidthPoint &corner : corners)
    if (kept.empty() ||
        (corner.loss <= kept.back().loss * alike && kept.back().loss > enough))
      kept.push_back(std::move(corner));
  return kept;
}

std::vector<FrontPoint> withoutDominated(std::vector<FrontPoint> points) {
  std::ranges::sort(points, {}, [](const FrontPoint &point) {
    return std::pair(point.cost, point.left);
  });
  std::vector<FrontPoint> front;
  for (FrontPoint &point : points)
    if (front.empty() || point.left < front.back().left)
      front.push_back(std::move(point));
  return front;
}

} // namespace

/// The analysis of what was built last.
PrecisionReport FrontPrediction::analyze() {
  return bench.analyze(search.firstSamples(attributedOn),
                       search.attributionOn(attributedOn));
}

/// What tensors lose alone. Those that have 16 bits already keep what they
/// lost with 8.
void FrontPrediction::addLosses(const PrecisionReport &report) {
  if (!report.attribution)
    return;
  LossModel now(report);
  for (const AttributionRow &row : report.attribution->rows) {
    double weights = row.partOfWeights();
    double square = squareOfLoss(row.alone);
    const PrecisionRow *tensor = now.find(row.tensor);
    bool isWide = tensor && tensor->codes && tensor->codes->high > 255;
    if (!isWide || !losses.codes.contains(row.tensor))
      losses.codes[row.tensor] = square * (1 - weights);
    if (square * weights > 0 || !losses.weights.contains(row.node))
      losses.weights[row.node] = square * weights;
  }
}

/// What layers have to be, and which are float where they may not have 16
/// bits.
void FrontPrediction::limitTypes(WidthProblem &problem) const {
  for (const PrecisionRow &row : network->layers()) {
    if (row.moves)
      continue;
    auto may = [&](DataType type) {
      return isAllowed(search.config, row.node, row.type, type);
    };
    bool isNarrow = may(DataType::U8), isWide = may(DataType::U16),
         isFloat = may(DataType::FP32);
    if (isWide) {
      if (!isNarrow)
        problem.required.insert(row.node);
    } else {
      (!isNarrow ? problem.alwaysFloat
       : isFloat ? problem.asFloat
                 : problem.fixed)
          .insert(row.node);
    }
  }
}

/// False if the network can't be built with 16 bits.
bool FrontPrediction::addCosts(WidthProblem &problem) const {
  std::optional<Trial> asIs = bench.attempt({}),
                       wide = bench.attempt(everything(problem, false)),
                       all = bench.attempt(everything(problem, true));
  if (!asIs || !wide)
    return false;
  LayerCosts &costs = problem.costs;
  costs.narrow = bench.layerCosts(*asIs);
  costs.wide = bench.layerCosts(*wide);
  costs.wideWeights = bench.layerCosts(all ? *all : *wide);
  // What becomes codes is a layer of its own behind a float one.
  for (const std::string &layer : problem.asFloat)
    costs.floats[layer] = costs.wide[layer] + costs.wide[layer + "_float"];
  for (const PrecisionRow &row : network->layers()) {
    costs.conversions[row.tensor] = bench.conversionCost(row);
    for (const std::string &input : row.inputs)
      if (const PrecisionRow *read = network->find(input);
          read && read->type == inputType) {
        costs.narrowInputs[input] = costs.narrow[input + "_U8"];
        costs.wideInputs[input] = costs.wide[input + "_U16"];
      }
  }
  return true;
}

double FrontPrediction::leftOf(const Trial &trial) const {
  double left = 0;
  for (const auto &[tensor, loss] : losses.codes)
    left += loss * network->kept(tensor, trial);
  for (const auto &[layer, loss] : losses.weights)
    left += trial.wideWeights.contains(layer) ? 0 : loss;
  double all = losses.total();
  return all > 0 ? left / all : 0;
}

std::vector<FrontPoint>
FrontPrediction::predict(const std::vector<ConfigEdit> &levers,
                         const TrialRecord *best) {
  bench.build(best ? search.ownEdits(*best) : levers);
  PrecisionReport report = analyze();
  addLosses(report);
  if (!best) {
    narrow = std::move(report);
    network.emplace(narrow);
  }
  bench.calibrate(levers);
  WidthProblem problem;
  problem.network = &*network;
  problem.losses = losses;
  limitTypes(problem);
  if (!addCosts(problem))
    return {};
  std::vector<FrontPoint> points;
  for (const WidthPoint &corner : farApart(chooseFront(problem))) {
    std::vector<ConfigEdit> types = corner.choice.edits();
    std::optional<Trial> trial = bench.attempt(types);
    if (!trial)
      continue;
    std::vector<ConfigEdit> edits = levers;
    edits.insert(edits.end(), types.begin(), types.end());
    points.push_back({std::move(edits), leftOf(*trial), bench.costOf(*trial)});
  }
  points = withoutDominated(std::move(points));
  for (const FrontPoint &point : points)
    log(LogLevel::Debug, "predicted: {} cycles, {:.4f} of the error",
        point.cost, point.left);
  return points;
}

std::vector<ConfigEdit> FrontPrediction::widest() const {
  WidthProblem problem;
  if (network) {
    problem.network = &*network;
    limitTypes(problem);
  }
  return everything(problem, true);
}

} // namespace parallax
