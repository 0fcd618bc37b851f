//===- Parallel.cpp - The one thread pool ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// GNU OpenMP is entered through its stable binary interface: clang's own
// `#pragma omp` would bring a second runtime with a second pool.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Listener.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <sched.h>

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
