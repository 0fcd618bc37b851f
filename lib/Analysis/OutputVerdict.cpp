//===- OutputVerdict.cpp - Whether an output may be used ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// First what speaks against an output, then what leaves it open; what remains
// is good.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/OutputVerdict.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace parallax {
namespace {

/// Where the mean over many more samples would lie, with 95 % confidence.
struct Confidence {
  double low = 1, high = 1;
};

Confidence confidenceOf(const ChannelGroup &group) {
  double reach = group.samples > 1
                     ? 2 * group.deviation / std::sqrt(double(group.samples))
                     : 0;
  return {std::min(group.cosine, group.mean - reach),
          std::max(group.cosine, group.mean + reach)};
}

/// Rounded down: nothing that is too low looks as if it were not.
std::string lowText(double cosine) {
  return fmt::format("{:.3f}", std::floor(cosine * 1000) / 1000);
}

/// Of rows with their largest element, or of integers and truth values.
struct AgreementCount {
  int64_t count = 0, different = 0;
  std::string_view what;

  double part() const { return 1 - double(different) / double(count); }
  double reach() const {
    return 2 * std::sqrt(part() * (1 - part()) / double(count));
  }
  std::string text() const {
    return fmt::format("{} in {} of {}", what, different, count);
  }
};

AgreementCount agreementOf(const ComparisonResult &metrics) {
  if (metrics.isExact)
    return {metrics.rows,
            std::llround(double(metrics.rows) * (1 - metrics.agreement)),
            "the value is another one"};
  return {metrics.rows, metrics.clearlyMoved,
          "the largest element is clearly at another place"};
}

/// Inputs of floats that hold one number in all samples.
bool areInputsConstant(const PrecisionReport &report) {
  return !report.inputs.empty() &&
         std::ranges::all_of(report.inputs, [](const PrecisionRow &input) {
           const ValueSummary &values = input.metrics.reference;
           return values.count > 0 && values.min == values.max;
         });
}

class Judge {
public:
  Judge(const PrecisionReport &report, const PrecisionTable &table,
        const PrecisionRow &output)
      : report(report), metrics(output.metrics), groups(output.groups),
        place(table.mode == AnalysisMode::NPUBackend ? "on the NPU"
                                                     : "after quantization") {
    if (groups.empty())
      groups.push_back(wholeOutput());
  }

  OutputVerdict run() {
    std::string reason = whyBad();
    if (!reason.empty())
      return {OutputQuality::Bad, std::move(reason), std::move(groups)};
    reason = whyNotCompared();
    if (!reason.empty())
      return {OutputQuality::Undecided, std::move(reason), std::move(groups),
              /*isCompared=*/false};
    reason = whyUndecided();
    auto quality =
        reason.empty() ? OutputQuality::Good : OutputQuality::Undecided;
    return {quality, std::move(reason), std::move(groups)};
  }

private:
  ChannelGroup wholeOutput() const {
    ChannelGroup group;
    group.cosine = group.mean = group.highest = metrics.similarity();
    group.samples = metrics.samples;
    // Of few integers, one that differs says nothing about a sample.
    group.worstSample = metrics.isExact ? -1 : metrics.worstSample;
    group.lowest = metrics.isExact ? group.mean : metrics.worstSampleCosine;
    group.highest = std::max(group.lowest, group.highest);
    return group;
  }

  /// What says more than outputs do.
  std::string_view advice() const {
    return report.task ? "the accuracy of the task, which was measured, decides"
                       : "measure the accuracy on your task with the section "
                         "evaluation";
  }

  bool isEmpty() const { return metrics.samples == 0 || metrics.count == 0; }

  std::string whyBad() const;
  std::string whyBad(const ChannelGroup &group) const;
  std::string whyNotCompared() const;
  std::string whyUndecided() const;
  std::string whyUndecided(const ChannelGroup &group) const;

  const PrecisionReport &report;
  const ComparisonResult &metrics;
  std::vector<ChannelGroup> groups;
  std::string_view place;
};

/// "0 … 0.93": what is tiny beside the other end is as good as 0.
std::string rangeText(double min, double max) {
  double tiny = 1e-4 * std::max(std::abs(min), std::abs(max));
  auto end = [&](double value) { return std::abs(value) < tiny ? 0 : value; };
  return fmt::format("{:.3g} … {:.3g}", end(min), end(max));
}

bool isOne(const std::vector<ChannelRange> &channels) {
  return channels.size() == 1 && channels[0].first == channels[0].last;
}

/// "its cosine", or that of some channels.
std::string cosineOf(const ChannelGroup &group) {
  std::string text = groupText(group);
  return text.empty() ? "its cosine" : "the cosine of " + text;
}

/// "in channels 4–83 (0 … 0.93)", after something else.
std::string whereIn(const ChannelGroup &group) {
  std::string text = groupText(group);
  return text.empty() ? "" : " in " + text;
}

std::string Judge::whyBad() const {
  if (isEmpty())
    return "";
  if (metrics.unequal > 0)
    return fmt::format("{} values are NaN or infinite on one side alone",
                       metrics.unequal);
  // What is lost as a whole explains low cosines.
  for (const ChannelGroup &group : groups)
    if (const LostChannels &lost = group.lost; !lost.channels.empty())
      return fmt::format("{} ({}) {} {} {}", channelsText(lost.channels),
                         rangeText(lost.min, lost.max),
                         isOne(lost.channels) ? "is" : "are",
                         lost.areZero ? "all 0" : "constant", place);
  if (AgreementCount rows = agreementOf(metrics);
      rows.count > 0 && rows.part() + rows.reach() < badAgreement)
    return rows.text();
  if (metrics.isExact)
    return "";
  for (const ChannelGroup &group : groups)
    if (std::string reason = whyBad(group); !reason.empty())
      return reason;
  return "";
}

std::string Judge::whyBad(const ChannelGroup &group) const {
  if (confidenceOf(group).high < badCosine)
    return fmt::format("{} is below {}", cosineOf(group), badCosine);
  if (group.lowest < badSample)
    return fmt::format("sample {} keeps {}{}, less than {}", group.worstSample,
                       lowText(group.lowest), whereIn(group), badSample);
  return "";
}

std::string Judge::whyNotCompared() const {
  if (metrics.samples == 0)
    return "no sample was compared";
  if (metrics.count == 0)
    return "it has no elements";
  if (areInputsConstant(report))
    return "the inputs hold the same number in all samples";
  if (!metrics.isExact &&
      std::ranges::all_of(groups, [](auto &group) { return group.isConstant; }))
    return "it is one and the same number in the float network";
  return "";
}

std::string Judge::whyUndecided() const {
  if (metrics.samples == 1)
    return "one sample is too few";
  for (const ChannelGroup &group : groups)
    if (std::string reason = metrics.isExact ? "" : whyUndecided(group);
        !reason.empty())
      return reason;
  if (AgreementCount rows = agreementOf(metrics);
      rows.count > 0 && rows.part() - rows.reach() < goodAgreement)
    return fmt::format("{}: {}", rows.text(), advice());
  return "";
}

std::string Judge::whyUndecided(const ChannelGroup &group) const {
  auto [low, high] = confidenceOf(group);
  if (low < goodCosine && high >= goodCosine)
    return fmt::format("the samples are too few or too different to tell "
                       "whether the cosine{} reaches {}: {}",
                       whereIn(group), goodCosine, advice());
  if (low < goodCosine)
    return fmt::format("{} is below {}: {}", cosineOf(group), goodCosine,
                       advice());
  if (group.lowest < goodSample)
    return fmt::format("sample {} keeps {}{}, less than {}: {}",
                       group.worstSample, lowText(group.lowest), whereIn(group),
                       goodSample, advice());
  return "";
}

} // namespace

std::string_view nameOf(OutputQuality quality) {
  switch (quality) {
  case OutputQuality::Bad:
    return "bad";
  case OutputQuality::Undecided:
    return "undecided";
  case OutputQuality::Good:
    return "good";
  }
  return "";
}

double OutputVerdict::weakestCosine() const {
  double weakest = 1;
  for (const ChannelGroup &group : groups)
    weakest = std::min(weakest, group.cosine);
  return weakest;
}

OutputVerdict judgeOutput(const PrecisionReport &report,
                          const PrecisionTable &table,
                          const PrecisionRow &output) {
  return Judge(report, table, output).run();
}

std::vector<JudgedOutput> judgeOutputs(const PrecisionReport &report) {
  std::vector<JudgedOutput> outputs;
  for (const PrecisionTable &table : report.tables)
    for (const PrecisionRow &row : table.rows)
      if (table.method == AnalysisMethod::EndToEnd && row.isOutput)
        outputs.push_back({&table, &row, judgeOutput(report, table, row)});
  return outputs;
}

std::vector<JudgedOutput> judgeFinalOutputs(const PrecisionReport &report) {
  std::vector<JudgedOutput> outputs = judgeOutputs(report);
  if (!outputs.empty())
    std::erase_if(outputs,
                  [last = outputs.back().table](const JudgedOutput &output) {
                    return output.table != last;
                  });
  return outputs;
}

std::string whyNotJudged(const PrecisionReport &report) {
  bool isEndToEnd = false;
  for (const PrecisionTable &table : report.tables) {
    if (table.method != AnalysisMethod::EndToEnd)
      continue;
    isEndToEnd = true;
    if (std::ranges::none_of(table.rows, &PrecisionRow::isOutput))
      return "no output was compared";
  }
  if (!isEndToEnd)
    return "no output was compared with all errors accumulated";
  // What says nothing may still be bad.
  for (const JudgedOutput &output : judgeOutputs(report))
    if (!output.verdict.isCompared)
      return fmt::format("of output '{}', {}", output.row->tensor,
                         output.verdict.reason);
  return "";
}

bool isBad(const PrecisionReport &report) {
  if (report.task && report.task->verdict == nameOf(AccuracyVerdict::Bad))
    return true;
  return std::ranges::any_of(
      judgeOutputs(report), [](const JudgedOutput &output) {
        return output.verdict.quality == OutputQuality::Bad;
      });
}

bool areOutputsGood(const PrecisionReport &report) {
  if (report.task)
    return report.task->verdict == nameOf(AccuracyVerdict::Good);
  std::vector<JudgedOutput> outputs = judgeOutputs(report);
  return !outputs.empty() &&
         std::ranges::all_of(outputs, [](const JudgedOutput &output) {
           return output.verdict.quality == OutputQuality::Good;
         });
}

std::string channelsText(const std::vector<ChannelRange> &channels) {
  constexpr size_t most = 4;
  std::string text = isOne(channels) ? "channel " : "channels ";
  for (size_t i = 0; i < std::min(channels.size(), most); ++i) {
    text += i > 0 ? ", " : "";
    text += channels[i].first == channels[i].last
                ? fmt::format("{}", channels[i].first)
                : fmt::format("{}–{}", channels[i].first, channels[i].last);
  }
  return channels.size() > most ? text + ", …" : text;
}

std::string groupText(const ChannelGroup &group) {
  return group.channels.empty()
             ? ""
             : fmt::format("{} ({})", channelsText(group.channels),
                           rangeText(group.min, group.max));
}

int decimalsOf(const ChannelGroup &group) {
  constexpr int fewest = 2, most = 5, ofOneSample = 3;
  if (group.samples < 2)
    return ofOneSample;
  double error = group.deviation / std::sqrt(double(group.samples));
  if (error <= 0)
    return most;
  return std::clamp(int(std::ceil(-std::log10(2 * error))), fewest, most);
}

} // namespace parallax
