//===- ParallelTest.cpp - The one thread pool -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Ranges cover everything once, and an exception comes back to the caller.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Error.h"

#include <atomic>
#include <gtest/gtest.h>
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
