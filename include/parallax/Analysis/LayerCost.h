//===- LayerCost.h - What layers cost on a chip ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The estimate of each layer in plain numbers. docs/targets.md has the
// formulas.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_LAYERCOST_H
#define PARALLAX_ANALYSIS_LAYERCOST_H

#include "parallax/Config/Target.h"

namespace parallax {

/// What computes a layer.
enum class CostUnit { Mac, Vector, Cpu };

std::string_view nameOf(CostUnit unit);

struct LayerCost {
  std::string layer;
  /// As in the view npu: "npu.conv", "nn.transpose".
  std::string op;
  CostUnit unit = CostUnit::Vector;
  /// "ui8 x i8 -> ui8".
  std::string types;
  /// Of the first result.
  std::vector<int64_t> shape;
  int64_t macs = 0;
  /// Of operands that are not constants, of constants, and of results.
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

} // namespace parallax

#endif // PARALLAX_ANALYSIS_LAYERCOST_H
