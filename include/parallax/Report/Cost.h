//===- Cost.h - What layers cost on a chip ---------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The forms that people and programs read the estimate in.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_REPORT_COST_H
#define PARALLAX_REPORT_COST_H

#include "parallax/Analysis/LayerCost.h"
#include "parallax/Report/Table.h"

namespace parallax {

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
