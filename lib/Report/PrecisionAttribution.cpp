//===- PrecisionAttribution.cpp - Which layers cause the loss -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The layers that an output loses its cosine to, ranked by what each loses
// alone. Parts are only shown as a sum that closes: they cancel each other, so
// that a large one alone is not a reason to change a layer.
//===----------------------------------------------------------------------===//
#include "PrecisionText.h"
#include "parallax/Support/Sort.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace parallax {
namespace {

/// Parts of so many times the loss cancel each other.
constexpr double largeParts = 5;

std::vector<AttributionRow> sortedRows(const Attribution &attribution) {
  std::vector<AttributionRow> rows = attribution.rows;
  sortByKey(rows, [](const AttributionRow &row) { return -row.alone; });
  return rows;
}

Table attributionTable(const Attribution &attribution, size_t maxRows,
                       bool isExact) {
  auto number = [&](double value) {
    return isExact ? fmt::format("{}", value) : formatNumber(value);
  };
  Table table({Column::text("Operator"), Column::label("Type", 1),
               Column::text("Output Tensor", 2), Column::number("Alone"),
               Column::number("Part"), Column::number("Weights", 3),
               Column::number("Activations", 3)});
  std::vector<AttributionRow> rows = sortedRows(attribution);
  for (size_t i = 0; i < std::min(rows.size(), maxRows); ++i) {
    const AttributionRow &row = rows[i];
    table.addRow({row.node, row.type, row.tensor, number(row.alone),
                  number(row.total()), number(row.weights),
                  number(row.activations)});
  }
  return table;
}

std::string closureText(const Attribution &attribution) {
  double whole = attribution.measured, found = attribution.attributed();
  if (whole == 0)
    return "Nothing of the cosine of outputs is lost.\n";
  std::string text = fmt::format(
      "Attributed {} of {} lost cosine ({:.1f} %), as a mean over {} {}.\n",
      formatNumber(found, 4), formatNumber(whole, 4), 100 * found / whole,
      attribution.samples, attribution.samples == 1 ? "sample" : "samples");
  if (attribution.sizes() > largeParts)
    text += fmt::format(
        "Warning: parts cancel each other, they have {:.0f} times the size of "
        "the loss. This network turns small errors into other answers; the "
        "order of its layers depends on the samples.\n",
        attribution.sizes());
  return text;
}

std::string approximatedText(const Attribution &attribution, size_t maxNames) {
  const std::vector<std::string> &names = attribution.approximated;
  if (names.empty())
    return "";
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), maxNames); ++i)
    list += (i > 0 ? ", " : "") + printable(names[i]);
  if (names.size() > maxNames)
    list += fmt::format(" and {} more", names.size() - maxNames);
  return fmt::format("What lies in front of these is only roughly shared out: "
                     "{}.\n",
                     list);
}

} // namespace

std::string renderAttribution(const PrecisionReport &report, size_t maxRows,
                              const TableStyle &style) {
  if (!report.attribution)
    return "";
  const Attribution &attribution = *report.attribution;
  if (!attribution.closes())
    return fmt::format(
        "Loss of outputs by layer【{}】\nWarning: the loss of {} could not be "
        "shared out among layers: the parts that were found do not add up to "
        "it. No shares are shown, and diagnoses and suggestions go by what "
        "each layer loses by itself (PerLayer).\n",
        nameOf(attribution.mode), formatNumber(attribution.measured, 4));
  constexpr size_t shownNames = 8;
  return fmt::format(
      "Loss of outputs by layer【{}】{}\n{}{}{}", nameOf(attribution.mode),
      firstSamplesText(attribution.samples, report.samples),
      attributionTable(attribution, maxRows, /*isExact=*/false).render(style),
      closureText(attribution),
      approximatedText(attribution, style.width > 0
                                        ? shownNames
                                        : attribution.approximated.size()));
}

std::string attributionTableCsv(const PrecisionReport &report) {
  Attribution none;
  const Attribution &attribution =
      report.attribution && report.attribution->closes() ? *report.attribution
                                                         : none;
  return attributionTable(attribution, attribution.rows.size(),
                          /*isExact=*/true)
      .toCsv();
}

} // namespace parallax
