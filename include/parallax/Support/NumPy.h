//===- NumPy.h - Arrays in .npy files --------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The format in which users keep calibration data and dumped layers. The
// header is a Python literal; only the exact form of it that describes a plain
// array is understood, and nothing in it is ever evaluated.
//
// NumPy has no bfloat16: the extension types of the Python world are stored as
// two opaque bytes ("V2"), and that is how we read and write them as well.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_NUMPY_H
#define PARALLAX_SUPPORT_NUMPY_H

#include "parallax/Support/Tensor.h"

#include <filesystem>

namespace parallax {

/// Reads format versions 1 to 3 in either byte order; Fortran order becomes
/// row-major. Throws Error for anything that is not exactly one plain array.
Tensor readNpy(const std::filesystem::path &path);

/// The same from memory; `sourceName` is the file that error messages name.
Tensor readNpy(std::span<const std::byte> bytes, std::string_view sourceName);

/// The same as a view of the mapped file, which must not be written to, unless
/// its elements have to be put into another order: for files that are larger
/// than memory.
Tensor mapNpy(const std::filesystem::path &path);

/// Writes what numpy.save writes for the same array, byte for byte.
void writeNpy(const std::filesystem::path &path, const Tensor &tensor);

} // namespace parallax

#endif // PARALLAX_SUPPORT_NUMPY_H
