//===- Dataset.h - The files of a calibration set --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Archives and folders look alike from here on: a sorted list of the files that
// have the right extension, and a folder to read them from.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DATA_DATASET_H
#define PARALLAX_DATA_DATASET_H

#include "parallax/Data/Archive.h"
#include "parallax/Data/Calibration.h"

namespace parallax {

/// What an archive of samples for these inputs may hold: files of a gibibyte,
/// or of twice the size of a sample if that is more.
ArchiveLimits archiveLimitsFor(std::span<const PortInfo> inputs);

class Dataset {
public:
  /// Lists the usable files of a source. Throws Error if there are none.
  Dataset(const CalibrationSource &source, ArchiveLimits limits);

  const std::vector<FileEntry> &files() const { return index.files; }
  /// What was left out although it is not a folder or hidden file, and why.
  const std::vector<std::string> &skipped() const { return index.skipped; }

  /// One file in memory.
  std::vector<std::byte> read(const std::string &file) const;

  /// The folder that holds `wanted`, which are paths of files(). An archive is
  /// unpacked to `target`, which it replaces once all files are there.
  std::filesystem::path provide(std::span<const std::string> wanted,
                                const std::filesystem::path &target) const;

private:
  void keepUsable(DataFormat format);

  std::filesystem::path path;
  ArchiveLimits limits;
  bool isFolder = false;
  FileIndex index;
};

/// A sample before it is read: its name, and for each input the path of its
/// file in the dataset of its source.
struct SampleFiles {
  std::string name;
  std::vector<std::string> files;
};

/// Pairs the files of all inputs by name, in the order of the bytes of the
/// names. `sourceOf` gives the source of each input. Throws Error if an input
/// lacks a partner for a file.
std::vector<SampleFiles> pairSamples(std::span<const PortInfo> inputs,
                                     std::span<const CalibrationSource> sources,
                                     std::span<const size_t> sourceOf,
                                     std::span<const Dataset> datasets);

/// How many of the `available` samples the sources ask for. Throws Error if
/// that makes no sense.
size_t wantedSamples(std::span<const CalibrationSource> sources,
                     std::span<const size_t> sourceOf, size_t available);

/// Indices of samples, in ascending order.
struct SampleChoice {
  std::vector<size_t> calibrated, heldOut;
};

/// Calibrates on the first `wanted` of the `available` samples. The rest is
/// held out; if that is too little to judge by, every fourth of the wanted ones
/// is held out as well, provided that there are enough of them.
SampleChoice chooseSamples(size_t available, size_t wanted,
                           const HoldOut &holdOut);

} // namespace parallax

#endif // PARALLAX_DATA_DATASET_H
