//===- LayerCost.cpp - What layers cost on a chip -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Sums over the layers that the backend has estimated.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/LayerCost.h"

namespace parallax {

std::string_view nameOf(CostUnit unit) {
  static constexpr std::string_view names[] = {"MAC", "vector", "CPU"};
  return names[size_t(unit)];
}

TotalCost totalOf(const std::vector<LayerCost> &costs, const Target &target) {
  TotalCost total;
  for (const LayerCost &cost : costs) {
    total.macs += cost.macs;
    total.memoryBytes += cost.memoryBytes;
    total.cycles += cost.cycles;
    total.cpuLayers += cost.unit == CostUnit::Cpu;
  }
  total.milliseconds = double(total.cycles) / (target.clockMhz * 1000);
  return total;
}

} // namespace parallax
