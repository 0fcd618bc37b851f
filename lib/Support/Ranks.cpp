//===- Ranks.cpp - The processes that share the work of one job -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A process by itself is a job of one rank. RankJob.cpp has jobs of several.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Ranks.h"

#include <fmt/format.h>
#include <utility>

namespace parallax {
namespace {

class SingleRank final : public Ranks {
public:
  void exchange(std::string_view, std::string_view bytes,
                const Take &take) override {
    take(0, bytes);
  }
  void requireSame(std::string_view, std::string_view) override {}
};

SingleRank &single() {
  static SingleRank rank;
  return rank;
}

/// Of the whole process: kernels on other threads ask nothing of ranks.
Ranks *current = nullptr;

} // namespace

Ranks::~Ranks() = default;

Ranks &ranks() { return current ? *current : single(); }

std::string Ranks::fromFirst(std::string_view step,
                             const std::function<std::string()> &make) {
  std::string text = isFirst() ? make() : "", result;
  exchange(step, text, [&](int rank, std::string_view bytes) {
    if (rank == 0)
      result = bytes;
  });
  return result;
}

void Ranks::requireSameFailure(std::string_view reason) {
  if (areSeveral())
    exchange(fmt::format("a failure: {}", reason), "",
             [](int, std::string_view) {});
}

RanksScope::RanksScope(Ranks &ranks) : outer(std::exchange(current, &ranks)) {}

RanksScope::~RanksScope() { current = outer; }

AloneScope::AloneScope() : scope(single()) {}

} // namespace parallax
