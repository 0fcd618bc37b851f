//===- SampleRunner.cpp - Many samples through one network ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A pool of threads takes samples one by one; results are handed out in their
// order, however they finish.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Listener.h"
#include "parallax/Support/Parallel.h"

#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <system_error>
#include <thread>

namespace parallax {
namespace {

class Runner {
public:
  Runner(const Executable &executable, size_t count,
         const SampleCallbacks &callbacks)
      : executable(executable), count(count), callbacks(callbacks) {}

  /// One worker: takes the next sample until there is none.
  void work() {
    ExecutionState state(executable);
    for (;;) {
      size_t sample;
      {
        std::lock_guard lock(mutex);
        if (next == count || failed)
          return;
        sample = next++;
      }
      try {
        runOne(state, sample);
      } catch (...) {
        fail(sample, std::current_exception());
      }
    }
  }

  void rethrow() {
    if (error)
      std::rethrow_exception(error);
  }

  /// For errors before a sample was taken, such as a lack of memory.
  void fail(size_t sample, std::exception_ptr reason) {
    std::lock_guard lock(mutex);
    failed = true;
    if (sample < failedSample) {
      failedSample = sample;
      error = std::move(reason);
    }
    turnChanged.notify_all();
  }

private:
  void runOne(ExecutionState &state, size_t sample) {
    std::vector<Tensor> inputs = callbacks.load(sample);
    std::unique_ptr<Observer> observer =
        callbacks.observe ? callbacks.observe(sample) : nullptr;
    std::span<const Tensor> outputs = state.run(inputs, observer.get());
    if (!callbacks.inOrder)
      return callbacks.consume(sample, outputs);
    std::unique_lock lock(mutex);
    turnChanged.wait(lock,
                     [&] { return turn == sample || sample > failedSample; });
    if (turn != sample)
      return;
    lock.unlock();
    callbacks.consume(sample, outputs);
    lock.lock();
    ++turn;
    turnChanged.notify_all();
  }

  const Executable &executable;
  const size_t count;
  const SampleCallbacks &callbacks;
  std::mutex mutex;
  std::condition_variable turnChanged;
  size_t next = 0, turn = 0;
  bool failed = false;
  size_t failedSample = SIZE_MAX;
  std::exception_ptr error;
};

} // namespace

void runSamples(const Executable &executable, size_t count, int threads,
                const SampleCallbacks &callbacks) {
  Runner runner(executable, count, callbacks);
  size_t workers = std::min<size_t>(size_t(std::max(threads, 1)), count);
  if (workers <= 1) {
    setThreadCount(threads);
    if (count > 0)
      runner.work();
    runner.rethrow();
    return;
  }
  Listener &listener = currentListener();
  // Joined however this function ends.
  std::vector<std::jthread> pool;
  try {
    for (size_t i = 0; i < workers; ++i)
      pool.emplace_back([&] {
        setThreadCount(1);
        ListenerScope scope(listener);
        try {
          runner.work();
        } catch (...) {
          runner.fail(0, std::current_exception());
        }
      });
  } catch (const std::system_error &) {
    runner.fail(0, std::make_exception_ptr(Error(fmt::format(
                       "cannot start {} threads, for lack of memory or by a "
                       "limit of the system; use fewer with --threads",
                       workers))));
  }
  pool.clear();
  runner.rethrow();
}

} // namespace parallax
