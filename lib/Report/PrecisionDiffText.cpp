//===- PrecisionDiffText.cpp - Two analyses, for people and programs ------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A screen shows what changed most, the worst first; the file has everything.
//===----------------------------------------------------------------------===//
#include "parallax/Report/PrecisionDiff.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

/// Of each table, beside outputs.
constexpr size_t rowsOfAScreen = 10;

/// "U8" or, if it changed, "U8 → U16".
std::string changeText(const Change<std::string> &change) {
  if (!change.isChanged())
    return change.after;
  auto shown = [](const std::string &text) {
    return text.empty() ? std::string("-") : text;
  };
  return fmt::format("{} → {}", shown(change.before), shown(change.after));
}

std::string changeText(const Change<int64_t> &change) {
  if (!change.isChanged())
    return change.after > 0 ? std::to_string(change.after) : "-";
  return fmt::format("{} → {}", change.before, change.after);
}

std::string signedText(double difference) {
  return difference == 0 ? "0" : fmt::format("{:+.5f}", difference);
}

Tint tintOfChange(const LayerChange &layer) {
  if (layer.isBadNow())
    return Tint::Bad;
  double threshold = layer.isOutput ? outputThreshold : layerThreshold;
  if (layer.drop() <= 0)
    return layer.drop() < 0 ? Tint::Good : Tint::Plain;
  return layer.similarity.after < threshold ? Tint::Bad : Tint::Warning;
}

bool isWorthARow(const LayerChange &layer) {
  return layer.isOutput || layer.similarity.isChanged() ||
         layer.quantType.isChanged();
}

/// The rows of a screen: all outputs, and of the other layers as many of those
/// that fell most as of those that rose most. Layers come by their drop.
std::vector<const LayerChange *>
layersOfAScreen(const std::vector<LayerChange> &layers, bool all) {
  std::vector<const LayerChange *> outputs, others;
  for (const LayerChange &layer : layers)
    if (layer.isOutput)
      outputs.push_back(&layer);
    else if (all || isWorthARow(layer))
      others.push_back(&layer);
  if (!all && others.size() > rowsOfAScreen) {
    auto count = [&](auto isOne) {
      return size_t(std::ranges::count_if(others, isOne));
    };
    size_t fallen = count([](auto *layer) { return layer->drop() > 0; }),
           risen = count([](auto *layer) { return layer->drop() < 0; });
    // What one direction does not need is left to the other.
    size_t half = rowsOfAScreen / 2;
    size_t last =
        std::min(risen, std::max(half, rowsOfAScreen - std::min(fallen, half)));
    size_t first = rowsOfAScreen - last;
    others.erase(others.begin() + ptrdiff_t(first),
                 others.end() - ptrdiff_t(last));
  }
  outputs.insert(outputs.end(), others.begin(), others.end());
  return outputs;
}

/// "Only in A: x, y and 3 more".
std::string namesText(const char *side, const std::vector<std::string> &names,
                      bool all) {
  if (names.empty())
    return "";
  size_t shown = all ? names.size() : std::min(names.size(), rowsOfAScreen);
  std::vector<std::string> texts;
  for (size_t i = 0; i < shown; ++i)
    texts.push_back(printable(names[i]));
  std::string line =
      fmt::format("Only in {}: {}", side, fmt::join(texts, ", "));
  if (shown < names.size())
    line += fmt::format(" and {} more", names.size() - shown);
  return line + "\n";
}

std::string renderTable(const TableChange &change, bool all,
                        const TableStyle &style) {
  Table table({Column::text("Operator", 2), Column::text("Output Tensor"),
               Column::label("Type", 3), Column::label("QDType"),
               Column::number("Cosin A"), Column::number("Cosin B"),
               Column::number("Change"), Column::number("Cycles", 1),
               Column::label("Output", 4)});
  std::vector<const LayerChange *> shown = layersOfAScreen(change.layers, all);
  for (const LayerChange *layer : shown) {
    Tint tint = tintOfChange(*layer);
    table.addRow({printable(layer->node),
                  printable(layer->tensor),
                  layer->type,
                  changeText(layer->quantType),
                  formatFraction(layer->similarity.before, 5),
                  {formatFraction(layer->similarity.after, 5), tint},
                  {signedText(-layer->drop()), tint},
                  changeText(layer->cycles),
                  layer->isOutput ? "yes" : ""});
  }
  size_t hidden = change.layers.size() - shown.size();
  std::string text = fmt::format("{} {}\n{}", nameOf(change.method),
                                 nameOf(change.mode), table.render(style));
  if (hidden > 0)
    text += fmt::format("{} more layers, which are the same or changed less; "
                        "--all shows them.\n",
                        hidden);
  return text + namesText("A", change.onlyBefore, all) +
         namesText("B", change.onlyAfter, all);
}

std::string renderAttribution(const PrecisionDiff &diff, bool all,
                              const TableStyle &style) {
  if (diff.attribution.empty())
    return "";
  Table table({Column::text("Operator", 1), Column::text("Output Tensor"),
               Column::number("Loss A"), Column::number("Loss B"),
               Column::number("Change")});
  size_t most = all ? diff.attribution.size() : rowsOfAScreen;
  for (const LossChange &layer : diff.attribution)
    if (table.rowCount() < most && (all || layer.loss.isChanged()))
      table.addRow({printable(layer.node), printable(layer.tensor),
                    formatNumber(layer.loss.before),
                    formatNumber(layer.loss.after),
                    formatNumber(layer.loss.after - layer.loss.before)});
  return fmt::format("Loss of outputs by layer: {} measured in A, {} in B"
                     "\n{}",
                     formatNumber(diff.measuredLoss.before),
                     formatNumber(diff.measuredLoss.after),
                     table.rowCount() > 0 ? table.render(style) : "");
}

std::string renderBits(const PrecisionDiff &diff, bool all,
                       const TableStyle &style) {
  Table table({Column::text("Operator", 1), Column::text("Output Tensor"),
               Column::number("Elements"), Column::label("Class")});
  for (const BitChange &layer : diff.bits)
    if (all || layer.differing.isChanged() || layer.difference.isChanged())
      table.addRow({printable(layer.node), printable(layer.tensor),
                    changeText(layer.differing), changeText(layer.difference)});
  return table.rowCount() > 0
             ? "Elements with other bits on the machine\n" + table.render(style)
             : "";
}

std::string cyclesLine(const Change<int64_t> &cycles) {
  if (cycles.before <= 0 || cycles.after <= 0)
    return "";
  double part = double(cycles.after) / double(cycles.before) - 1;
  return fmt::format("Cycles: {} in A, {} in B ({:+.1f} %), without those of "
                     "input processors.\n",
                     cycles.before, cycles.after, 100 * part);
}

std::string samplesText(const PrecisionDiff &diff) {
  std::string text;
  if (diff.samples.isChanged() || diff.sampleSource.isChanged())
    text = fmt::format("The samples are not the same: A has {} of {}, B has {} "
                       "of {}.\n",
                       diff.samples.before, printable(diff.sampleSource.before),
                       diff.samples.after, printable(diff.sampleSource.after));
  if (diff.sampleOrigin.isChanged())
    text += fmt::format("The samples of A are {}, those of B {}: one has been "
                        "judged by other samples than the other.\n",
                        diff.sampleOrigin.before, diff.sampleOrigin.after);
  return text;
}

using Json = nlohmann::ordered_json;

template <typename T>
void put(Json &json, const std::string &name, const Change<T> &change) {
  json[name + "_a"] = change.before;
  json[name + "_b"] = change.after;
}

Json layerObject(const LayerChange &layer) {
  Json json = {{"operator", layer.node},
               {"tensor", layer.tensor},
               {"type", layer.type},
               {"is_output", layer.isOutput}};
  put(json, "qdtype", layer.quantType);
  put(json, "similarity", layer.similarity);
  json["change"] = -layer.drop();
  put(json, "cycles", layer.cycles);
  if (layer.verdict)
    put(json, "verdict",
        Change<std::string_view>{nameOf(layer.verdict->before.quality),
                                 nameOf(layer.verdict->after.quality)});
  return json;
}

template <typename T, typename Fn>
Json listOf(const std::vector<T> &list, Fn objectOf) {
  Json json = Json::array();
  for (const T &element : list)
    json.push_back(objectOf(element));
  return json;
}

} // namespace

std::string renderDiff(const PrecisionDiff &diff, bool all,
                       const TableStyle &style) {
  std::string text;
  // What errors accumulate to matters more than single layers.
  for (AnalysisMethod method :
       {AnalysisMethod::EndToEnd, AnalysisMethod::PerLayer})
    for (const TableChange &table : diff.tables)
      if (table.method == method)
        text += renderTable(table, all, style);
  text += renderAttribution(diff, all, style) + renderBits(diff, all, style);
  for (const auto &[side, titles] :
       {std::pair("A", &diff.onlyBefore), std::pair("B", &diff.onlyAfter)})
    if (!titles->empty())
      text += fmt::format("Tables that only {} has: {}\n", side,
                          fmt::join(*titles, ", "));
  text += cyclesLine(diff.cycles) + samplesText(diff);
  if (diff.regressions.empty())
    return text + "No output is worse than it may be.\n";
  return text + fmt::format("Regression:\n  {}\n",
                            fmt::join(diff.regressions, "\n  "));
}

std::string diffJson(const PrecisionDiff &diff) {
  Json json = {{"schema", 1},
               {"regressed", !diff.regressions.empty()},
               {"regressions", diff.regressions}};
  put(json, "samples", diff.samples);
  put(json, "sample_source", diff.sampleSource);
  put(json, "sample_origin", diff.sampleOrigin);
  put(json, "cycles", diff.cycles);
  json["tables"] = listOf(diff.tables, [](const TableChange &table) {
    return Json{{"method", nameOf(table.method)},
                {"mode", nameOf(table.mode)},
                {"layers", listOf(table.layers, layerObject)},
                {"only_a", table.onlyBefore},
                {"only_b", table.onlyAfter}};
  });
  json["tables_only_a"] = diff.onlyBefore;
  json["tables_only_b"] = diff.onlyAfter;
  put(json, "measured_loss", diff.measuredLoss);
  json["attribution"] = listOf(diff.attribution, [](const LossChange &layer) {
    Json row = {{"operator", layer.node}, {"tensor", layer.tensor}};
    put(row, "loss", layer.loss);
    return row;
  });
  json["differences"] = listOf(diff.bits, [](const BitChange &layer) {
    Json row = {{"operator", layer.node}, {"tensor", layer.tensor}};
    put(row, "differing", layer.differing);
    put(row, "class", layer.difference);
    return row;
  });
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace parallax
