//===- Parallel.cpp - The one thread pool ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// GNU OpenMP is entered through its stable binary interface: clang's own
// `#pragma omp` would bring a second runtime with a second pool.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Listener.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <latch>
#include <mutex>
#include <sched.h>
#include <thread>
#include <vector>

// The interface of libgomp.so.1 that compiled `#pragma omp parallel` uses.
extern "C" {
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags);
void omp_set_num_threads(int count);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
}

namespace parallax {

void setThreadCount(int count) { omp_set_num_threads(std::max(count, 1)); }

int threadCount() { return omp_get_max_threads(); }

void startThreads() {
  int wanted = threadCount() - 1;
  std::vector<std::thread> threads;
  threads.reserve(size_t(std::max(wanted, 0)));
  std::latch areStarted(1);
  bool isRefused = false;
  try {
    for (int i = 0; i < wanted; ++i)
      threads.emplace_back([&] { areStarted.wait(); });
  } catch (const std::exception &) {
    isRefused = true;
  }
  areStarted.count_down();
  for (std::thread &thread : threads)
    thread.join();
  if (isRefused)
    throw Error(fmt::format(
        "cannot start {} threads, for lack of memory or by a limit of the "
        "system; use fewer with --threads",
        wanted + 1));
  // What those took is free again, and the pool takes it at once.
  if (wanted > 0)
    GOMP_parallel([](void *) {}, nullptr, unsigned(wanted + 1), 0);
}

int hardwareThreads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0)
    return 1;
  return std::max(CPU_COUNT(&set), 1);
}

void parallelFor(int64_t count, int64_t grain,
                 const std::function<void(int64_t, int64_t)> &body) {
  int64_t useful = grain > 0 ? (count + grain - 1) / grain : count;
  int64_t threads = std::min<int64_t>(threadCount(), useful);
  if (threads <= 1) {
    if (count > 0)
      body(0, count);
    return;
  }
  struct Job {
    const std::function<void(int64_t, int64_t)> &body;
    int64_t count;
    Listener &listener;
    std::mutex mutex;
    int64_t failedBegin = INT64_MAX;
    std::exception_ptr error;
  } job{.body = body,
        .count = count,
        .listener = currentListener(),
        .mutex = {},
        .error = {}};
  GOMP_parallel(
      [](void *data) {
        auto &job = *static_cast<Job *>(data);
        int64_t thread = omp_get_thread_num(), threads = omp_get_num_threads();
        int64_t begin = job.count * thread / threads;
        int64_t end = job.count * (thread + 1) / threads;
        if (begin == end)
          return;
        ListenerScope scope(job.listener);
        // An exception must not leave a thread of the pool.
        try {
          job.body(begin, end);
        } catch (...) {
          std::lock_guard lock(job.mutex);
          if (begin < job.failedBegin) {
            job.failedBegin = begin;
            job.error = std::current_exception();
          }
        }
      },
      &job, unsigned(threads), 0);
  if (job.error)
    std::rethrow_exception(job.error);
}

} // namespace parallax
