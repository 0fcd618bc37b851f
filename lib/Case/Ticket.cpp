//===- Ticket.cpp - The problem in words ----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Names out of models lose their control characters: a ticket is text that
// other programs show.
//===----------------------------------------------------------------------===//
#include "parallax/Case/Ticket.h"
#include "parallax/Analysis/OutputVerdict.h"
#include "parallax/Report/Precision.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/SafeText.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

/// What a person still has to write. It can be searched for.
constexpr std::string_view blank = "**(please fill in)**";

std::string orBlank(const std::string &answer) {
  return answer.empty() ? std::string(blank)
                        : safeText(TextKind::Markdown, answer);
}

std::string block(const std::string &text) {
  std::string lines = safeText(TextKind::Lines, text);
  while (lines.ends_with('\n'))
    lines.pop_back();
  // A fence is longer than any that is in the text.
  std::string fence = "```";
  while (lines.find(fence) != std::string::npos)
    fence += '`';
  return fmt::format("{0}text\n{1}\n{0}\n", fence, lines);
}

std::string list(const std::vector<std::string> &entries) {
  std::string text;
  for (const std::string &entry : entries)
    text += fmt::format("- {}\n", safeText(TextKind::Markdown, entry));
  return text;
}

const PrecisionRow *worstLayer(const PrecisionReport &report) {
  const PrecisionRow *worst = nullptr;
  for (const PrecisionTable &table : report.tables)
    for (const PrecisionRow &row : table.rows)
      if (table.method == AnalysisMethod::PerLayer &&
          (!worst || row.metrics.similarity() < worst->metrics.similarity()))
        worst = &row;
  return worst;
}

std::string problem(const Ticket &ticket) {
  std::string text =
      fmt::format("{}\n\n", safeText(TextKind::Markdown, ticket.verdict));
  if (!ticket.failure.empty())
    return text + block(ticket.failure);
  if (!ticket.report)
    return text;
  text += block(verdictText(*ticket.report));
  for (const std::string &more :
       {renderDifferences(*ticket.report, /*maxRows=*/8),
        renderDiagnoses(*ticket.report, /*maxRows=*/8),
        renderSuggestions(*ticket.report)})
    if (!more.empty())
      text += "\n" + block(more);
  return text;
}

/// The names of answers in a file.
constexpr std::pair<const char *, std::string TicketAnswers::*> answerFields[] =
    {{"note", &TicketAnswers::note},
     {"other_platforms", &TicketAnswers::otherPlatforms},
     {"other_files", &TicketAnswers::otherFiles},
     {"float_accuracy", &TicketAnswers::floatAccuracy},
     {"board_accuracy", &TicketAnswers::boardAccuracy}};

} // namespace

std::string toJson(const TicketAnswers &answers) {
  nlohmann::ordered_json json;
  for (const auto &[name, field] : answerFields)
    json[name] = answers.*field;
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

void completeAnswers(TicketAnswers &answers,
                     const std::filesystem::path &file) {
  if (!std::filesystem::exists(file))
    return;
  auto json = nlohmann::ordered_json::parse(readText(file), nullptr, false);
  for (const auto &[name, field] : answerFields)
    if ((answers.*field).empty() && json.is_object() && json.contains(name) &&
        json[name].is_string())
      answers.*field = json[name].get<std::string>();
}

std::string oneLineVerdict(const PrecisionReport &report) {
  auto fault =
      std::ranges::find_if(report.differences, [](const BitDifference &row) {
        return isFault(row.difference);
      });
  if (fault != report.differences.end())
    return fmt::format("NPUBackend and Reference differ at {}: {} in {} of {} "
                       "elements",
                       printable(fault->node), nameOf(fault->difference),
                       fault->differing, fault->elements);
  std::vector<JudgedOutput> outputs = judgeOutputs(report);
  auto worst =
      std::ranges::min_element(outputs, {}, [](const JudgedOutput &output) {
        return std::pair(output.verdict.quality,
                         output.verdict.weakestCosine());
      });
  if (worst != outputs.end() && worst->verdict.quality == OutputQuality::Bad)
    return fmt::format("output {} is bad: {}", printable(worst->row->tensor),
                       worst->verdict.reason);
  const PrecisionRow *layer = worstLayer(report);
  if (layer && layer->metrics.similarity() < layerThreshold)
    return fmt::format("layer {} keeps a cosine of {:.5f} by itself, {} are "
                       "wanted",
                       printable(layer->node), layer->metrics.similarity(),
                       layerThreshold);
  if (worst != outputs.end() &&
      worst->verdict.quality == OutputQuality::Undecided)
    return fmt::format("output {} is undecided: {}",
                       printable(worst->row->tensor), worst->verdict.reason);
  return "all outputs and layers are precise enough";
}

std::string ticketText(const Ticket &ticket) {
  const BuildConfig &config = ticket.config;
  const TicketAnswers &answers = ticket.answers;
  std::string text = "# Ticket\n\n## Problem\n\n" + problem(ticket);
  text += fmt::format("\nRemarks: {}\n", orBlank(answers.note));
  text += fmt::format(
      "\n## Other platforms\n\n"
      "- Deployed elsewhere (maker, chip, version of the toolchain): {}\n"
      "- Quantization scripts, configuration and commands there: {}\n",
      orBlank(answers.otherPlatforms), orBlank(answers.otherFiles));
  text += fmt::format("\n## Accuracy on a data set\n\n"
                      "- Float model, and the metric: {}\n"
                      "- On the board: {}\n",
                      orBlank(answers.floatAccuracy),
                      orBlank(answers.boardAccuracy));
  text += fmt::format(
      "\n## The case\n\n"
      "| what | where |\n|---|---|\n"
      "| float model | {} |\n"
      "| configuration | `config.json` |\n"
      "| chip | `target.json` |\n"
      "| samples of the calibration and the analysis | {} |\n"
      "| test of a single sample: what goes in, and what floats, Reference and "
      "NPUBackend give | `expected/sample` |\n"
      "| digests of every layer's integers for that sample | "
      "`expected/sample/tensors.json` |\n"
      "| analysis and log | `expected` |\n",
      safeText(TextKind::Markdown, config.input),
      config.quant.inputSampleDir.empty() ? "`data`" : "`data`, `samples`");
  text += fmt::format(
      "\nTo see it again, with all that was used: "
      "`parallax case replay CASE`. By hand, in the unpacked case:\n\n{}"
      "\nThe command of the user was\n\n{}\nwith {}.\n",
      block("parallax build --config config.json"), block(ticket.command),
      ticket.tool);
  text += "\n## What is not the user's own\n\n";
  text += ticket.replaced.empty() ? "Nothing was replaced.\n"
                                  : list(ticket.replaced);
  if (!ticket.reduction.empty())
    text += "\n## How the network was made small\n\n" + list(ticket.reduction);
  return text;
}

} // namespace parallax
