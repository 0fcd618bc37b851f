//===- PrecisionDiff.cpp - Two analyses of one network --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Only outputs decide whether a change is a regression: a layer may well get
// worse by itself in a network that gets better.
//===----------------------------------------------------------------------===//
#include "parallax/Report/PrecisionDiff.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>

namespace parallax {
namespace {

std::string titleOf(const PrecisionTable &table) {
  return fmt::format("{} {}", nameOf(table.method), nameOf(table.mode));
}

/// A file may hold anything; what is not a finite number counts as 0.
double numberOf(double value) { return std::isfinite(value) ? value : 0; }

double similarityIn(const PrecisionRow &row) {
  return numberOf(similarityOf(row.metrics));
}

/// The elements by tensor; the first of equal names.
template <typename T>
std::map<std::string, const T *> indexOf(const std::vector<T> &list) {
  std::map<std::string, const T *> index;
  for (const T &element : list)
    index.try_emplace(element.tensor, &element);
  return index;
}

template <typename T>
const T *lookup(const std::map<std::string, const T *> &index,
                const std::string &name) {
  auto it = index.find(name);
  return it == index.end() ? nullptr : it->second;
}

/// Both analyses of one network.
struct ReportPair {
  const PrecisionReport &before, &after;
};

TableChange changeOf(const ReportPair &reports, const PrecisionTable &before,
                     const PrecisionTable &after) {
  TableChange change{before.method, before.mode};
  auto old = indexOf(before.rows), now = indexOf(after.rows);
  for (const PrecisionRow &row : before.rows)
    if (!now.contains(row.tensor))
      change.onlyBefore.push_back(row.tensor);
  std::vector<LayerChange> layers;
  for (const PrecisionRow &row : after.rows) {
    const PrecisionRow *partner = lookup(old, row.tensor);
    if (!partner) {
      change.onlyAfter.push_back(row.tensor);
      continue;
    }
    layers.push_back({row.node,
                      row.tensor,
                      row.type,
                      row.isOutput || partner->isOutput,
                      {partner->quantType, row.quantType},
                      {similarityIn(*partner), similarityIn(row)},
                      {partner->cycles, row.cycles}});
    if (layers.back().isOutput && after.method == AnalysisMethod::EndToEnd)
      layers.back().verdict = {judgeOutput(reports.before, before, *partner),
                               judgeOutput(reports.after, after, row)};
  }
  // Of equal drops, the order of the network.
  std::vector<size_t> order(layers.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    auto key = [&](size_t place) {
      const LayerChange &layer = layers[place];
      return std::tuple(!layer.isOutput, -layer.drop(), place);
    };
    return key(a) < key(b);
  });
  for (size_t place : order)
    change.layers.push_back(std::move(layers[place]));
  return change;
}

const PrecisionTable *tableLike(const PrecisionTable &wanted,
                                const PrecisionReport &report) {
  for (const PrecisionTable &table : report.tables)
    if (table.method == wanted.method && table.mode == wanted.mode)
      return &table;
  return nullptr;
}

/// A layer of several results has them once.
int64_t cyclesOf(const PrecisionReport &report) {
  if (report.tables.empty())
    return 0;
  std::map<std::string, int64_t> layers;
  for (const PrecisionRow &row : report.tables[0].rows)
    layers[row.node] = std::max(layers[row.node], row.cycles);
  int64_t sum = 0;
  for (const auto &[node, cycles] : layers)
    sum += cycles;
  return sum;
}

void addAttribution(PrecisionDiff &diff, const PrecisionReport &before,
                    const PrecisionReport &after) {
  if (!before.attribution || !after.attribution ||
      !before.attribution->closes() || !after.attribution->closes())
    return;
  diff.measuredLoss = {before.attribution->measured,
                       after.attribution->measured};
  auto old = indexOf(before.attribution->rows),
       now = indexOf(after.attribution->rows);
  for (const AttributionRow &row : after.attribution->rows) {
    const AttributionRow *partner = lookup(old, row.tensor);
    diff.attribution.push_back(
        {row.node,
         row.tensor,
         {partner ? numberOf(partner->total()) : 0, numberOf(row.total())}});
  }
  for (const AttributionRow &row : before.attribution->rows)
    if (!now.contains(row.tensor))
      diff.attribution.push_back(
          {row.node, row.tensor, {numberOf(row.total()), 0}});
  auto size = [](const LossChange &change) {
    return std::abs(change.loss.after - change.loss.before);
  };
  std::sort(diff.attribution.begin(), diff.attribution.end(),
            [&](const LossChange &a, const LossChange &b) {
              return std::tuple(-size(a), a.tensor) <
                     std::tuple(-size(b), b.tensor);
            });
}

void addBits(PrecisionDiff &diff, const PrecisionReport &before,
             const PrecisionReport &after) {
  auto old = indexOf(before.differences), now = indexOf(after.differences);
  auto nameIn = [](const BitDifference *difference) {
    return difference ? std::string(nameOf(difference->difference)) : "";
  };
  auto add = [&](const BitDifference &layer, const BitDifference *first,
                 const BitDifference *second) {
    diff.bits.push_back(
        {layer.node,
         layer.tensor,
         {first ? first->differing : 0, second ? second->differing : 0},
         {nameIn(first), nameIn(second)}});
    bool isNew = second && isFault(second->difference) &&
                 !(first && isFault(first->difference));
    if (isNew)
      diff.regressions.push_back(fmt::format(
          "{}: NPUBackend breaks its specification in {} of {} elements "
          "({}), and did not before.",
          printable(layer.tensor), second->differing, second->elements,
          nameOf(second->difference)));
  };
  for (const BitDifference &layer : after.differences)
    add(layer, lookup(old, layer.tensor), &layer);
  for (const BitDifference &layer : before.differences)
    if (!now.contains(layer.tensor))
      add(layer, &layer, nullptr);
}

/// Outputs with all errors accumulated.
void judge(PrecisionDiff &diff, const PrecisionTable &before,
           const TableChange &table, double tolerance) {
  std::string title = titleOf(before);
  for (const LayerChange &layer : table.layers) {
    if (layer.isUnjudgedNow()) {
      diff.regressions.push_back(
          fmt::format("{}: output {} can't be judged any more: {}.", title,
                      printable(layer.tensor), layer.verdict->after.reason));
      continue;
    }
    auto [old, now] = layer.similarity;
    if (!layer.isOutput || (!layer.isBadNow() && !(layer.drop() > tolerance)))
      continue;
    std::string change =
        fmt::format("{} from {} to {}",
                    now < old ? "falls" : (now > old ? "rises" : "goes"),
                    formatFraction(old, 5), formatFraction(now, 5));
    std::string why =
        layer.isBadNow()
            ? fmt::format(" and is bad now: {}", layer.verdict->after.reason)
            : fmt::format(", by more than {}", tolerance);
    diff.regressions.push_back(fmt::format(
        "{}: output {} {}{}.", title, printable(layer.tensor), change, why));
  }
  std::set<std::string> gone(table.onlyBefore.begin(), table.onlyBefore.end());
  for (const PrecisionRow &row : before.rows)
    if (row.isOutput && gone.contains(row.tensor))
      diff.regressions.push_back(
          fmt::format("{}: output {} is no longer compared.", title,
                      printable(row.tensor)));
}

/// Whether it has outputs with all errors accumulated.
bool hasOutputs(const PrecisionTable &table) {
  return table.method == AnalysisMethod::EndToEnd &&
         std::ranges::any_of(table.rows, &PrecisionRow::isOutput);
}

} // namespace

PrecisionDiff diffPrecision(const PrecisionReport &before,
                            const PrecisionReport &after, double tolerance) {
  PrecisionDiff diff;
  diff.samples = {before.samples, after.samples};
  diff.sampleSource = {before.sampleSource, after.sampleSource};
  diff.sampleOrigin = {std::string(nameOf(before.sampleOrigin)),
                       std::string(nameOf(after.sampleOrigin))};
  diff.cycles = {cyclesOf(before), cyclesOf(after)};
  for (const PrecisionTable &table : before.tables) {
    const PrecisionTable *partner = tableLike(table, after);
    if (!partner) {
      diff.onlyBefore.push_back(titleOf(table));
      if (hasOutputs(table))
        diff.regressions.push_back(
            fmt::format("{}: outputs are no longer compared.", titleOf(table)));
      continue;
    }
    diff.tables.push_back(changeOf({before, after}, table, *partner));
    if (table.method == AnalysisMethod::EndToEnd)
      judge(diff, table, diff.tables.back(), tolerance);
  }
  for (const PrecisionTable &table : after.tables)
    if (!tableLike(table, before))
      diff.onlyAfter.push_back(titleOf(table));
  if (diff.tables.empty())
    throw Error("the two analyses have no table in common: run both with the "
                "same quant.precision_analysis_mode");
  if (std::ranges::none_of(before.tables, hasOutputs))
    throw Error("the first analysis has no outputs with all errors "
                "accumulated, so that nothing can be judged");
  addAttribution(diff, before, after);
  addBits(diff, before, after);
  return diff;
}

} // namespace parallax
