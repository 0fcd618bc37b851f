//===- ConcurrentRuns.cpp - One executable, many callers ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A state that a failed run has left is not used again.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Core/ConcurrentRuns.h"

#include "parallax/Support/Parallel.h"

namespace parallax {

/// A state for the time of one run.
class ConcurrentRuns::Lease {
public:
  explicit Lease(ConcurrentRuns &runs) : runs(runs) {
    {
      std::lock_guard lock(runs.mutex);
      if (!runs.idle.empty()) {
        state = std::move(runs.idle.back());
        runs.idle.pop_back();
      }
    }
    if (!state)
      state = std::make_unique<ExecutionState>(runs.executable);
  }

  ExecutionState *operator->() const { return state.get(); }

  void giveBack() {
    std::lock_guard lock(runs.mutex);
    runs.idle.push_back(std::move(state));
  }

private:
  ConcurrentRuns &runs;
  std::unique_ptr<ExecutionState> state;
};

ConcurrentRuns::ConcurrentRuns(const Executable &executable, int threads)
    : executable(executable),
      threads(threads > 0 ? threads : hardwareThreads()) {}

void ConcurrentRuns::run(std::span<const Tensor> inputs,
                         const Consumer &consume, Observer *observer) {
  ThreadCountScope scope(threads);
  Lease state(*this);
  consume(state->run(inputs, observer));
  state.giveBack();
}

} // namespace parallax
