//===- Parallel.cpp - The pool of threads for loops -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A loop is cut into ranges, and whoever is free takes the next one. Nobody
// waits for a thread that has not come: where other programs use the cores, the
// caller computes the whole loop itself. A team that is divided in advance, as
// OpenMP's, waits for a core in each of a network's hundreds of loops.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Listener.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <latch>
#include <mutex>
#include <sched.h>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// The interface of libgomp.so.1, on whose threads oneDNN runs.
extern "C" {
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags);
void omp_set_num_threads(int count);
int omp_get_max_threads(void);
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

bool canStartThreads(int count) {
  std::vector<std::thread> threads;
  threads.reserve(size_t(std::max(count, 0)));
  std::latch areStarted(1);
  bool isRefused = false;
  try {
    for (int i = 0; i < count; ++i)
      threads.emplace_back([&] { areStarted.wait(); });
  } catch (const std::exception &) {
    isRefused = true;
  }
  areStarted.count_down();
  for (std::thread &thread : threads)
    thread.join();
  return !isRefused;
}

void startWithPatience() {
  constexpr const char *policy = "OMP_WAIT_POLICY", *turns = "GOMP_SPINCOUNT",
                       *isSet = "PARALLAX_PATIENCE";
  if (std::getenv(isSet)) {
    // Children may be programs that wait in another way.
    for (const char *name : {policy, turns, isSet})
      unsetenv(name);
    return;
  }
  if (threadCount() < 2 || std::getenv(policy) || std::getenv(turns))
    return;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');)
    arguments.push_back(argument);
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  if (arguments.empty())
    return;
  // Some microseconds. Beside other programs, more would cost more than it
  // gives: docs/rationale/two-pools.md.
  setenv(turns, "500", /*overwrite=*/1);
  setenv(policy, "active", 1);
  setenv(isSet, "1", 1);
  // Under its own name, which is what others see of it.
  std::error_code unknown;
  std::string program =
      std::filesystem::read_symlink("/proc/self/exe", unknown).string();
  execv(program.c_str(), pointers.data());
  for (const char *name : {policy, turns, isSet})
    unsetenv(name);
}

void startThreads() {
  int wanted = threadCount() - 1;
  if (!canStartThreads(wanted))
    throw Error(fmt::format(
        "cannot start {} threads, for lack of memory or by a limit of the "
        "system; use fewer with --threads",
        wanted + 1));
  // What those took is free again, and libgomp takes it at once.
  if (wanted > 0)
    GOMP_parallel([](void *) {}, nullptr, unsigned(wanted + 1), 0);
}

namespace {

/// Each range is some work more, and the last ones are waited for.
constexpr int64_t rangesPerThread = 4;
/// Between the loops of a network there is less time than this. Who waits
/// longer sleeps, which costs about as much again.
constexpr std::chrono::microseconds patience(50);

/// A loop that lives in its caller. Other threads are in it only while they
/// count as helpers.
struct Loop {
  const std::function<void(int64_t, int64_t)> &body;
  int64_t count, ranges;
  int64_t wantedHelpers;
  Listener &listener;
  std::atomic<int64_t> nextRange = 0;
  std::atomic<int64_t> helpers = 0;
  std::mutex mutex;
  int64_t failedRange = INT64_MAX;
  std::exception_ptr error;

  bool isTaken() const { return nextRange >= ranges; }

  void work() {
    for (int64_t range; (range = nextRange++) < ranges;)
      // An exception must not leave a thread of the pool.
      try {
        body(count * range / ranges, count * (range + 1) / ranges);
      } catch (...) {
        std::lock_guard lock(mutex);
        if (range < failedRange) {
          failedRange = range;
          error = std::current_exception();
        }
      }
  }
};

/// Whether a thread computes a part of a loop; loops inside are its own.
thread_local bool isInside = false;

class Pool {
public:
  /// Never destroyed: its threads sleep on it until the program ends.
  static Pool &get() {
    static Pool &pool = *new Pool;
    return pool;
  }

  void run(Loop &loop) {
    bool wantsAll;
    {
      std::lock_guard lock(mutex);
      grow(loop.wantedHelpers);
      wantsAll = loop.wantedHelpers >= threads;
      open.push_back(&loop);
    }
    ++published;
    if (wantsAll)
      published.notify_all();
    else
      for (int64_t i = 0; i < loop.wantedHelpers; ++i)
        published.notify_one();
    {
      ThreadCountScope one(1);
      isInside = true;
      loop.work();
      isInside = false;
    }
    {
      std::lock_guard lock(mutex);
      std::erase(open, &loop);
    }
    for (uint32_t seen; seen = left, loop.helpers > 0;)
      await(left, seen);
  }

private:
  /// A thread that the system refuses is one that nobody waits for.
  void grow(int64_t wanted) {
    try {
      for (; threads < wanted; ++threads)
        std::thread([this] { help(); }).detach();
    } catch (const std::system_error &) {
    }
  }

  /// The body of a thread of the pool.
  [[noreturn]] void help() {
    isInside = true;
    setThreadCount(1);
    for (;;) {
      uint32_t seen = published;
      Loop *loop = join();
      if (!loop) {
        await(published, seen);
        continue;
      }
      {
        ListenerScope scope(loop->listener);
        loop->work();
      }
      // The loop may be gone at once; those who wait look at the pool.
      --loop->helpers;
      ++left;
      left.notify_all();
    }
  }

  Loop *join() {
    std::lock_guard lock(mutex);
    for (Loop *loop : open)
      if (!loop->isTaken() && loop->helpers < loop->wantedHelpers) {
        ++loop->helpers;
        return loop;
      }
    return nullptr;
  }

  /// Until the counter is no more as it was seen.
  void await(const std::atomic<uint32_t> &counter, uint32_t seen) const {
    if (spins) {
      const auto until = std::chrono::steady_clock::now() + patience;
      do
        for (int i = 0; i < 16; ++i) {
          if (counter != seen)
            return;
#if defined(__x86_64__)
          _mm_pause();
#endif
        }
      while (std::chrono::steady_clock::now() < until);
    }
    counter.wait(seen);
  }

  /// On a single core, whoever is waited for can't do anything meanwhile.
  const bool spins = hardwareThreads() > 1;
  std::mutex mutex;
  std::vector<Loop *> open;
  int64_t threads = 0;
  /// How many loops there were, and how many times a helper left one.
  std::atomic<uint32_t> published = 0, left = 0;
};

} // namespace

void parallelFor(int64_t count, int64_t grain,
                 const std::function<void(int64_t, int64_t)> &body) {
  int64_t useful = grain > 0 ? (count + grain - 1) / grain : count;
  int64_t threads = std::min<int64_t>(threadCount(), useful);
  if (threads <= 1 || isInside) {
    if (count > 0)
      body(0, count);
    return;
  }
  Loop loop{.body = body,
            .count = count,
            .ranges = std::min(useful, threads * rangesPerThread),
            .wantedHelpers = threads - 1,
            .listener = currentListener(),
            .mutex = {},
            .error = {}};
  Pool::get().run(loop);
  if (loop.error)
    std::rethrow_exception(loop.error);
}

} // namespace parallax
