//===- Parallel.h - The pool of threads for loops --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Work is split into contiguous ranges whose bounds depend on the number of
// threads; a kernel must therefore compute each element independently of the
// range that it falls into, and then gives the same bits with any number of
// threads. oneDNN has threads of its own, of GNU OpenMP.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_PARALLEL_H
#define PARALLAX_SUPPORT_PARALLEL_H

#include <cstdint>
#include <functional>

namespace parallax {

/// Sets how many threads the parallel loops of the calling thread use, here
/// and inside oneDNN.
void setThreadCount(int count);
int threadCount();

/// Starts that many threads for oneDNN. OpenMP would end the program where the
/// system refuses one; this throws Error.
void startThreads();

/// Threads of OpenMP either sleep as soon as they wait, which costs networks of
/// a few milliseconds more than a second thread gives, or spin for longer than
/// anybody would like. What lies between, only the environment can ask for, and
/// libgomp reads it before main(). So this starts the program once more, unless
/// somebody has chosen already, there is one thread, or it has done so before.
void startWithPatience();

/// Whether the system grants so many threads beside those that there are.
bool canStartThreads(int count);

/// Sets the number for as long as it exists.
class ThreadCountScope {
public:
  explicit ThreadCountScope(int count) : outer(threadCount()) {
    setThreadCount(count);
  }
  ~ThreadCountScope() { setThreadCount(outer); }
  ThreadCountScope(const ThreadCountScope &) = delete;
  ThreadCountScope &operator=(const ThreadCountScope &) = delete;

private:
  int outer;
};

/// The number of cores that this process may use.
int hardwareThreads();

/// Calls `body(begin, end)` on disjoint ranges that cover [0, count), on as
/// many threads as pay off when one range holds at least `grain` items. Inside
/// of a body, another loop runs on its thread alone. Of the exceptions that
/// bodies throw, that of the lowest range is thrown again.
void parallelFor(int64_t count, int64_t grain,
                 const std::function<void(int64_t, int64_t)> &body);

} // namespace parallax

#endif // PARALLAX_SUPPORT_PARALLEL_H
