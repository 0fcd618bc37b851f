//===- RankJob.h - Joining the job of a launcher ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Several processes with one outcome: one message if something goes wrong, and
// an end within seconds, wherever the others are.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_RANKJOB_H
#define PARALLAX_SUPPORT_RANKJOB_H

#include <functional>
#include <string>
#include <string_view>

namespace parallax {

/// What a process brings into a job.
struct RankProcess {
  /// Version and commit of the tool.
  std::string version;
  /// 0 stands for its part of the cores that it may use.
  int threads = 0;
  /// Says what has gone wrong, at once.
  std::function<void(std::string_view message)> report;
};

/// Whether a launcher has started this process together with others.
bool isLaunchedWithOthers();

/// Joins the other processes that the launcher has started, and runs `body`
/// with the number of threads to use, while ranks() are theirs. All but the
/// first rank keep quiet. The first rank alone returns the exit code of the
/// job, 2 for what `body` throws; the others return 0. Reports what goes wrong.
int runAsRank(const RankProcess &process,
              const std::function<int(int threads)> &body);

} // namespace parallax

#endif // PARALLAX_SUPPORT_RANKJOB_H
