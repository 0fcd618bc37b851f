//===- FilePairs.h - Which files are compared with which -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Finds the tensors of two files or folders that belong together and reads
// them. A tensor without a partner is kept: its absence is a finding.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_FILEPAIRS_H
#define PARALLAX_ANALYSIS_FILEPAIRS_H

#include "parallax/Support/Tensor.h"

#include <filesystem>

namespace parallax {

/// An empty path stands for a file that is missing on its side.
struct FilePair {
  std::string name;
  std::filesystem::path a, b;
};

/// Pairs two files, or the .npy and .bin files of two folders by their names
/// relative to the folder. Files of equal extension belong together first;
/// then a .npy file and a .bin file may. In the order of the names.
std::vector<FilePair> pairFiles(const std::filesystem::path &a,
                                const std::filesystem::path &b);

bool isRawFile(const std::filesystem::path &path);

/// What the user said about .bin files.
struct RawFormat {
  std::optional<DType> dtype;
  std::optional<Shape> shape;
};

struct TensorPair {
  Tensor a, b;
};

/// Reads a complete pair. A .bin file takes what `format` leaves open from the
/// .npy file at its side; without a shape it is flat.
TensorPair readPair(const FilePair &pair, const RawFormat &format);

} // namespace parallax

#endif // PARALLAX_ANALYSIS_FILEPAIRS_H
