//===- MemoryPlan.cpp - Buffers into one arena by liveness ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Greedy by size: the largest buffers are placed first, each at the tightest
// gap between those that are alive at the same time. Simple, deterministic and
// close to the lower bound on real networks.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Core/Executable.h"

#include <algorithm>
#include <numeric>

namespace parallax {
namespace {

constexpr size_t alignment = 64;

size_t alignUp(size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

bool overlap(const BufferLifetime &a, const BufferLifetime &b) {
  return a.firstStep <= b.lastStep && b.firstStep <= a.lastStep;
}

size_t peakOf(std::span<const BufferLifetime> buffers) {
  size_t lastStep = 0;
  for (const BufferLifetime &buffer : buffers)
    lastStep = std::max(lastStep, buffer.lastStep);
  std::vector<int64_t> change(lastStep + 2, 0);
  for (const BufferLifetime &buffer : buffers) {
    change[buffer.firstStep] += int64_t(alignUp(buffer.bytes));
    change[buffer.lastStep + 1] -= int64_t(alignUp(buffer.bytes));
  }
  int64_t live = 0, peak = 0;
  for (int64_t delta : change)
    peak = std::max(peak, live += delta);
  return size_t(peak);
}

} // namespace

MemoryPlan planMemory(std::span<const BufferLifetime> buffers) {
  MemoryPlan plan;
  plan.offsets.assign(buffers.size(), 0);
  plan.peakLiveBytes = peakOf(buffers);

  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (buffers[a].bytes != buffers[b].bytes)
      return buffers[a].bytes > buffers[b].bytes;
    return a < b;
  });

  std::vector<size_t> placed; // by offset
  for (size_t id : order) {
    size_t bytes = alignUp(buffers[id].bytes);
    size_t end = 0; // of the neighbours seen so far
    size_t bestOffset = SIZE_MAX, bestGap = SIZE_MAX;
    for (size_t other : placed) {
      if (!overlap(buffers[id], buffers[other]))
        continue;
      size_t offset = plan.offsets[other];
      if (offset > end && offset - end >= bytes && offset - end < bestGap) {
        bestGap = offset - end;
        bestOffset = end;
      }
      end = std::max(end, offset + alignUp(buffers[other].bytes));
    }
    plan.offsets[id] = bestOffset == SIZE_MAX ? end : bestOffset;
    plan.arenaBytes = std::max(plan.arenaBytes, plan.offsets[id] + bytes);
    auto position = std::upper_bound(
        placed.begin(), placed.end(), id,
        [&](size_t a, size_t b) { return plan.offsets[a] < plan.offsets[b]; });
    placed.insert(position, id);
  }
  return plan;
}

} // namespace parallax
