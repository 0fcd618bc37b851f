//===- Baselines.cpp - The strategies of others ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Orders of trials that are known from other tools, to compare with: 'basic'
// falls back type by type and then layer by layer, 'mse' layer by layer in the
// order of their errors. 'random' and 'exhaustive' know nothing.
//===----------------------------------------------------------------------===//
#include "Allowed.h"
#include "Search.h"

#include "parallax/Analysis/Widening.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Random.h"
#include "parallax/Support/Sort.h"

#include <algorithm>
#include <fmt/format.h>

namespace parallax {
namespace {

/// Layers that compute with codes, in the order of the network.
std::vector<PrecisionRow> layersOf(Search &search) {
  search.bench.build({});
  constexpr size_t few = 4;
  PrecisionReport report = search.bench.analyze(
      search.firstSamples(few), {search.bench.calibrated().options.threads});
  std::vector<PrecisionRow> rows;
  for (const PrecisionTable &table : report.tables)
    if (table.method == AnalysisMethod::PerLayer)
      for (const PrecisionRow &row : table.rows)
        if (!row.moves && row.codes &&
            isAllowed(search.config, row.node, row.type, DataType::U16) &&
            std::ranges::find(rows, row.node, &PrecisionRow::node) ==
                rows.end())
          rows.push_back(row);
  return rows;
}

/// Layers that read and give 16 bits.
std::vector<ConfigEdit> widened(std::span<const PrecisionRow> rows) {
  Widening wide;
  for (const PrecisionRow &row : rows) {
    wide.data.add(row.node);
    wide.results.add(row.node);
  }
  return wide.edits();
}

/// One more layer with each trial, until the criterion holds.
void accumulate(Search &search, const std::vector<PrecisionRow> &order) {
  for (size_t count = 1; count <= order.size(); ++count)
    if (search.holds(
            search.measure(fmt::format("{} of {} layers", count, order.size()),
                           widened(std::span(order).first(count)))))
      return;
}

void searchByError(Search &search) {
  if (search.holds(search.measure("as configured", {})))
    return;
  std::vector<PrecisionRow> order = layersOf(search);
  sortByKey(order, [](const PrecisionRow &row) { return -row.metrics.mse; });
  accumulate(search, order);
}

void searchByType(Search &search) {
  if (search.holds(search.measure("as configured", {})))
    return;
  std::vector<PrecisionRow> rows = layersOf(search);
  std::vector<std::string> types;
  for (const PrecisionRow &row : rows)
    if (std::ranges::find(types, row.type) == types.end())
      types.push_back(row.type);
  for (const std::string &type : types) {
    std::vector<PrecisionRow> own;
    for (const PrecisionRow &row : rows)
      if (row.type == type)
        own.push_back(row);
    if (search.holds(search.measure(fmt::format("all {}", type), widened(own))))
      return;
  }
  // Each by itself, from the end, then the best of them together.
  std::vector<std::pair<double, size_t>> gains;
  for (size_t i = rows.size(); i-- > 0;) {
    const TrialRecord &trial =
        search.measure(rows[i].node, widened(std::span(rows).subspan(i, 1)));
    if (search.holds(trial))
      return;
    gains.push_back({trial.failure.empty() ? trial.loss.value : 1e300, i});
  }
  std::ranges::sort(gains);
  std::vector<PrecisionRow> order;
  for (auto [loss, i] : gains)
    order.push_back(rows[i]);
  accumulate(search, order);
}

/// Layers are wide or not by chance; the number of wide ones is, too.
void searchAtRandom(Search &search) {
  if (search.holds(search.measure("as configured", {})))
    return;
  std::vector<PrecisionRow> rows = layersOf(search);
  Random random(uint64_t(search.config.randomSeed));
  std::vector<Search::Question> questions;
  for (int64_t i = 1; i < search.config.exitPolicy.maxTrials; ++i) {
    uint64_t share = random.next() % 100;
    std::vector<PrecisionRow> chosen;
    for (const PrecisionRow &row : rows)
      if (random.next() % 100 < share)
        chosen.push_back(row);
    questions.push_back({fmt::format("random {}", i), widened(chosen)});
  }
  search.measureAll(questions);
}

void searchExhaustively(Search &search) {
  std::vector<PrecisionRow> rows = layersOf(search);
  constexpr size_t most = 16;
  if (rows.size() > most)
    throw Error(fmt::format(
        "tuning.strategy: 'exhaustive' would need 2^{} trials here; it is for "
        "networks of at most {} layers with codes",
        rows.size(), most));
  std::vector<Search::Question> questions;
  for (uint64_t mask = 0; mask < uint64_t(1) << rows.size(); ++mask) {
    std::vector<PrecisionRow> chosen;
    for (size_t i = 0; i < rows.size(); ++i)
      if (mask >> i & 1)
        chosen.push_back(rows[i]);
    questions.push_back(
        {mask == 0 ? "as configured" : fmt::format("combination {}", mask),
         widened(chosen)});
  }
  search.measureAll(questions);
}

} // namespace

Strategy strategyOf(TuningStrategy strategy) {
  switch (strategy) {
  case TuningStrategy::Auto:
    return searchAutomatically;
  case TuningStrategy::Basic:
    return searchByType;
  case TuningStrategy::Mse:
    return searchByError;
  case TuningStrategy::Exhaustive:
    return searchExhaustively;
  case TuningStrategy::Random:
    return searchAtRandom;
  case TuningStrategy::Custom:
    return searchByCommand;
  }
  return searchAutomatically;
}

} // namespace parallax
