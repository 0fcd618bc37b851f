//===- TensorFile.h - Raw tensor files and their names ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A `.bin` file holds the bytes of a tensor and nothing else, so its type and
// shape come from elsewhere. Reading one as the wrong type gives plausible
// nonsense; only the size can tell, so it is always checked.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_TENSORFILE_H
#define PARALLAX_SUPPORT_TENSORFILE_H

#include "parallax/Support/Tensor.h"

#include <filesystem>

namespace parallax {

/// The bytes of a tensor, or nothing if a dimension is negative or if the
/// product of the others does not fit: for shapes that came from a file.
std::optional<size_t> byteSizeOf(DType dtype, std::span<const int64_t> shape);

/// A tensor that owns a copy of `bytes`, which must have its size. Any
/// non-zero byte of a bool becomes true.
Tensor tensorFromBytes(DType dtype, Shape shape,
                       std::span<const std::byte> bytes);

/// The bytes of a tensor, for writers.
std::span<const std::byte> bytesOf(const Tensor &tensor);

/// Throws Error if the file's size is not that of the shape.
Tensor readRaw(const std::filesystem::path &path, DType dtype, Shape shape);

/// All elements of the file, in one dimension.
Tensor readRaw(const std::filesystem::path &path, DType dtype);

void writeRaw(const std::filesystem::path &path, const Tensor &tensor);

/// The file name, without extension, of a tensor: every character outside
/// [a-zA-Z0-9_-] becomes '_'. Of a name of more than 200 characters the first
/// 183 stay, followed by '-' and the first 16 digits of the SHA-256 of the
/// tensor's name: file systems allow 255 bytes.
std::string fileNameOf(std::string_view tensorName);

/// File names for tensors that share a folder, in the order of the names.
/// Where fileNameOf maps several names to one, the first keeps it and the
/// others get the suffixes _2, _3, ..., skipping names that are taken.
std::vector<std::string>
uniqueFileNames(std::span<const std::string> tensorNames);

} // namespace parallax

#endif // PARALLAX_SUPPORT_TENSORFILE_H
