//===- ConcurrentRuns.h - One executable, many callers ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// An executable is shared, what a run changes is not: as many states are made
// as runs go on at the same time, and used again.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_CORE_CONCURRENTRUNS_H
#define PARALLAX_BACKEND_CORE_CONCURRENTRUNS_H

#include "parallax/Backend/Core/Executable.h"
#include "parallax/Support/RunnableNetwork.h"

#include <mutex>

namespace parallax {

class ConcurrentRuns final : public RunnableNetwork {
public:
  /// The executable must outlive it. Every run uses so many threads.
  ConcurrentRuns(const Executable &executable, int threads);

  const std::vector<PortInfo> &inputs() const override {
    return executable.inputs;
  }
  const std::vector<PortInfo> &outputs() const override {
    return executable.outputs;
  }
  void run(std::span<const Tensor> inputs, const Consumer &consume) override {
    run(inputs, consume, nullptr);
  }
  void run(std::span<const Tensor> inputs, const Consumer &consume,
           Observer *observer);

private:
  class Lease;

  const Executable &executable;
  int threads;
  std::mutex mutex;
  std::vector<std::unique_ptr<ExecutionState>> idle;
};

} // namespace parallax

#endif // PARALLAX_BACKEND_CORE_CONCURRENTRUNS_H
