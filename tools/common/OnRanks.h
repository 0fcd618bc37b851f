//===- OnRanks.h - Subcommands for several processes -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// mpirun and srun start a subcommand several times.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_COMMON_ONRANKS_H
#define PARALLAX_TOOLS_COMMON_ONRANKS_H

#include "parallax/Support/CommonOptions.h"

#include <functional>

namespace parallax {

/// Runs `body`, together with the other processes if a launcher has started
/// some. Then `common` has the threads of this one.
int runOnRanks(CommonOptions &common, const std::function<int()> &body);

} // namespace parallax

#endif // PARALLAX_TOOLS_COMMON_ONRANKS_H
