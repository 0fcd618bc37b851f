//===- MemoryPlanTest.cpp - Buffers into one arena ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Buffers that are alive together must not overlap, and the arena stays close
// to the lower bound.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Core/Executable.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace parallax;

namespace {

bool aliveTogether(const BufferLifetime &a, const BufferLifetime &b) {
  return a.firstStep <= b.lastStep && b.firstStep <= a.lastStep;
}

void expectDisjoint(const std::vector<BufferLifetime> &buffers,
                    const MemoryPlan &plan) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % 64, 0u);
    EXPECT_LE(plan.offsets[i] + buffers[i].bytes, plan.arenaBytes);
    for (size_t j = 0; j < i; ++j)
      if (aliveTogether(buffers[i], buffers[j])) {
        bool isApart = plan.offsets[i] + buffers[i].bytes <= plan.offsets[j] ||
                       plan.offsets[j] + buffers[j].bytes <= plan.offsets[i];
        EXPECT_TRUE(isApart) << i << " and " << j;
      }
  }
}

TEST(MemoryPlan, ChainNeedsTwoBuffers) {
  std::vector<BufferLifetime> buffers;
  for (size_t i = 0; i < 100; ++i)
    buffers.push_back({1024, i, i + 1});
  MemoryPlan plan = planMemory(buffers);
  expectDisjoint(buffers, plan);
  EXPECT_EQ(plan.arenaBytes, 2048u);
  EXPECT_EQ(plan.peakLiveBytes, 2048u);
}

TEST(MemoryPlan, RandomLifetimesStayDisjointAndTight) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<BufferLifetime> buffers;
    for (size_t i = 0; i < 200; ++i) {
      size_t first = random() % 150;
      buffers.push_back({64 + random() % 100000, first, first + random() % 8});
    }
    MemoryPlan plan = planMemory(buffers);
    expectDisjoint(buffers, plan);
    EXPECT_GE(plan.arenaBytes, plan.peakLiveBytes);
    EXPECT_LE(double(plan.arenaBytes), 1.3 * double(plan.peakLiveBytes));
  }
}

// So many buffers that comparing all of them would take long.
TEST(MemoryPlan, ManyBuffersStayDisjointAndTight) {
  std::mt19937 random(9);
  std::vector<BufferLifetime> buffers;
  constexpr size_t count = 40000;
  for (size_t i = 0; i < count; ++i) {
    // A network, and what goes back through it.
    buffers.push_back({64 + random() % 1000, i, i + 1 + random() % 4});
    if (i % 4 == 0)
      buffers.push_back({64 + random() % 1000, i, 2 * count - i});
    buffers.push_back({random() % 3 * 64, count + i, count + i + 1});
  }
  MemoryPlan plan = planMemory(buffers);
  EXPECT_GE(plan.arenaBytes, plan.peakLiveBytes);
  EXPECT_LE(double(plan.arenaBytes), 1.1 * double(plan.peakLiveBytes));
  // Along the steps, what is alive lies between its neighbours.
  std::vector<std::pair<size_t, size_t>> events;
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % 64, 0u);
    EXPECT_LE(plan.offsets[i] + buffers[i].bytes, plan.arenaBytes);
    events.push_back({2 * buffers[i].firstStep, i});
    events.push_back({2 * buffers[i].lastStep + 1, i});
  }
  std::ranges::sort(events);
  std::map<size_t, size_t> ends; // of what is alive, by offset
  for (auto [time, i] : events) {
    size_t offset = plan.offsets[i], end = offset + buffers[i].bytes;
    if (buffers[i].bytes == 0)
      continue;
    if (time % 2 == 1) {
      ends.erase(offset);
      continue;
    }
    auto next = ends.lower_bound(offset);
    if (next != ends.end())
      ASSERT_LE(end, next->first) << i;
    if (next != ends.begin())
      ASSERT_LE(std::prev(next)->second, offset) << i;
    ends[offset] = end;
  }
}

/// What a plan takes of a processor, as the least of some tries: others may use
/// the same caches.
double workOfPlan(size_t count) {
  std::vector<BufferLifetime> buffers;
  for (size_t i = 0; i < count; ++i)
    buffers.push_back({64 + i * 7919 % 1000, i, i + 1 + i % 4});
  auto now = [] {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
  };
  double least = INFINITY;
  for (int round = 0; round < 3; ++round) {
    double begin = now();
    planMemory(buffers);
    least = std::min(least, now() - begin);
  }
  return least;
}

// To compare all buffers would take sixteen times the work.
TEST(MemoryPlan, WorkGrowsWithTheBuffers) {
  EXPECT_LT(workOfPlan(80000), 8 * workOfPlan(20000));
}

} // namespace
