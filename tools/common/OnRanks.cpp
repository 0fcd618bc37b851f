//===- OnRanks.cpp - Subcommands for several processes --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Without a launcher nothing of this happens.
//===----------------------------------------------------------------------===//
#include "OnRanks.h"
#include "Subcommand.h"

#include "parallax/Case/Manifest.h"
#include "parallax/Support/RankJob.h"

#include <fmt/format.h>

namespace parallax {

int runOnRanks(CommonOptions &common, const std::function<int()> &body) {
  if (!isLaunchedWithOthers())
    return body();
  RankProcess process{
      fmt::format("{} (commit {})", PARALLAX_VERSION, thisTool().commit),
      common.threads, reportError};
  return runAsRank(process, [&](int threads) {
    common.threads = threads;
    return body();
  });
}

} // namespace parallax
