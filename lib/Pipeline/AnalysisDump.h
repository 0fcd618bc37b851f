//===- AnalysisDump.h - The tensors behind the tables ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Whoever doubts a number can compute it again: all tensors that were compared
// are written as .npy files, those of the float network and those of every
// table under the same names, so that two folders can be compared file by file.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PIPELINE_ANALYSISDUMP_H
#define PARALLAX_LIB_PIPELINE_ANALYSISDUMP_H

#include "parallax/Passes/Analyze/Analyze.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <set>

namespace parallax {

/// All files and folders of a dump, whether they exist or not.
std::vector<std::filesystem::path>
dumpPaths(const std::filesystem::path &folder);

class AnalysisDump {
public:
  /// Removes an earlier dump in `folder`. Writes nothing if the disk has not
  /// room for all tensors of `network` in so many samples and comparisons.
  AnalysisDump(std::filesystem::path folder, mlir::func::FuncOp network,
               const std::vector<Comparison> &comparisons, size_t samples);

  /// Writes <folder>/<table>/<sample>/<tensor>.npy; from any thread. Throws
  /// nothing: an analysis is worth more than its dump.
  void write(const ComparedValues &compared);

  /// Writes index.json, which says what is where. If something could not be
  /// written, warns and removes the dump.
  void finish();

private:
  void writeIndex() const;
  /// Remembers the first problem.
  void stop(std::string reason);

  std::filesystem::path folder;
  std::vector<Comparison> comparisons;
  size_t samples;
  /// In the order of the network.
  std::vector<std::string> tensors, files;
  std::map<std::string, size_t> numbers;
  std::mutex mutex;
  /// By tensor: the tables that have it.
  std::vector<std::set<std::string>> tables;
  /// Why there is no dump.
  std::string problem;
};

} // namespace parallax

#endif // PARALLAX_LIB_PIPELINE_ANALYSISDUMP_H
