//===- Output.cpp - How findings are shown --------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The closing sentence alone answers the question; the table says where.
//===----------------------------------------------------------------------===//
#include "parallax/Report/Comparison.h"
#include "parallax/Report/Table.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Unicode.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

struct VerdictInfo {
  std::string_view text;
  Tint tint;
};

// In the order of the enum.
constexpr VerdictInfo verdicts[] = {
    {"equal", Tint::Good},        {"close", Tint::Good},
    {"differs", Tint::Bad},       {"shape differs", Tint::Bad},
    {"only in A", Tint::Warning}, {"only in B", Tint::Warning},
    {"unreadable", Tint::Bad}};

const VerdictInfo &infoOf(Verdict verdict) { return verdicts[size_t(verdict)]; }

std::string joined(std::string_view a, std::string_view b) {
  return a == b ? std::string(a) : fmt::format("{} vs {}", a, b);
}

Shape multiIndex(const Shape &shape, int64_t flat) {
  Shape index;
  for (int64_t stride : stridesOf(shape)) {
    index.push_back(flat / stride);
    flat %= stride;
  }
  return index;
}

std::string formatIndex(const Shape &shape, int64_t flat) {
  return fmt::format("[{}]", fmt::join(multiIndex(shape, flat), ","));
}

//===----------------------------------------------------------------------===//
// The screen
//===----------------------------------------------------------------------===//

std::vector<Cell> rowOf(const Finding &finding) {
  const VerdictInfo &info = infoOf(finding.verdict);
  Cell verdict(std::string(info.text), info.tint);
  Cell none("-", Tint::Dim);
  Cell shape = none, dtype = none;
  if (const auto &types = finding.types) {
    shape = joined(toString(types->shapeA), toString(types->shapeB));
    bool mixed = types->dtypeA != types->dtypeB;
    dtype = {joined(nameOf(types->dtypeA), nameOf(types->dtypeB)),
             mixed ? Tint::Warning : Tint::Plain};
  }
  if (!finding.metrics)
    return {finding.name, shape, dtype, none, none,
            none,         none,  none,  none, verdict};
  const Metrics &metrics = *finding.metrics;
  // Zeros would look like agreement where nothing could be measured.
  bool meaningful = metrics.measured > 0 || metrics.differing == 0 ||
                    std::isinf(metrics.maxAbs);
  auto number = [&](std::string text) {
    return meaningful ? Cell(std::move(text)) : none;
  };
  Cell first = none;
  if (int64_t index = metrics.firstDifferingIndex; index >= 0)
    first =
        fmt::format("{} {} vs {}", formatIndex(finding.types->shapeA, index),
                    finding.valueA, finding.valueB);
  return {finding.name,
          shape,
          dtype,
          number(formatNumber(metrics.maxAbs)),
          number(formatNumber(metrics.meanAbs)),
          number(formatNumber(metrics.rmse)),
          number(formatFraction(metrics.cosine)),
          formatPercent(metrics.argmaxAgreement),
          first,
          verdict};
}

/// Says what the numbers of a row can't: values that are not numbers.
std::string specialValues(const Finding &finding) {
  if (!finding.metrics)
    return "";
  const Metrics &metrics = *finding.metrics;
  if (metrics.nanA + metrics.nanB + metrics.infA + metrics.infB == 0)
    return "";
  std::string text = fmt::format("{}: NaN {} in A, {} in B; Inf {} in A, {} "
                                 "in B",
                                 printable(finding.name), metrics.nanA,
                                 metrics.nanB, metrics.infA, metrics.infB);
  if (metrics.unordered > 0)
    text += fmt::format("; NaN on one side only at {} of {} positions",
                        metrics.unordered, metrics.count);
  if (metrics.measured > 0)
    text += fmt::format("; the cosine covers the {} finite pairs",
                        metrics.measured);
  return text + ".\n";
}

const Finding *worstOf(const FileComparison &comparison) {
  auto isWorse = [&](const Metrics &a, const Metrics &b) {
    return comparison.criterion.judgesElements() ? a.maxAbs > b.maxAbs
                                                 : a.cosine < b.cosine;
  };
  const Finding *worst = nullptr;
  for (const Finding &finding : comparison.findings)
    if (finding.verdict == Verdict::Different &&
        (!worst || isWorse(*finding.metrics, *worst->metrics)))
      worst = &finding;
  return worst;
}

/// "in 2 of 192 values, by up to 0.25 at [0,1,2,3]"
std::string describeDifference(const Finding &finding,
                               const Criterion &criterion) {
  const Metrics &metrics = *finding.metrics;
  if (criterion.cosine && metrics.cosine < *criterion.cosine)
    return fmt::format("with a cosine of {}", formatFraction(metrics.cosine));
  std::string text =
      fmt::format("in {} of {} values", metrics.differing, metrics.count);
  if (metrics.maxAbs > 0)
    text +=
        fmt::format(", by up to {} at {}", formatNumber(metrics.maxAbs),
                    formatIndex(finding.types->shapeA, metrics.maxAbsIndex));
  return text;
}

std::string closingSentence(const FileComparison &comparison) {
  size_t total = comparison.findings.size(), different = 0, failed = 0,
         close = 0;
  for (const Finding &finding : comparison.findings) {
    different += exitCodeOf(finding.verdict) == 1;
    failed += exitCodeOf(finding.verdict) == 2;
    close += finding.verdict == Verdict::Close;
  }
  std::string subject = total == 1 ? std::string("The two tensors")
                                   : fmt::format("All {} tensors", total);
  std::string criterion = comparison.criterion.describe();
  if (different + failed == 0)
    return fmt::format("{} are {} ({}).", subject,
                       close ? "within tolerance" : "equal", criterion);

  const Finding *worst = worstOf(comparison);
  std::string text;
  if (total > 1) {
    if (different > 0)
      text = fmt::format("{} of {} tensors {}", different, total,
                         different == 1 ? "differs" : "differ");
    if (failed > 0)
      text += fmt::format(
          "{}{} could not be compared", different > 0 ? " and " : "",
          different > 0 ? fmt::format("{}", failed)
                        : fmt::format("{} of {} tensors", failed, total));
    text += fmt::format(" ({})", criterion);
    if (worst)
      text +=
          fmt::format("; {}{} differs {}", different > 1 ? "the worst, " : "",
                      printable(worst->name) + (different > 1 ? "," : ""),
                      describeDifference(*worst, comparison.criterion));
    return text + ".";
  }
  if (worst)
    return fmt::format("{} differ {} ({}).", subject,
                       describeDifference(*worst, comparison.criterion),
                       criterion);
  return fmt::format("{} {}.", subject,
                     failed ? "could not be compared"
                            : "have different shapes");
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// JSON has no infinity; a string says what a null would hide.
Json jsonNumber(double value) {
  return std::isinf(value) ? Json(value > 0 ? "inf" : "-inf") : Json(value);
}

Json jsonOf(const Finding &finding) {
  Json json = {{"name", finding.name},
               {"verdict", infoOf(finding.verdict).text}};
  if (!finding.message.empty())
    json["message"] = finding.message;
  if (const auto &types = finding.types) {
    json["shape_a"] = types->shapeA;
    json["shape_b"] = types->shapeB;
    json["dtype_a"] = nameOf(types->dtypeA);
    json["dtype_b"] = nameOf(types->dtypeB);
  }
  if (!finding.metrics)
    return json;
  const Metrics &metrics = *finding.metrics;
  auto index = [&](int64_t flat) {
    return flat < 0 ? Json() : Json(multiIndex(finding.types->shapeA, flat));
  };
  json.update({{"count", metrics.count},
               {"measured", metrics.measured},
               {"max_abs", jsonNumber(metrics.maxAbs)},
               {"max_abs_index", index(metrics.maxAbsIndex)},
               {"mean_abs", jsonNumber(metrics.meanAbs)},
               {"mse", jsonNumber(metrics.mse)},
               {"rmse", jsonNumber(metrics.rmse)},
               {"cosine", metrics.cosine},
               {"argmax_agreement", metrics.argmaxAgreement},
               {"differing", metrics.differing},
               {"unordered", metrics.unordered},
               {"nan_a", metrics.nanA},
               {"nan_b", metrics.nanB},
               {"inf_a", metrics.infA},
               {"inf_b", metrics.infB},
               {"range_b", Json::array({jsonNumber(metrics.minB),
                                        jsonNumber(metrics.maxB)})}});
  json["first_difference"] = Json();
  if (metrics.firstDifferingIndex >= 0)
    json["first_difference"] = {{"index", index(metrics.firstDifferingIndex)},
                                {"a", finding.valueA},
                                {"b", finding.valueB}};
  return json;
}

} // namespace

int FileComparison::exitCode() const {
  int code = 0;
  for (const Finding &finding : findings)
    code = std::max(code, exitCodeOf(finding.verdict));
  return code;
}

void showComparison(const FileComparison &comparison) {
  // Only names are shortened: half a number misleads. Where the screen is
  // narrow, whole columns go, and the averages first.
  Table table({Column::text("Tensor"), Column::label("Shape", 3),
               Column::label("Type", 4), Column::number("Max abs"),
               Column::number("Mean abs", 6), Column::number("RMSE", 2),
               Column::number("Cosine"), Column::number("Argmax", 5),
               Column::label("First difference (A vs B)", 1),
               Column::label("Verdict")});
  for (const Finding &finding : comparison.findings)
    table.addRow(rowOf(finding));
  std::string text = fmt::format("A: {}\nB: {}\n{}", printable(comparison.a),
                                 printable(comparison.b),
                                 table.render(currentListener().style()));
  for (const Finding &finding : comparison.findings)
    text += specialValues(finding);
  showResult(text);
  for (const Finding &finding : comparison.findings)
    if (finding.verdict == Verdict::Failed)
      log(LogLevel::Error, "{}", printable(finding.message));
  showResult(closingSentence(comparison) + "\n");
}

std::string toJson(const FileComparison &comparison) {
  Json json = {{"a", comparison.a},
               {"b", comparison.b},
               {"atol", comparison.criterion.tolerance().absolute},
               {"rtol", comparison.criterion.tolerance().relative},
               {"cosine", comparison.criterion.cosine
                              ? Json(*comparison.criterion.cosine)
                              : Json()},
               {"equal", comparison.exitCode() == 0},
               {"summary", closingSentence(comparison)},
               {"tensors", Json::array()}};
  for (const Finding &finding : comparison.findings)
    json["tensors"].push_back(jsonOf(finding));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace parallax
