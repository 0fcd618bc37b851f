//===- MappedFile.h - Read-only files in memory ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Models are larger than what we want to copy. A mapped file is read by the
// kernel page by page, when and only if the bytes are touched, and its pages
// can be given back once the weights in them were repacked.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_MAPPEDFILE_H
#define PARALLAX_SUPPORT_MAPPEDFILE_H

#include "parallax/Support/Tensor.h"

#include <filesystem>

namespace parallax {

class MappedFile : public std::enable_shared_from_this<MappedFile> {
public:
  /// Throws Error unless `path` is a readable regular file.
  static std::shared_ptr<MappedFile> open(const std::filesystem::path &path);

  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  const std::filesystem::path &path() const { return source; }
  std::span<const std::byte> bytes() const { return contents; }
  std::string_view text() const {
    return {reinterpret_cast<const char *>(contents.data()), contents.size()};
  }

  /// The elements that begin at byte `offset`, which keep the file mapped. It
  /// is a view, which must not be written to, unless the offset is unaligned
  /// for the type: then it is a copy. Throws Error if the file ends before.
  Tensor tensorAt(size_t offset, DType dtype, Shape shape) const;

  /// Gives the memory of a part of bytes() back to the system. Reading it
  /// again is correct, and fetches it from the file again.
  void releasePages(std::span<const std::byte> range) const;

private:
  MappedFile(std::filesystem::path path, std::span<const std::byte> bytes);

  std::filesystem::path source;
  std::span<const std::byte> contents;
};

/// The path of the file that is mapped at an address, or null. Only for the
/// handler of a fault: the file must not be closed meanwhile.
const char *mappedPathAt(const void *address) noexcept;

/// A copy of a whole file, for those that are small.
inline std::string readText(const std::filesystem::path &path) {
  return std::string(MappedFile::open(path)->text());
}

} // namespace parallax

#endif // PARALLAX_SUPPORT_MAPPEDFILE_H
