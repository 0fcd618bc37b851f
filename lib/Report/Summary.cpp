//===- Summary.cpp - A build in a few lines -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One line for each question that a user has at the end.
//===----------------------------------------------------------------------===//
#include "parallax/Report/Summary.h"

#include "parallax/Analysis/OutputVerdict.h"
#include "parallax/Report/Precision.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <fmt/format.h>

namespace parallax {
namespace {

std::string accuracyLine(const Accuracy &accuracy) {
  std::string text;
  for (const NetworkAccuracy &network : accuracy.networks)
    text += fmt::format("{}{} {:.4f}", text.empty() ? "" : ", ",
                        network.network, network.metrics.front().value.value);
  text = fmt::format("  {}: {}",
                     accuracy.networks.front().metrics.front().title, text);
  if (accuracy.isCompared())
    text += fmt::format(": {}", nameOf(accuracy.verdict));
  return text + "\n";
}

std::string outputsLine(const PrecisionReport &report) {
  std::vector<JudgedOutput> outputs = judgeFinalOutputs(report);
  if (outputs.empty())
    return "";
  auto worst =
      std::ranges::min_element(outputs, {}, [](const JudgedOutput &output) {
        return std::pair(output.verdict.quality,
                         output.verdict.weakestCosine());
      });
  std::string text = fmt::format("  outputs: the weakest is {}",
                                 printable(worst->row->tensor));
  // The cosine of nothing is 1.
  if (worst->verdict.isCompared)
    text +=
        fmt::format(" with a cosine of {:.4f}", worst->verdict.weakestCosine());
  text += fmt::format(": {}", nameOf(worst->verdict.quality));
  if (!worst->verdict.reason.empty())
    text += ", " + worst->verdict.reason;
  return text + "\n";
}

/// The layer that outputs lose most to; without an attribution, the one that is
/// worst by itself.
std::string layerLine(const PrecisionReport &report) {
  if (report.attribution && report.attribution->closes() &&
      !report.attribution->rows.empty()) {
    auto worst = std::ranges::max_element(report.attribution->rows, {},
                                          &AttributionRow::alone);
    return fmt::format("  layers: most is lost in {}\n",
                       printable(worst->node));
  }
  const PrecisionRow *worst = nullptr;
  for (const PrecisionTable &table : report.tables)
    for (const PrecisionRow &row : table.rows)
      if (table.method == AnalysisMethod::PerLayer &&
          (!worst || similarityOf(row.metrics) < similarityOf(worst->metrics)))
        worst = &row;
  return worst
             ? fmt::format("  layers: the worst by itself is {} with {:.4f}\n",
                           printable(worst->node), similarityOf(worst->metrics))
             : "";
}

} // namespace

std::string renderSummary(const PrecisionReport &report,
                          const Accuracy *accuracy, const std::string &file) {
  std::string text = "Summary\n";
  if (accuracy)
    text += accuracyLine(*accuracy);
  text += outputsLine(report) + layerLine(report);
  if (!report.suggestions.empty())
    text += fmt::format("  next: {} (--apply-suggestions 1)\n",
                        printable(report.suggestions.front().title));
  else if (!accuracy)
    text += "  next: measure the accuracy on your task "
            "(docs/evaluation.md)\n";
  return text + fmt::format("  all tables: {}\n", file);
}

} // namespace parallax
