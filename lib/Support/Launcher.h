//===- Launcher.h - What launchers say to processes ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A process learns from its environment that it is a rank of a job.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_SUPPORT_LAUNCHER_H
#define PARALLAX_LIB_SUPPORT_LAUNCHER_H

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>

namespace parallax::launcher {

/// How many processes there are: of Open MPI, of others that speak PMI, and of
/// srun.
inline constexpr std::array counts{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                   "SLURM_STEP_NUM_TASKS"};
/// One of these has to be there for processes to find each other.
inline constexpr std::array introductions{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK"};

inline bool saysAny(std::span<const char *const> names) {
  return std::ranges::any_of(
      names, [](const char *name) { return std::getenv(name); });
}

} // namespace parallax::launcher

#endif // PARALLAX_LIB_SUPPORT_LAUNCHER_H
