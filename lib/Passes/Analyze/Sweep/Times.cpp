//===- Times.cpp - Where a float network spends its time ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Nobody watches layers here, so those are computed together that a run of the
// network computes together, and times are those of such a run.
//===----------------------------------------------------------------------===//
#include "Rows.h"

#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Support/Parallel.h"

#include "llvm/ADT/StringMap.h"

#include <algorithm>

namespace parallax::analyze {

/// Each costs as much as a sample of the analysis.
constexpr size_t timedRuns = 2;

std::vector<TimeRow> timesOf(mlir::func::FuncOp network,
                             const Samples &samples) {
  if (samples.count == 0)
    return {};
  // On a busy computer, two threads measure how long one waits for the other.
  ThreadCountScope threads(1);
  Executable executable = prepare(network, referenceKernels());
  ExecutionState state(executable);
  // The first run also pays for memory that was never touched.
  state.run(samples.load(0));
  state.enableProfile();
  size_t runs = std::min(samples.count, timedRuns);
  for (size_t i = 0; i < runs; ++i)
    state.run(samples.load(i));

  std::vector<TimeRow> rows;
  llvm::StringMap<size_t> places;
  double total = 0;
  for (size_t i = 0; i < executable.steps.size(); ++i) {
    const std::string &name = executable.steps[i].name;
    auto [place, isNew] = places.try_emplace(name, rows.size());
    if (isNew)
      rows.push_back({.name = name});
    TimeRow &row = rows[place->second];
    row.seconds += state.stepSeconds()[i];
    row.calls += int64_t(runs);
    total += state.stepSeconds()[i];
  }
  for (TimeRow &row : rows)
    row.share = total > 0 ? row.seconds / total : 0;
  std::ranges::sort(rows, std::ranges::greater(), &TimeRow::seconds);
  return rows;
}

} // namespace parallax::analyze
