//===- NearestNames.cpp - Suggestions for a misspelled name ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A network has many thousand names, and nearly all of them are far from the
// one in question: the search for each of them ends early.
//===----------------------------------------------------------------------===//
#include "parallax/Support/NearestNames.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace parallax {

/// No name that somebody has typed is longer.
static constexpr size_t longestName = 1000;

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
    // In either case: what differs in it alone is the same word.
    size_t distance =
        name.size() > longestName
            ? limit + 1
            : llvm::StringRef(name).edit_distance_insensitive(
                  candidate, /*AllowReplacements=*/true, unsigned(limit));
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
