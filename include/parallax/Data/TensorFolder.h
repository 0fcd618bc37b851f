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

/// Writes `<name>.bin`, and `<name>.npy` beside it on request. Returns the
/// paths of the .bin files.
std::vector<std::filesystem::path>
writeFolder(const std::filesystem::path &folder,
            std::span<const PortInfo> ports, std::span<const Tensor> tensors,
            bool withNpy);

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
