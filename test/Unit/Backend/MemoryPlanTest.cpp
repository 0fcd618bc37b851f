//===- MemoryPlanTest.cpp - Buffers into one arena ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Buffers that are alive together must not overlap, and the arena stays close
// to the lower bound.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Core/Executable.h"

#include <gtest/gtest.h>
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

} // namespace
