//===- ZipWriter.cpp - Zip files that are always the same -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// libarchive writes what an entry says. It says as little as possible: a time
// that is not set becomes the first one that zip knows, in any time zone.
//===----------------------------------------------------------------------===//
#include "ZipWriter.h"

#include "parallax/Support/Error.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

namespace parallax {

ZipWriter::ZipWriter(Output output)
    : output(std::move(output)),
      handle(archive_write_new(), archive_write_free) {
  if (!handle)
    throw std::bad_alloc();
  archive_write_set_format_zip(handle.get());
  require(archive_write_set_options(handle.get(),
                                    "zip:compression=deflate,"
                                    "zip:hdrcharset=UTF-8") == ARCHIVE_OK);
  archive_write_set_bytes_per_block(handle.get(), 1 << 16);
  // Without padding at the end.
  archive_write_set_bytes_in_last_block(handle.get(), 1);
  auto pass = [](struct archive *, void *self, const void *data,
                 size_t size) -> la_ssize_t {
    auto &writer = *static_cast<ZipWriter *>(self);
    try {
      writer.output({static_cast<const std::byte *>(data), size});
      return la_ssize_t(size);
    } catch (...) {
      writer.failure = std::current_exception();
      return -1;
    }
  };
  require(archive_write_open(handle.get(), this, /*open=*/nullptr, pass,
                             /*close=*/nullptr) == ARCHIVE_OK);
}

void ZipWriter::begin(const std::string &path, uint64_t size) {
  std::unique_ptr<struct archive_entry, void (*)(struct archive_entry *)> entry(
      archive_entry_new(), archive_entry_free);
  if (!entry)
    throw std::bad_alloc();
  archive_entry_set_pathname(entry.get(), path.c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_size(entry.get(), la_int64_t(size));
  require(archive_write_header(handle.get(), entry.get()) == ARCHIVE_OK);
}

void ZipWriter::write(std::span<const std::byte> bytes) {
  require(archive_write_data(handle.get(), bytes.data(), bytes.size()) ==
          la_ssize_t(bytes.size()));
}

void ZipWriter::finish() {
  require(archive_write_close(handle.get()) == ARCHIVE_OK);
}

void ZipWriter::require(bool isGood) {
  if (failure)
    std::rethrow_exception(failure);
  if (isGood)
    return;
  const char *message = archive_error_string(handle.get());
  throw Error(fmt::format("cannot write a zip file: {}",
                          message ? message : "unknown error"));
}

} // namespace parallax
