//===- Cost.h - What layers cost on a chip ---------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The estimate of each layer in plain numbers, and the forms that people and
// programs read it in. docs/targets.md has the formulas.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_REPORT_COST_H
#define PARALLAX_REPORT_COST_H

#include "parallax/Config/Target.h"
#include "parallax/Report/Table.h"

namespace parallax {

/// What computes a layer. The time of the CPU is not estimated, only that of
/// the way to it and back.
enum class CostUnit { Mac, Vector, Cpu };

std::string_view nameOf(CostUnit unit);

struct LayerCost {
  std::string layer;
  /// As in the view of the machine: "npu.conv", "nn.transpose".
  std::string op;
  CostUnit unit = CostUnit::Vector;
  /// "ui8 x i8 -> ui8".
  std::string types;
  /// Of the first result.
  std::vector<int64_t> shape;
  int64_t macs = 0;
  /// Of operands that are no constants, of constants, and of results.
  int64_t inputBytes = 0, weightBytes = 0, outputBytes = 0;
  /// What of these goes through the memory outside of the chip.
  int64_t memoryBytes = 0;
  int64_t startCycle = 0, computeCycles = 0, memoryCycles = 0, cycles = 0;
  /// Of products: the part of what the cores could have done in `cycles`.
  double utilization = 0;
};

struct TotalCost {
  int64_t macs = 0, memoryBytes = 0, cycles = 0, cpuLayers = 0;
  double milliseconds = 0;
};

TotalCost totalOf(const std::vector<LayerCost> &costs, const Target &target);

/// "max_cycle = 450,182".
std::string maxCycleLine(const std::vector<LayerCost> &costs);

/// One line per layer, in the order of execution.
std::string opProfileCsv(const std::vector<LayerCost> &costs);

/// A timeline for chrome://tracing and its like: a row for each unit, and one
/// for the memory.
std::string traceJson(const std::vector<LayerCost> &costs,
                      const Target &target);

/// The `rows` costliest layers, and all of them together.
Table costTable(const std::vector<LayerCost> &costs, size_t rows = 10);

} // namespace parallax

#endif // PARALLAX_REPORT_COST_H
