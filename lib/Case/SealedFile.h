//===- SealedFile.h - Zip files with their own digest ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The digests of a manifest protect the contents of files, but a zip file has
// more than those: the manifest itself, names, dates, a directory. Zip's own
// check is a CRC-32 of contents, and a file that lost its end can still be read
// in part. So the seal protects every byte. It is the comment of the zip file,
// which other programs show or pass over, and all readers of schema 1 ask for
// it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_CASE_SEALEDFILE_H
#define PARALLAX_LIB_CASE_SEALEDFILE_H

#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Digest.h"

#include <filesystem>
#include <string_view>
#include <vector>

namespace parallax {

/// Throws Error: the file or folder can't be read as a case.
[[noreturn]] void refuseCase(const std::filesystem::path &path,
                             std::string_view reason);

/// Takes the bytes of a zip file without a comment and adds the seal.
class SealedFile {
public:
  explicit SealedFile(const std::filesystem::path &path) : file(path) {}

  void write(std::span<const std::byte> bytes);

  /// Of the file, once it is sealed.
  uint64_t size() const;

  /// Seals the file and puts it in its place.
  void commit();

private:
  void pass(std::span<const std::byte> bytes);

  AtomicFile file;
  Sha256 digest;
  uint64_t passed = 0;
  /// The last bytes so far: the end record says how long the comment is.
  std::vector<std::byte> tail;
};

/// Whether it ends like a sealed file at all; throws Error if not.
void requireSeal(const std::filesystem::path &path);

/// Whether it is byte for byte what was sealed; throws Error if not.
void checkSeal(const std::filesystem::path &path);

} // namespace parallax

#endif // PARALLAX_LIB_CASE_SEALEDFILE_H
