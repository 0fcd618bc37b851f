//===- OutputFolder.h - One writer at a time, and whole --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Files of two builds in one folder would be read as those of one. So whatever
// writes results locks the folder. A build removes what earlier builds have
// left, and in the end lists what belongs together in a manifest. A folder
// without one is not complete.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_OUTPUTFOLDER_H
#define PARALLAX_PIPELINE_OUTPUTFOLDER_H

#include "parallax/Config/BuildConfig.h"
#include "parallax/Pipeline/OutputFiles.h"

#include <span>
#include <vector>

namespace parallax {

/// The output folder of a build, an evaluation or a tuning, as long
/// as that runs.
class OutputFolder {
public:
  /// Creates and locks it. Throws Error that names the process that has it.
  explicit OutputFolder(const std::filesystem::path &folder);
  OutputFolder(const OutputFolder &) = delete;
  OutputFolder &operator=(const OutputFolder &) = delete;
  /// Removes the folder if it is new and nothing was written to it.
  ~OutputFolder();

  /// Removes the results of earlier builds from a phase on, the manifest first.
  /// What the configuration or `configFile` reads stays, and so does every file
  /// that is not known as a result.
  void clear(const BuildConfig &config, const std::string &configFile,
             std::string_view firstPhase);

  /// Writes the manifest: the digests of all results that are there now.
  void finish(const BuildConfig &config,
              std::span<const std::string_view> phases) const;

private:
  std::filesystem::path folder;
  OutputFiles files;
  bool isNew = false;
  int lock = -1;
};

/// Whether a folder holds results of a build that has finished.
bool isCompleteBuild(const std::filesystem::path &folder);

/// Throws Error if `file` is a result in the output folder of a build that has
/// not finished, or not the one that its build has written. Other files pass.
void checkResult(const std::filesystem::path &file);

/// Of paths without links.
bool isWithin(const std::filesystem::path &path,
              const std::filesystem::path &folder);

/// Throws Error if a command writes to a folder that is to be read.
void requireNoWriter(const std::filesystem::path &folder);

} // namespace parallax

#endif // PARALLAX_PIPELINE_OUTPUTFOLDER_H
