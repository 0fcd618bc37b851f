//===- PrecisionWaterfall.cpp - Which stage loses precision ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Which stage causes the loss: the weights, the activations, or the arithmetic
// of the NPU? This table comes before those of single layers.
//===----------------------------------------------------------------------===//
#include "PrecisionText.h"

#include <cmath>
#include <fmt/format.h>

namespace parallax {
namespace {

/// "-0.01234", or "-3e-07" of what five decimals would hide.
std::string lossText(double change) {
  if (change == 0)
    return "0";
  return std::abs(change) < 0.000005 ? fmt::format("{:+.0e}", change)
                                     : fmt::format("{:+.5f}", change);
}

Cell stageCell(double loss, double before) {
  // A stage that costs more than half of the allowed loss is marked.
  bool isBad = loss - before > (1 - outputThreshold) / 2;
  return Cell(fmt::format("{} ({})", formatFraction(1 - loss, 5),
                          lossText(before - loss)),
              isBad ? Tint::Bad : Tint::Plain);
}

} // namespace

std::string waterfallTitle() {
  return "Cosine of outputs with the imported network, stage by stage";
}

Table waterfallTable(const std::vector<WaterfallRow> &rows) {
  Table table({Column::text("Output"), Column::number("Imported", 2),
               Column::number("Float optimization", 1),
               Column::number("Weights"), Column::number("Activations"),
               Column::number("NPU")});
  for (const WaterfallRow &row : rows)
    table.addRow(
        {row.output, formatFraction(1, 5), stageCell(row.optimization, 0),
         stageCell(row.weights, row.optimization),
         stageCell(row.activations, row.weights),
         row.hasMachine ? stageCell(row.machine, row.activations) : Cell("-")});
  return table;
}

std::string renderWaterfall(const PrecisionReport &report,
                            const TableStyle &style) {
  const std::vector<WaterfallRow> &rows = report.waterfall;
  if (rows.empty())
    return "";
  return waterfallTitle() + firstSamplesText(rows[0].samples, report.samples) +
         "\n" + waterfallTable(rows).render(style);
}

} // namespace parallax
