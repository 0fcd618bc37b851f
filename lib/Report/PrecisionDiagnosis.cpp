//===- PrecisionDiagnosis.cpp - Why, and what to change -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Causes with their numbers, changes that can be pasted into a configuration,
// and the table of predicted and verified gains.
//===----------------------------------------------------------------------===//
#include "PrecisionText.h"
#include "parallax/Analysis/OutputVerdict.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

/// What is left of the loss of every output, as a part of it.
double leftPart(const PrecisionReport &report, double gain) {
  double loss = 1 - meanSimilarity(report);
  return loss > 0 ? std::clamp(1 - gain / loss, 0.0, 1.0) : 1;
}

std::string cyclesText(int64_t cycles) {
  if (cycles == 0)
    return "no cycles more";
  return fmt::format("{} cycles {}", std::abs(cycles),
                     cycles > 0 ? "more" : "less");
}

std::string foundBy(const Suggestion &suggestion) {
  int64_t samples = suggestion.executedOn;
  return samples == 0 ? "predicted"
                      : fmt::format("executed on {} sample{}:", samples,
                                    samples == 1 ? "" : "s");
}

bool hasGroups(const PrecisionReport &report) {
  return std::ranges::any_of(
      judgeFinalOutputs(report),
      [](const JudgedOutput &output) { return output.row->groups.size() > 1; });
}

std::string editText(const ConfigEdit &edit) {
  return edit.appends
             ? fmt::format("add to {}: {}", edit.field, printable(edit.value))
             : fmt::format("set {} to {}", edit.field, printable(edit.value));
}

} // namespace

double meanSimilarity(const PrecisionReport &report) {
  std::vector<JudgedOutput> outputs = judgeFinalOutputs(report);
  double sum = 0;
  for (const JudgedOutput &output : outputs)
    sum += decidingSimilarity(*output.row);
  return outputs.empty() ? 1 : sum / double(outputs.size());
}

int64_t deadChannels(const PrecisionReport &report) {
  for (const PrecisionTable &table : report.tables)
    if (table.method == AnalysisMethod::PerLayer) {
      int64_t dead = 0;
      for (const PrecisionRow &row : table.rows)
        dead += row.metrics.deadChannels;
      return dead;
    }
  return 0;
}

std::string renderDiagnoses(const PrecisionReport &report, size_t maxRows) {
  if (report.diagnoses.empty())
    return "";
  std::string text = "Why\n";
  double loss = 1 - meanSimilarity(report);
  size_t shown = std::min(maxRows, report.diagnoses.size());
  for (size_t i = 0; i < shown; ++i) {
    const Diagnosis &diagnosis = report.diagnoses[i];
    std::string node = printable(diagnosis.node),
                tensor = printable(diagnosis.tensor);
    text += fmt::format("  {}. {}, {}: {}", i + 1,
                        node.empty() || node == tensor
                            ? tensor
                            : fmt::format("{} (tensor {})", node, tensor),
                        nameOf(diagnosis.cause), printable(diagnosis.facts));
    if (loss > 0 && diagnosis.loss > 0)
      text += fmt::format("; it has {} of the loss of outputs",
                          formatPercent(std::min(1.0, diagnosis.loss / loss)));
    text += ".\n";
  }
  if (shown < report.diagnoses.size())
    text += fmt::format("  … and {} more in the files\n",
                        report.diagnoses.size() - shown);
  return text;
}

std::string renderSuggestions(const PrecisionReport &report) {
  if (report.suggestions.empty())
    return "";
  std::string text = "What to change\n";
  double mean = meanSimilarity(report);
  size_t outputs = judgeFinalOutputs(report).size();
  std::string what =
      hasGroups(report) ? "the weakest channels of outputs" : "outputs";
  if (outputs > 1)
    what += fmt::format(" (the mean of {})", outputs);
  for (size_t i = 0; i < report.suggestions.size(); ++i) {
    const Suggestion &suggestion = report.suggestions[i];
    text += fmt::format(
        "  {}. {}: {} cosine of {} {} instead of {}, {}\n", i + 1,
        printable(suggestion.title), foundBy(suggestion), what,
        formatFraction(std::min(1.0, mean + suggestion.predictedGain), 5),
        formatFraction(mean, 5), cyclesText(suggestion.extraCycles));
    for (const ConfigEdit &edit : suggestion.edits)
      text += fmt::format("       {}\n", editText(edit));
  }
  return text + "  `parallax build --apply-suggestion 1` applies the first and "
                "measures again.\n";
}

std::string suggestionsJson(const PrecisionReport &report) {
  Json list = Json::array();
  double mean = meanSimilarity(report);
  for (const Suggestion &suggestion : report.suggestions) {
    Json edits = Json::array();
    for (const ConfigEdit &edit : suggestion.edits)
      edits.push_back({{"field", edit.field},
                       {"value", Json::parse(edit.value)},
                       {"appends", edit.appends}});
    list.push_back(
        {{"title", suggestion.title},
         {"layers", suggestion.layers},
         {"edits", std::move(edits)},
         {"cosine", mean},
         {"predicted_cosine", std::min(1.0, mean + suggestion.predictedGain)},
         {"extra_cycles", suggestion.extraCycles},
         {"executed_on", suggestion.executedOn}});
  }
  return Json{{"schema", 1}, {"suggestions", std::move(list)}}.dump(
             1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

std::string renderApplied(const Application &applied, const TableStyle &style) {
  Table table({Column::text("Output"), Column::number("Before"),
               Column::number("Predicted"), Column::number("Verified"),
               Column::number("Predicted gain", 1),
               Column::number("Verified gain", 1)});
  std::vector<JudgedOutput> after = judgeFinalOutputs(*applied.after);
  double left = leftPart(*applied.before, applied.predictedGain);
  for (const JudgedOutput &output : judgeFinalOutputs(*applied.before)) {
    const PrecisionRow *row = output.row;
    double old = decidingSimilarity(*row), predicted = 1 - (1 - old) * left;
    auto found =
        std::ranges::find(after, row->tensor, [](const JudgedOutput &output) {
          return output.row->tensor;
        });
    std::string verified = "-", gain = "-";
    Tint tint = Tint::Plain;
    if (found != after.end()) {
      double similarity = decidingSimilarity(*found->row);
      verified = formatFraction(similarity, 5);
      gain = fmt::format("{:+.5f}", similarity - old);
      tint =
          found->verdict.quality == OutputQuality::Bad ? Tint::Bad : Tint::Good;
    }
    table.addRow({printable(row->tensor),
                  formatFraction(old, 5),
                  formatFraction(predicted, 5),
                  {verified, tint},
                  fmt::format("{:+.5f}", predicted - old),
                  gain});
  }
  std::string text = "Predicted and Verified\n" + table.render(style);
  text += fmt::format(
      "Cycles: {} before, {} predicted, {} verified{}.\n", applied.cyclesBefore,
      applied.cyclesBefore + applied.extraCycles, applied.cyclesAfter,
      applied.hasInputProcessors ? ", without those of input processors" : "");
  int64_t dead = deadChannels(*applied.before);
  int64_t deadAfter = deadChannels(*applied.after);
  if (dead > 0 || deadAfter > 0)
    text += fmt::format("Dead channels of layers: {} before, {} verified.\n",
                        dead, deadAfter);
  return text;
}

bool isWorse(const PrecisionReport &before, const PrecisionReport &after) {
  if (before.task && after.task)
    return after.task->loss > before.task->loss;
  auto outcome = [](const PrecisionReport &report) {
    double weakest = 0;
    for (const JudgedOutput &output : judgeFinalOutputs(report))
      weakest += output.verdict.weakestCosine();
    return std::tuple(passes(report, outputThreshold), -deadChannels(report),
                      weakest);
  };
  return outcome(after) < outcome(before);
}

} // namespace parallax
