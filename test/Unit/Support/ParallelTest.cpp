//===- ParallelTest.cpp - The pool of threads for loops -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Ranges cover everything once, whoever else uses the pool, and an exception
// comes back to the caller.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Error.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace parallax;

namespace {

TEST(Parallel, RangesCoverEverythingOnce) {
  for (int threads : {1, 2, 3, 7}) {
    setThreadCount(threads);
    for (int64_t count : {0, 1, 2, 5, 1000}) {
      std::vector<std::atomic<int>> visits(static_cast<size_t>(count));
      parallelFor(count, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          ++visits[size_t(i)];
      });
      for (const std::atomic<int> &visit : visits)
        EXPECT_EQ(visit, 1);
    }
  }
}

TEST(Parallel, SmallWorkStaysOnOneThread) {
  setThreadCount(4);
  int calls = 0;
  parallelFor(100, 1000, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 100);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

TEST(Parallel, LoopsInsideOfLoopsStayOnTheirThread) {
  setThreadCount(4);
  std::atomic<int64_t> inner = 0;
  parallelFor(8, 1, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(threadCount(), 1);
    for (int64_t i = begin; i < end; ++i) {
      std::thread::id own = std::this_thread::get_id();
      parallelFor(100, 1, [&](int64_t first, int64_t last) {
        EXPECT_EQ(std::this_thread::get_id(), own);
        inner += last - first;
      });
    }
  });
  EXPECT_EQ(inner, 800);
  EXPECT_EQ(threadCount(), 4);
}

TEST(Parallel, CallersShareThePool) {
  std::vector<std::thread> callers;
  std::vector<int64_t> sums(6);
  for (int64_t &sum : sums)
    callers.emplace_back([&sum] {
      setThreadCount(3);
      for (int round = 0; round < 500; ++round) {
        std::atomic<int64_t> own = 0;
        parallelFor(50, 1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            own += i;
        });
        sum += own;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(sums, std::vector<int64_t>(6, 500 * 1225));
}

TEST(Parallel, TheExceptionOfTheLowestRangeIsThrown) {
  setThreadCount(4);
  for (int round = 0; round < 20; ++round) {
    try {
      parallelFor(4, 1, [](int64_t begin, int64_t) {
        throw Error("range " + std::to_string(begin));
      });
      FAIL();
    } catch (const Error &error) {
      EXPECT_STREQ(error.what(), "range 0");
    }
  }
}

} // namespace
