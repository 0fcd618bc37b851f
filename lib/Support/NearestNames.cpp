//===- NearestNames.cpp - Suggestions for a misspelled name ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Edit distance with an early end: a network has many thousand names, and
// nearly all of them are far from the one in question.
//===----------------------------------------------------------------------===//
#include "parallax/Support/NearestNames.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>
#include <utility>

namespace parallax {
namespace {

/// In either case: what differs in it alone is the same word.
bool isSameLetter(char a, char b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
  return lower(a) == lower(b);
}

/// Insertions, deletions and replacements of bytes that lead from one text to
/// the other; any number above `limit` if there are more than that.
size_t editDistance(std::string_view from, std::string_view to, size_t limit) {
  constexpr size_t longest = 1000; // Longer names were not typed by hand.
  size_t difference =
      std::max(from.size(), to.size()) - std::min(from.size(), to.size());
  if (difference > limit || from.size() > longest)
    return limit + 1;
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    size_t least = row[0];
    for (size_t j = 0; j < to.size(); ++j) {
      size_t replaced = diagonal + !isSameLetter(from[i], to[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
      least = std::min(least, row[j + 1]);
    }
    if (least > limit)
      return least;
  }
  return row.back();
}

} // namespace

std::vector<std::string> nearestNames(std::string_view name,
                                      std::span<const std::string> candidates,
                                      size_t count) {
  // With more than a third of its letters wrong it is another word. A short
  // word may have two wrong ones, if those are not more than half of it.
  size_t limit =
      std::max(name.size() / 3, std::min<size_t>(name.size() / 2, 2));
  std::vector<std::pair<size_t, const std::string *>> near;
  std::set<std::string_view> seen;
  for (const std::string &candidate : candidates) {
    size_t distance = editDistance(name, candidate, limit);
    if (distance > limit) {
      // Exporters put the path of a module before the name people know.
      bool isPart =
          (name.size() > 2 && candidate.find(name) != std::string::npos) ||
          (candidate.size() > 2 && name.find(candidate) != std::string::npos);
      if (!isPart)
        continue;
      distance = candidate.size();
    }
    if (seen.insert(candidate).second)
      near.emplace_back(distance, &candidate);
  }
  // Equally near ones by their place among the candidates.
  std::sort(near.begin(), near.end());
  near.resize(std::min(near.size(), count));
  std::vector<std::string> names;
  for (const auto &[distance, candidate] : near)
    names.push_back(*candidate);
  return names;
}

std::string didYouMean(std::string_view name,
                       std::span<const std::string> candidates) {
  std::vector<std::string> names = nearestNames(name, candidates);
  if (names.empty())
    return "";
  std::string text = fmt::format("; did you mean '{}'", names[0]);
  for (size_t i = 1; i < names.size(); ++i)
    text +=
        fmt::format("{}'{}'", i + 1 == names.size() ? " or " : ", ", names[i]);
  return text + "?";
}

} // namespace parallax
