//===- LowerLog.cpp - What lowering found out -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What stays in float is listed layer by layer, with its reason.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/LowerLog.h"

#include "parallax/Support/Log.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace parallax {

void logLowering(const LowerReport &report) {
  log(LogLevel::Info,
      "lowered {} layers to integers, {} move codes, {} compute in float "
      "between them",
      report.integerLayers, report.movements, report.floatLayers);
  for (const LowerReport::Island &island : report.islands)
    log(LogLevel::Info, "  {} ({}) computes in float: {}", island.layer,
        island.op, island.why);
  if (report.margins.empty())
    return;
  auto least = std::min_element(
      report.margins.begin(), report.margins.end(),
      [](const auto &a, const auto &b) { return a.bits < b.bits; });
  log(LogLevel::Info,
      "no accumulator can overflow: {} has the least room, {} of {} bits stay "
      "unused",
      least->layer, least->bits, least->accumulatorBits);
}

std::string toJson(const LowerReport &report, int64_t cycles) {
  using Json = nlohmann::ordered_json;
  Json islands = Json::array(), margins = Json::array();
  for (const LowerReport::Island &island : report.islands)
    islands.push_back(
        {{"layer", island.layer}, {"op", island.op}, {"why", island.why}});
  for (const LowerReport::Margin &margin : report.margins) {
    Json &entry =
        margins.emplace_back(Json{{"layer", margin.layer},
                                  {"accumulator_bits", margin.accumulatorBits},
                                  {"unused_bits", margin.bits}});
    if (margin.multiplier && margin.shift) {
      entry["multiplier"] = *margin.multiplier;
      entry["shift"] = *margin.shift;
    }
  }
  Json result = {{"cycles", cycles},
                 {"integer_layers", report.integerLayers},
                 {"movements", report.movements},
                 {"fused_clamps", report.clamps},
                 {"float_layers", report.floatLayers},
                 {"cpu_float_islands", islands},
                 {"accumulators", margins}};
  return result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace parallax
