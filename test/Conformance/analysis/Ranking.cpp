//===- Ranking.cpp - Attribution against one layer at a time --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Shares out the loss of the outputs of a real model among its layers, and
// prints that beside the slow way: how much of the loss the parts explain, and
// how many of the five worst layers both have in common.
//
//   attribution-ranking CONFIG.json [SAMPLES]
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
#include "parallax/Support/Views.h"

#include <algorithm>
#include <fmt/format.h>

using namespace parallax;

namespace {

constexpr size_t compared = 5;

std::vector<std::string>
best(std::vector<std::pair<double, std::string>> rows) {
  std::ranges::sort(rows, std::ranges::greater());
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(rows.size(), compared); ++i)
    names.push_back(rows[i].second);
  return names;
}

int run(const std::string &path, size_t count) {
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
  mlir::func::FuncOp quantized = state.network->view(views::quantized);
  mlir::func::FuncOp machine = orThrow(quantized.getContext(), [&] {
    return lowerNetwork(quantized, findTarget(state.config.targetHardware));
  });
  AnalyzedNetwork views{state.network->function(), quantized, machine};
  auto start = std::chrono::steady_clock::now();
  PrecisionReport report = analyzePrecision(views, {}, samples, options);
  double seconds = secondsSince(start);
  if (!report.attribution)
    throw Error("nothing was attributed");
  const Attribution &attribution = *report.attribution;

  std::set<std::string> tensors;
  for (const AttributionRow &row : attribution.rows)
    tensors.insert(row.tensor);
  OneLayerAtATime::Samples inputs;
  for (size_t i = 0; i < count; ++i)
    inputs.push_back(set.load(i));
  start = std::chrono::steady_clock::now();
  std::map<std::string, double> slow =
      OneLayerAtATime(views.network, views.quantized, tensors, inputs).losses();
  double slowSeconds = secondsSince(start);

  std::vector<std::pair<double, std::string>> slowRows, rows;
  Table table({Column::text("Tensor"), Column::number("Part"),
               Column::number("Alone"), Column::number("One at a time")});
  for (const AttributionRow &row : attribution.rows)
    if (auto it = slow.find(row.tensor); it != slow.end()) {
      rows.emplace_back(row.alone, row.tensor);
      slowRows.emplace_back(it->second, row.tensor);
      table.addRow({row.tensor, formatNumber(row.total(), 4),
                    formatNumber(row.alone, 4), formatNumber(it->second, 4)});
    }
  std::vector<std::string> first = best(rows), second = best(slowRows);
  size_t common = 0;
  for (const std::string &name : first)
    common += size_t(std::ranges::count(second, name));
  double explained = attribution.measured == 0
                         ? 1
                         : attribution.attributed() / attribution.measured;
  fmt::print("{}explained {:.2f} %, common {} of {}, loss {}, {:.2f} s against "
             "{:.2f} s\n",
             table.render({}), 100 * explained, common, first.size(),
             formatNumber(attribution.measured, 4), seconds, slowSeconds);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    if (argc < 2)
      throw Error("usage: attribution-ranking CONFIG.json [SAMPLES]");
    return run(argv[1], argc > 2 ? std::stoul(argv[2]) : 8);
  } catch (const std::exception &error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}
