//===- TaskMetrics.h - The metrics of each task ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One table, which the configuration is checked with and the tasks are scored
// by.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CONFIG_TASKMETRICS_H
#define PARALLAX_CONFIG_TASKMETRICS_H

#include "parallax/Config/Enums.h"

#include <string_view>
#include <vector>

namespace parallax {

struct MetricInfo {
  /// As configurations and files call it: "map50_95".
  std::string_view name;
  /// As people call it: "mAP50-95".
  std::string_view title;
  bool higherIsBetter = true;
};

/// The metrics of a task, the one that decides by default first. Those of
/// Custom are the user's: there is none.
std::span<const MetricInfo> metricsOf(EvaluationTask task);

/// The metrics of an embedding whose labels are classes.
std::span<const MetricInfo> retrievalMetrics();

} // namespace parallax

#endif // PARALLAX_CONFIG_TASKMETRICS_H
