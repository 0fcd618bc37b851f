//===- RankFolder.h - Where a rank writes ----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// All ranks of a job do the same steps, and what a step writes, a later one may
// read. Only the first rank writes to the folder of the user; each other has
// one of its own, on the disk of its machine, which goes with the rank.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_RANKFOLDER_H
#define PARALLAX_PIPELINE_RANKFOLDER_H

#include "parallax/Config/BuildConfig.h"

#include <filesystem>

namespace parallax {

class RankFolder {
public:
  /// Compares the configurations of all ranks, then lets `config` write to the
  /// folder of this one. Throws RankFailure if they differ.
  explicit RankFolder(BuildConfig &config);
  RankFolder(const RankFolder &) = delete;
  RankFolder &operator=(const RankFolder &) = delete;
  ~RankFolder();

  /// Copies what an earlier build has left in the folder of the user.
  void bring(const std::filesystem::path &file) const;

private:
  std::filesystem::path original, own;
};

/// Throws RankFailure if ranks have other configurations. Where they write does
/// not count.
void requireSameConfig(BuildConfig config);

} // namespace parallax

#endif // PARALLAX_PIPELINE_RANKFOLDER_H
