//===- MemoryPlan.cpp - Buffers into one arena by liveness ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Greedy by size: the largest buffers are placed first, each at the tightest
// gap between those that are alive at the same time. Simple, deterministic and
// close to the lower bound on real networks. It compares each buffer with all
// others, so networks of very many layers are planned in the order of their
// steps instead, as an allocator would do it.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Core/Executable.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

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

/// Comparing all pairs of so many takes a few tenths of a second.
constexpr size_t mostCompared = 16384;

/// The parts of the arena that nobody uses, none beside another one.
class FreeParts {
public:
  /// The offset of the tightest part that holds so many bytes, or of new bytes
  /// at the end of the arena.
  size_t take(size_t bytes) {
    auto fit = bySize.lower_bound({bytes, 0});
    if (fit != bySize.end()) {
      auto [size, offset] = *fit;
      remove(offset, size);
      if (size > bytes)
        insert(offset + bytes, size - bytes);
      return offset;
    }
    size_t offset = arenaBytes;
    // The last part grows.
    if (!byOffset.empty()) {
      auto [last, size] = *byOffset.rbegin();
      if (last + size == arenaBytes) {
        offset = last;
        remove(last, size);
      }
    }
    arenaBytes = offset + bytes;
    return offset;
  }

  void giveBack(size_t offset, size_t bytes) {
    auto next = byOffset.lower_bound(offset);
    if (next != byOffset.end() && next->first == offset + bytes) {
      auto [begin, size] = *next;
      bytes += size;
      remove(begin, size);
    }
    auto previous = byOffset.lower_bound(offset);
    if (previous != byOffset.begin()) {
      auto [begin, size] = *--previous;
      if (begin + size == offset) {
        remove(begin, size);
        offset = begin;
        bytes += size;
      }
    }
    insert(offset, bytes);
  }

  size_t arenaBytes = 0;

private:
  void insert(size_t offset, size_t size) {
    byOffset[offset] = size;
    bySize.insert({size, offset});
  }
  void remove(size_t offset, size_t size) {
    byOffset.erase(offset);
    bySize.erase({size, offset});
  }

  std::map<size_t, size_t> byOffset;
  std::set<std::pair<size_t, size_t>> bySize;
};

/// Step by step: what has ended is given back, and the largest of those that
/// begin comes first.
void planBySteps(std::span<const BufferLifetime> buffers, MemoryPlan &plan) {
  std::vector<size_t> begins(buffers.size());
  std::iota(begins.begin(), begins.end(), size_t(0));
  std::vector<size_t> ends = begins;
  std::ranges::sort(begins, {}, [&](size_t id) {
    return std::tuple(buffers[id].firstStep, ~buffers[id].bytes, id);
  });
  std::ranges::sort(
      ends, {}, [&](size_t id) { return std::pair(buffers[id].lastStep, id); });
  FreeParts parts;
  auto ended = ends.begin();
  for (size_t id : begins) {
    for (; buffers[*ended].lastStep < buffers[id].firstStep; ++ended)
      if (size_t bytes = alignUp(buffers[*ended].bytes))
        parts.giveBack(plan.offsets[*ended], bytes);
    if (size_t bytes = alignUp(buffers[id].bytes))
      plan.offsets[id] = parts.take(bytes);
  }
  plan.arenaBytes = parts.arenaBytes;
}

} // namespace

MemoryPlan planMemory(std::span<const BufferLifetime> buffers) {
  MemoryPlan plan;
  plan.offsets.assign(buffers.size(), 0);
  plan.peakLiveBytes = peakOf(buffers);
  if (buffers.size() > mostCompared) {
    planBySteps(buffers, plan);
    return plan;
  }

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
