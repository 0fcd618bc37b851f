//===- Ranking.cpp - Attribution against one layer at a time --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Estimates what each layer of a real model loses alone, and prints that beside
// the slow way, which quantizes one layer at a time: how much of the loss the
// parts explain, how alike both orders are, and how many of the five worst
// layers they have in common.
//
//   attribution-ranking CONFIG.json [SAMPLES [LAYERS]]
//===----------------------------------------------------------------------===//
#include "../../Unit/Passes/OneLayerAtATime.h"
#include "parallax/Config/Target.h"
#include "parallax/Passes/Analyze/Analyze.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Pipeline/CalibrateStage.h"
#include "parallax/Pipeline/Phases.h"
#include "parallax/Report/Table.h"
#include "parallax/Support/Clock.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Sort.h"
#include "parallax/Support/Views.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <random>

using namespace parallax;

namespace {

constexpr size_t comparedWorst = 5;

/// A layer as both ways see it.
struct RankedLayer {
  std::string tensor;
  double part = 0, alone = 0, perLayer = 0;
  /// Of each sample, by the slow way.
  std::vector<double> losses = {};

  double loss() const { return meanOf(losses); }
  static double meanOf(const std::vector<double> &values) {
    return std::accumulate(values.begin(), values.end(), 0.0) /
           double(std::max<size_t>(values.size(), 1));
  }
};

using RankedLayers = std::vector<RankedLayer>;

/// The largest first.
template <typename Key>
std::vector<size_t> orderOf(const RankedLayers &layers, Key key) {
  std::vector<size_t> order(layers.size());
  std::iota(order.begin(), order.end(), size_t(0));
  sortByKey(order, [&](size_t i) { return -key(layers[i]); });
  return order;
}

/// Those that the slow way looks at, if it can't look at all: the worst by
/// either estimate, and some others.
RankedLayers chosenOf(RankedLayers layers, size_t most) {
  if (layers.size() <= most)
    return layers;
  std::vector<size_t> order(layers.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::mt19937_64 generator(most);
  std::shuffle(order.begin(), order.end(), generator);
  std::set<size_t> chosen;
  for (const std::vector<size_t> &worst :
       {orderOf(layers, [](const RankedLayer &layer) { return layer.alone; }),
        orderOf(layers,
                [](const RankedLayer &layer) { return layer.perLayer; })})
    chosen.insert(worst.begin(), worst.begin() + long(most / 4));
  for (size_t i = 0; chosen.size() < most; ++i)
    chosen.insert(order[i]);
  RankedLayers result;
  for (size_t i : chosen)
    result.push_back(std::move(layers[i]));
  return result;
}

/// The places of values in their order; equal ones share theirs.
std::vector<double> ranksOf(const std::vector<double> &values) {
  std::vector<double> ranks;
  for (double value : values) {
    auto less = std::ranges::count_if(
        values, [&](double other) { return other < value; });
    ranks.push_back(double(less) +
                    double(std::ranges::count(values, value)) / 2);
  }
  return ranks;
}

/// The correlation of ranks; 1 if all layers are alike on both sides.
double spearman(const RankedLayers &layers) {
  std::vector<double> alone, loss;
  for (const RankedLayer &layer : layers) {
    alone.push_back(layer.alone);
    loss.push_back(layer.loss());
  }
  std::vector<double> a = ranksOf(alone), b = ranksOf(loss);
  double mean = RankedLayer::meanOf(a), both = 0, squareA = 0, squareB = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - mean) * (b[i] - mean);
    squareA += (a[i] - mean) * (a[i] - mean);
    squareB += (b[i] - mean) * (b[i] - mean);
  }
  if (squareA == 0 && squareB == 0)
    return 1;
  return both / std::sqrt(std::max(squareA * squareB, 1e-300));
}

/// Whether other samples could as well have found that `a` loses what `b` does:
/// the mean difference of the two is within its own standard error.
bool isAsBad(const RankedLayer &a, const RankedLayer &b) {
  std::vector<double> differences, squares;
  for (size_t i = 0; i < a.losses.size(); ++i)
    differences.push_back(b.losses[i] - a.losses[i]);
  double mean = RankedLayer::meanOf(differences);
  for (double difference : differences)
    squares.push_back((difference - mean) * (difference - mean));
  double count = double(differences.size());
  double error =
      std::sqrt(RankedLayer::meanOf(squares) / std::max(count - 1, 1.0));
  return mean <= error;
}

/// How many of the worst by *Alone* are among the worst by the slow way, or as
/// bad as the last of them.
size_t commonOf(const RankedLayers &layers, size_t worst) {
  std::vector<size_t> fast =
      orderOf(layers, [](const RankedLayer &layer) { return layer.alone; });
  std::vector<size_t> slow =
      orderOf(layers, [](const RankedLayer &layer) { return layer.loss(); });
  size_t common = 0;
  for (size_t i = 0; i < worst; ++i)
    common += isAsBad(layers[fast[i]], layers[slow[worst - 1]]);
  return common;
}

RankedLayers layersOf(const PrecisionReport &report) {
  std::map<std::string, double> perLayer;
  for (const PrecisionTable &table : report.tables)
    for (const PrecisionRow &row : table.rows)
      perLayer[row.tensor] = 1 - row.metrics.similarity();
  RankedLayers layers;
  for (const AttributionRow &row : report.attribution->rows)
    layers.push_back(
        {row.tensor, row.total(), row.alone, perLayer[row.tensor]});
  return layers;
}

int run(const std::string &path, size_t count, size_t most) {
  BuildState state;
  state.config = readBuildConfig(path, {});
  state.options.threads = hardwareThreads();
  for (const Phase &phase : phasesBetween("", "quantize"))
    if (phase.isWanted(state.config))
      phase.run(state);
  CalibrationSet set = openCalibrationSet(*state.network, state.config);
  count = std::min(count, set.size());
  Samples samples{count, [&](size_t i) { return set.load(i); }, ""};
  AnalysisOptions options{state.options.threads};
  options.attributes = true;
  options.attributedSamples = count;
  mlir::func::FuncOp quantized = state.network->view(views::quantized);
  mlir::func::FuncOp machine = orThrow(quantized.getContext(), [&] {
    return lowerNetwork(quantized, findTarget(state.config.targetHardware));
  });
  AnalyzedNetwork views{state.network->function(), quantized, machine};
  auto start = std::chrono::steady_clock::now();
  PrecisionReport report = analyzePrecision(
      views, {{AnalysisMethod::PerLayer, AnalysisMode::Reference}}, samples,
      options);
  double seconds = secondsSince(start);
  if (!report.attribution)
    throw Error("nothing was attributed");

  start = std::chrono::steady_clock::now();
  RankedLayers layers = layersOf(report);
  std::set<std::string> tensors;
  for (const RankedLayer &layer : layers)
    tensors.insert(layer.tensor);
  OneLayerAtATime::Samples inputs;
  for (size_t i = 0; i < count; ++i)
    inputs.push_back(set.load(i));
  OneLayerAtATime slow(views.network, views.quantized, tensors, inputs);
  std::erase_if(layers, [&](const RankedLayer &layer) {
    return slow.isLossless(layer.tensor);
  });
  layers = chosenOf(std::move(layers), most);
  for (RankedLayer &layer : layers)
    layer.losses = slow.lossesOf(layer.tensor);
  double slowSeconds = secondsSince(start);

  Table table({Column::text("Tensor"), Column::number("Part"),
               Column::number("Alone"), Column::number("One at a time")});
  for (const RankedLayer &layer : layers)
    table.addRow({layer.tensor, formatNumber(layer.part, 4),
                  formatNumber(layer.alone, 4), formatNumber(layer.loss(), 4)});
  size_t worst = std::min(comparedWorst, layers.size());
  const Attribution &attribution = *report.attribution;
  double explained = attribution.measured == 0
                         ? 1
                         : attribution.attributed() / attribution.measured;
  fmt::print("{}explained {:.2f} %, spearman {:.3f}, common {} of {}, loss {}, "
             "{:.2f} s against {:.2f} s\n",
             table.render({}), 100 * explained, spearman(layers),
             commonOf(layers, worst), worst,
             formatNumber(attribution.measured, 4), seconds, slowSeconds);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    if (argc < 2)
      throw Error("usage: attribution-ranking CONFIG.json [SAMPLES [LAYERS]]");
    return run(argv[1], argc > 2 ? std::stoul(argv[2]) : 8,
               argc > 3 ? std::stoul(argv[3]) : SIZE_MAX);
  } catch (const std::exception &error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}
