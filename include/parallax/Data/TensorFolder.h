//===- TensorFolder.h - Inputs and outputs as files ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One case is a folder with a file per tensor, named after it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DATA_TENSORFOLDER_H
#define PARALLAX_DATA_TENSORFOLDER_H

#include "parallax/Support/PortInfo.h"

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace parallax {

/// Reads `<name>.npy`, or else `<name>.bin`, for every port. Throws Error if a
/// file is missing or does not fit.
std::vector<Tensor> readFolder(const std::filesystem::path &folder,
                               std::span<const PortInfo> ports);

/// The same for one port.
Tensor readPort(const std::filesystem::path &folder, const PortInfo &port,
                const std::string &fileName);

/// The names of the files of ports, without extension.
std::vector<std::string> fileNamesOf(std::span<const PortInfo> ports);

/// Folders that hold one sample each: `folder` itself if a file of the first
/// port is in it, all of its folders if one is in any of them, else none. Where
/// pictures count, they are files of a port as well.
std::vector<std::filesystem::path>
sampleFolders(const std::filesystem::path &folder,
              std::span<const PortInfo> ports, bool pictures = false);

/// Whether there is a .npy or .bin file of this name.
bool holdsTensor(const std::filesystem::path &folder,
                 const std::string &fileName);
/// The picture in a folder that has this name before its extension; empty if
/// there is none.
std::filesystem::path pictureOf(const std::filesystem::path &folder,
                                const std::string &fileName);

enum class TensorFormat { Raw, Npy };

/// Writes `<name>.bin` or `<name>.npy`, and returns their paths. A file of the
/// other format under that name is removed: it would be another tensor.
std::vector<std::filesystem::path>
writeFolder(const std::filesystem::path &folder,
            std::span<const PortInfo> ports, std::span<const Tensor> tensors,
            TensorFormat format);

/// A .npy file for each tensor.
void writeNpyFolder(const std::filesystem::path &folder,
                    std::span<const PortInfo> ports,
                    std::span<const Tensor> tensors);

/// Samples as a set for calibration: a folder for each input, with a .npy file
/// for each sample. Returns the names of the folders.
std::vector<std::string>
writeSampleSet(const std::filesystem::path &folder,
               std::span<const PortInfo> ports, size_t count,
               const std::function<std::vector<Tensor>(size_t)> &load);

/// Reproducible inputs: floats in [0, 1), integers and truth values 0 or 1,
/// which are valid wherever a network expects indices.
std::vector<Tensor> randomInputs(std::span<const PortInfo> ports,
                                 uint64_t seed);

} // namespace parallax

#endif // PARALLAX_DATA_TENSORFOLDER_H
