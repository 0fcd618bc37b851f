//===- PrecisionVerdict.cpp - A precision analysis in words ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A table with hundreds of rows does not say whether the network may be used,
// nor where to look first. These sentences do.
//===----------------------------------------------------------------------===//
#include "PrecisionText.h"
#include "parallax/Analysis/OutputVerdict.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace parallax {
namespace {

/// What a sentence has of a list of names; the JSON file has all.
constexpr size_t namesInText = 8;

/// Layers may have several results, but count once.
using Layers = std::set<std::string_view>;

std::string headOf(const PrecisionTable &table) {
  return fmt::format("{} {}", nameOf(table.method), nameOf(table.mode));
}

/// "0.98123", with what the number hides.
std::string valueText(const PrecisionRow &row) {
  const ComparisonResult &metrics = row.metrics;
  if (metrics.samples == 0)
    return "no sample";
  std::string text = cosineText(row.metrics);
  if (metrics.isExact)
    text += " equal";
  if (metrics.unequal > 0)
    text += " without values whose NaN or Inf the other side does not have";
  return text;
}

/// "conv1" or, where that does not tell it all, "split (tensor left)".
std::string layerText(const PrecisionRow &row) {
  std::string node = printable(row.node), tensor = printable(row.tensor);
  if (node.empty() || node == tensor)
    return tensor;
  return fmt::format("{} (tensor {})", node, tensor);
}

Layers layersBelow(const PrecisionTable &table, double threshold) {
  Layers layers;
  for (const PrecisionRow &row : table.rows)
    if (similarityOf(row.metrics) < threshold)
      layers.insert(row.node);
  return layers;
}

size_t layerCount(const PrecisionTable &table) {
  Layers layers;
  for (const PrecisionRow &row : table.rows)
    layers.insert(row.node);
  return layers.size();
}

/// "0.9993 (samples 0.9989 … 0.9997)", without digits that other samples would
/// change.
std::string spreadText(const ChannelGroup &group) {
  int decimals = decimalsOf(group);
  std::string text = formatFraction(group.cosine, decimals),
              lowest = formatFraction(group.lowest, decimals),
              highest = formatFraction(group.highest, decimals);
  // Of one sample, and of integers, there is nothing more to say.
  bool isSpread = group.samples > 1 && group.worstSample >= 0 &&
                  (lowest != text || highest != text);
  return isSpread ? fmt::format("{} (samples {} … {})", text, lowest, highest)
                  : text;
}

std::string outputLines(const JudgedOutput &output) {
  const auto &[table, row, verdict] = output;
  std::string line =
      fmt::format("  {}: {}", printable(row->tensor), nameOf(verdict.quality));
  // Cosines without the values that matter, or of nothing, would mislead.
  bool isMeasured =
      row->metrics.samples > 0 && row->metrics.count > 0 &&
      row->metrics.unequal == 0 &&
      !std::ranges::all_of(verdict.groups, &ChannelGroup::isConstant);
  if (isMeasured && verdict.groups.size() == 1)
    line += ", " + spreadText(verdict.groups[0]) +
            (row->metrics.isExact ? " equal" : "");
  if (!verdict.reason.empty())
    line += ": " + verdict.reason;
  line += "\n";
  if (isMeasured && verdict.groups.size() > 1)
    for (const ChannelGroup &group : verdict.groups)
      line += fmt::format("    {}: {}\n", groupText(group), spreadText(group));
  return line;
}

std::string outputsText(const PrecisionReport &report,
                        const PrecisionTable &table) {
  std::string lines;
  size_t outputs = 0, good = 0;
  for (const JudgedOutput &output : judgeOutputs(report))
    if (output.table == &table) {
      ++outputs;
      good += output.verdict.quality == OutputQuality::Good;
      lines += outputLines(output);
    }
  return outputs == 0
             ? fmt::format("Outputs, {}: none was compared.\n", headOf(table))
             : fmt::format("Outputs, {}: {} of {} {} good.\n", headOf(table),
                           good, outputs, outputs == 1 ? "is" : "are") +
                   lines;
}

/// Rows of parallel branches alternate, so a drop is what goes below all rows
/// before it: the step from another branch to this one would be none.
struct Drop {
  const PrecisionRow *row = nullptr;
  double from = 1, to = 1;
};

Drop largestDrop(const PrecisionTable &table) {
  Drop largest;
  double lowest = 1;
  for (const PrecisionRow &row : table.rows) {
    double similarity = similarityOf(row.metrics);
    if (lowest - similarity > largest.from - largest.to)
      largest = {&row, lowest, similarity};
    lowest = std::min(lowest, similarity);
  }
  return largest;
}

std::string fallText(const PrecisionTable &table) {
  auto isLow = [](const PrecisionRow &row) {
    return similarityOf(row.metrics) < fallThreshold;
  };
  std::string text;
  auto first = std::find_if(table.rows.begin(), table.rows.end(), isLow);
  if (first == table.rows.end())
    text = fmt::format("Layers, {}: none of {} falls below {}.", headOf(table),
                       layerCount(table), fallThreshold);
  else
    text = fmt::format("Layers, {}: {} of {} are below {}, the first is {} "
                       "with {}.",
                       headOf(table), layersBelow(table, fallThreshold).size(),
                       layerCount(table), fallThreshold, layerText(*first),
                       valueText(*first));
  if (Drop drop = largestDrop(table); drop.row)
    text += fmt::format(" The largest drop, from {} to {}, is at {}.",
                        formatFraction(drop.from, 5),
                        formatFraction(drop.to, 5), layerText(*drop.row));
  return text + "\n";
}

std::string singleLayersText(const PrecisionTable &table) {
  size_t below = layersBelow(table, layerThreshold).size();
  if (below == 0)
    return fmt::format("Layers, {}: all {} reach {}.\n", headOf(table),
                       layerCount(table), layerThreshold);
  auto worst = std::min_element(
      table.rows.begin(), table.rows.end(),
      [](const PrecisionRow &a, const PrecisionRow &b) {
        return similarityOf(a.metrics) < similarityOf(b.metrics);
      });
  return fmt::format("Layers, {}: {} of {} are below {}, the lowest is {} "
                     "with {}.\n",
                     headOf(table), below, layerCount(table), layerThreshold,
                     layerText(*worst), valueText(*worst));
}

} // namespace

double similarityOf(const ComparisonResult &metrics) {
  return metrics.similarity();
}

std::string comparedSamples(const PrecisionReport &report) {
  bool isOne = report.samples == 1;
  std::string text =
      fmt::format("Compared on {} sample{}", report.samples, isOne ? "" : "s");
  if (!report.sampleSource.empty())
    text += fmt::format(" ({})", printable(report.sampleSource));
  if (report.sampleOrigin == SampleOrigin::HeldOut)
    text += ", held out of the calibration";
  if (!report.sampleNames.empty())
    text += ": " + listed(report.sampleNames, namesInText);
  text += ".\n";
  if (report.sampleOrigin == SampleOrigin::Calibrated)
    text += fmt::format(
        "{} set the ranges as well, so others may do worse: give more than "
        "calibration_size samples, or set quant.input_sample_dir.\n",
        isOne ? "It has" : "They have");
  return text;
}

std::string verdictText(const PrecisionReport &report) {
  std::string text = comparedSamples(report);
  if (report.task)
    text += fmt::format("Accuracy is {}.\n", report.task->sentence);
  bool isEndToEnd = false;
  for (const PrecisionTable &table : report.tables) {
    if (table.rows.empty()) {
      text += fmt::format("{}: nothing was compared.\n", headOf(table));
      continue;
    }
    if (table.method == AnalysisMethod::PerLayer) {
      text += singleLayersText(table);
      continue;
    }
    isEndToEnd = true;
    text += outputsText(report, table) + fallText(table);
  }
  if (!isEndToEnd)
    text += "How good the outputs are was not measured: set "
            "quant.precision_analysis_method to EndToEnd for that.\n";
  return text + differencesVerdict(report);
}

bool passes(const PrecisionReport &report, double failUnder) {
  return whyNotJudged(report).empty() && !isBad(report) &&
         std::ranges::all_of(
             judgeOutputs(report), [&](const JudgedOutput &output) {
               return similarityOf(output.row->metrics) >= failUnder;
             });
}

} // namespace parallax
