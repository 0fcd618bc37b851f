//===- Reducer.h - How a case is made small --------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The state of a reduction, and its steps. Each of them only goes on from
// candidates that still show the problem.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_CASE_REDUCER_H
#define PARALLAX_LIB_CASE_REDUCER_H

#include "Trials.h"
#include "parallax/Case/ReduceCase.h"
#include "parallax/Pipeline/Phases.h"
#include "parallax/Support/Clock.h"

#include <functional>

namespace parallax {

/// "1 layer", "2 layers".
std::string counted(size_t count, std::string_view what);

class Reducer {
public:
  Reducer(const ReduceRequest &request, std::filesystem::path work)
      : request(request), work(std::move(work)),
        trials(this->work / "trials", {}) {}

  ReduceResult run();

private:
  // ReduceCase.cpp: from the case, and back to one.
  void start();
  void load();
  void pack(ReduceResult &result);
  /// Goes on from a candidate if it shows the problem.
  bool accept(Candidate candidate, const std::string &step);
  Candidate copy();

  // ReduceSteps.cpp.
  void takeOneSample();
  bool cutAround();
  void removeLayers();
  void shrinkTensors();
  void simplifyValues();
  void concealValues();
  void concealNames();
  bool replace(const std::string &what,
               const std::function<bool(Candidate &)> &change);
  Candidate withLayers(const std::vector<Operation *> &layers);
  std::vector<Operation *> around(size_t distance);

  bool hasTime() const { return secondsSince(begin) < request.maxSeconds; }
  const PrecisionRow *badRow() const {
    return report ? rowOf(*report, predicate.layer) : nullptr;
  }

  const ReduceRequest &request;
  std::filesystem::path work;
  Trials trials;
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
  /// The case as it came, and what its build found.
  BuildConfig original;
  std::optional<PrecisionReport> report;
  Predicate predicate;
  BuildState state;
  /// The whole network, which borders are computed with.
  mlir::func::FuncOp whole;
  std::vector<Sample> wholeSamples;
  Candidate current;
  std::vector<std::string> steps, replaced, kept;
};

} // namespace parallax

#endif // PARALLAX_LIB_CASE_REDUCER_H
