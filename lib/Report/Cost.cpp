//===- Cost.cpp - What layers cost on a chip ------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Writers only; the numbers come from the backend.
//===----------------------------------------------------------------------===//
#include "parallax/Report/Cost.h"
#include "parallax/Support/Sort.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <numeric>

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

std::string costShape(const LayerCost &cost) {
  return fmt::format("{}", fmt::join(cost.shape, "x"));
}

std::string limitOf(const LayerCost &cost) {
  if (cost.unit == CostUnit::Cpu)
    return "CPU";
  return cost.memoryCycles > cost.computeCycles ? "memory" : "compute";
}

} // namespace

std::string maxCycleLine(const std::vector<LayerCost> &costs) {
  int64_t cycles = 0;
  for (const LayerCost &cost : costs)
    cycles += cost.cycles;
  return "max_cycle = " + formatCount(cycles);
}

std::string opProfileCsv(const std::vector<LayerCost> &costs) {
  Table table({Column::text("layer"), Column::label("op"),
               Column::label("unit"), Column::label("types"),
               Column::label("shape"), Column::number("macs"),
               Column::number("input_bytes"), Column::number("weight_bytes"),
               Column::number("output_bytes"), Column::number("memory_bytes"),
               Column::number("start_cycle"), Column::number("compute_cycles"),
               Column::number("memory_cycles"), Column::number("cycles"),
               Column::number("utilization")});
  for (const LayerCost &cost : costs) {
    std::vector<Cell> row = {cost.layer, cost.op,
                             std::string(nameOf(cost.unit)), cost.types,
                             costShape(cost)};
    for (int64_t number : {cost.macs, cost.inputBytes, cost.weightBytes,
                           cost.outputBytes, cost.memoryBytes, cost.startCycle,
                           cost.computeCycles, cost.memoryCycles, cost.cycles})
      row.emplace_back(fmt::format("{}", number));
    row.emplace_back(fmt::format("{:.4f}", cost.utilization));
    table.addRow(std::move(row));
  }
  return table.toCsv();
}

std::string traceJson(const std::vector<LayerCost> &costs,
                      const Target &target) {
  constexpr int memoryRow = 3;
  Json events = Json::array();
  auto nameRow = [&](int row, std::string_view name) {
    events.push_back({{"name", "thread_name"},
                      {"ph", "M"},
                      {"pid", 0},
                      {"tid", row},
                      {"args", {{"name", name}}}});
  };
  for (CostUnit unit : {CostUnit::Mac, CostUnit::Vector, CostUnit::Cpu})
    nameRow(int(unit), nameOf(unit));
  nameRow(memoryRow, "memory");
  auto microseconds = [&](int64_t cycles) {
    return double(cycles) / target.clockMhz;
  };
  auto add = [&](const LayerCost &cost, int row, int64_t cycles) {
    events.push_back({{"name", cost.layer},
                      {"cat", cost.op},
                      {"ph", "X"},
                      {"pid", 0},
                      {"tid", row},
                      {"ts", microseconds(cost.startCycle)},
                      {"dur", microseconds(cycles)},
                      {"args",
                       {{"types", cost.types},
                        {"shape", costShape(cost)},
                        {"macs", cost.macs},
                        {"memory_bytes", cost.memoryBytes},
                        {"cycles", cost.cycles},
                        {"utilization", cost.utilization}}}});
  };
  for (const LayerCost &cost : costs) {
    if (cost.cycles > 0)
      add(cost, int(cost.unit), cost.cycles);
    if (cost.memoryCycles > 0)
      add(cost, memoryRow, cost.memoryCycles);
  }
  TotalCost total = totalOf(costs, target);
  Json trace = {
      {"displayTimeUnit", "ns"},
      {"otherData", {{"target", target.name}, {"max_cycle", total.cycles}}},
      {"traceEvents", std::move(events)}};
  // Names come from models, and may hold bytes that are not UTF-8.
  return trace.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Table costTable(const std::vector<LayerCost> &costs, size_t rows) {
  Table table({Column::text("Layer"), Column::label("Op", 2),
               Column::label("Types", 3), Column::label("Unit", 4),
               Column::number("MACs", 5), Column::number("Memory", 6),
               Column::number("Cycles"), Column::number("Share"),
               Column::number("Used", 1), Column::label("Limit", 7)});
  std::vector<size_t> order(costs.size());
  std::iota(order.begin(), order.end(), size_t(0));
  sortByKey(order, [&](size_t i) { return -costs[i].cycles; });
  int64_t cycles = 0, macs = 0, bytes = 0;
  for (const LayerCost &cost : costs) {
    cycles += cost.cycles;
    macs += cost.macs;
    bytes += cost.memoryBytes;
  }
  auto share = [&](int64_t part) {
    return cycles ? formatPercent(double(part) / double(cycles)) : "";
  };
  for (size_t i = 0; i < std::min(rows, order.size()); ++i) {
    const LayerCost &cost = costs[order[i]];
    table.addRow({cost.layer, cost.op, cost.types,
                  std::string(nameOf(cost.unit)), formatCount(cost.macs),
                  formatCount(cost.memoryBytes), formatCount(cost.cycles),
                  share(cost.cycles),
                  cost.macs && cost.unit == CostUnit::Mac
                      ? formatPercent(cost.utilization)
                      : "",
                  limitOf(cost)});
  }
  table.addRow({Cell(fmt::format("all {} layers", costs.size()), Tint::Bold),
                "", "", "", formatCount(macs), formatCount(bytes),
                Cell(formatCount(cycles), Tint::Bold), share(cycles)});
  return table;
}

} // namespace parallax
