//===- Rules.cpp - Rules that several messages share ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Checks that mean and std have one value per channel, and warns about a std
// that looks like a factor instead of a divisor.
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace parallax::config {

void checkNormalization(const ObjectScope &scope, const NamedNumbers &mean,
                        const NamedNumbers &deviation) {
  if (scope.hasErrors())
    return;
  if (!mean.values.empty() && !deviation.values.empty() &&
      mean.values.size() != deviation.values.size())
    scope.error(deviation.name,
                fmt::format("has {} values and {} has {}; both need one per "
                            "channel",
                            deviation.values.size(), mean.name,
                            mean.values.size()));
  // Pixels divided by less than this leave any range that networks are
  // trained on.
  constexpr double suspicious = 0.02;
  auto small = std::find_if(deviation.values.begin(), deviation.values.end(),
                            [](double value) { return value < suspicious; });
  if (small != deviation.values.end())
    scope.warning(deviation.name,
                  fmt::format("holds {}, but std is a divisor: did you mean "
                              "{}?",
                              *small, std::round(1 / *small)));
}

} // namespace parallax::config
