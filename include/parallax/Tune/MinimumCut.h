//===- MinimumCut.h - Yes or no for many items at least cost ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Whether each tensor becomes wide is one choice among exponentially many, but
// costs that concern one item, or two that differ, make the best of them a
// minimum cut of a graph, which is found exactly and quickly.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TUNE_MINIMUMCUT_H
#define PARALLAX_TUNE_MINIMUMCUT_H

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace parallax {

/// Yes or no for each of some items, so that the sum of all costs is least.
/// Costs must be 0 or positive, others throw Error; an infinite one forbids
/// what it is for. They become integers of one scale: what is below 2^-40 of
/// the largest finite cost may count as nothing.
class BinaryChoice {
public:
  /// A new item; returns its number, from 0 on.
  size_t add();

  /// Costs of the same case add up.
  void costIf(size_t item, bool yes, double cost);
  /// A cost of `a` being yes while `b` is no.
  void costIfYesAndNo(size_t a, size_t b, double cost);
  /// A yes for `a` makes `b` yes.
  void require(size_t a, size_t b);

  /// Of equal solutions the one with the fewest yes, which is unique. Where all
  /// is forbidden, it breaks as few rules as possible.
  std::vector<bool> solve() const;

  /// The sum of all costs, infinite if the choice is forbidden.
  double costOf(const std::vector<bool> &choice) const;

private:
  struct Item {
    double costOfYes = 0, costOfNo = 0;
  };

  std::vector<Item> items;
  /// By the item that is yes and the one that is no.
  std::map<std::pair<size_t, size_t>, double> pairs;
};

} // namespace parallax

#endif // PARALLAX_TUNE_MINIMUMCUT_H
