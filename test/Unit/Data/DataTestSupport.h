//===- DataTestSupport.h - Archives and arrays made by tests ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Archives are packed with libarchive's writer, entry by entry, so that a test
// can pack what no well-meant tool would.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_DATA_DATATESTSUPPORT_H
#define PARALLAX_TEST_UNIT_DATA_DATATESTSUPPORT_H

#include "../Support/TempDir.h"
#include "parallax/Support/NumPy.h"

#include <archive.h>
#include <archive_entry.h>
#include <vector>

namespace parallax {

struct PackedEntry {
  std::string path, contents;
  unsigned type = AE_IFREG;
  /// For links.
  std::string target = {};
};

enum class Packing { Tar, TarGz, Zip };

inline std::filesystem::path pack(const std::filesystem::path &path,
                                  Packing packing,
                                  const std::vector<PackedEntry> &entries) {
  struct archive *writer = archive_write_new();
  if (packing == Packing::Zip)
    archive_write_set_format_zip(writer);
  else
    archive_write_set_format_pax_restricted(writer);
  if (packing == Packing::TarGz)
    archive_write_add_filter_gzip(writer);
  EXPECT_EQ(archive_write_open_filename(writer, path.c_str()), ARCHIVE_OK);
  for (const PackedEntry &packed : entries) {
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, packed.path.c_str());
    archive_entry_set_filetype(entry, packed.type);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, la_int64_t(packed.contents.size()));
    if (packed.type == AE_IFLNK)
      archive_entry_set_symlink(entry, packed.target.c_str());
    else if (!packed.target.empty())
      archive_entry_set_hardlink(entry, packed.target.c_str());
    EXPECT_GE(archive_write_header(writer, entry), ARCHIVE_WARN)
        << archive_error_string(writer);
    archive_write_data(writer, packed.contents.data(), packed.contents.size());
    archive_entry_free(entry);
  }
  EXPECT_EQ(archive_write_close(writer), ARCHIVE_OK);
  archive_write_free(writer);
  return path;
}

/// Bytes from hexadecimal digits.
inline std::string fromHex(std::string_view digits) {
  std::string bytes;
  for (size_t at = 0; at < digits.size(); at += 2)
    bytes += char(std::stoi(std::string(digits.substr(at, 2)), nullptr, 16));
  return bytes;
}

/// The bytes of a .npy file.
template <typename T>
std::string npyBytes(Shape shape, const std::vector<T> &values) {
  TempDir dir;
  writeNpy(dir / "a.npy",
           Tensor::fromValues<T>(std::move(shape), std::span(values)));
  return contentsOf(dir / "a.npy");
}

template <typename T> std::vector<T> valuesOf(const Tensor &tensor) {
  return {tensor.values<T>().begin(), tensor.values<T>().end()};
}

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_DATA_DATATESTSUPPORT_H
