//===- ZipWriter.h - Zip files that are always the same --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The same names and contents give the same bytes: nothing of the computer gets
// in, be it the time, the user, rights of files or the locale.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_CASE_ZIPWRITER_H
#define PARALLAX_LIB_CASE_ZIPWRITER_H

#include "parallax/Support/Utf8Scope.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>

struct archive;

namespace parallax {

class ZipWriter {
public:
  using Output = std::function<void(std::span<const std::byte>)>;

  explicit ZipWriter(Output output);

  /// Begins a file of `size` bytes, which follow.
  void begin(const std::string &path, uint64_t size);
  void write(std::span<const std::byte> bytes);

  /// Ends the zip file.
  void finish();

private:
  /// Throws what the output threw, or else what libarchive says.
  void require(bool isGood);

  Utf8Scope utf8;
  Output output;
  /// Exceptions of the output do not pass through C.
  std::exception_ptr failure;
  std::unique_ptr<struct archive, int (*)(struct archive *)> handle;
};

} // namespace parallax

#endif // PARALLAX_LIB_CASE_ZIPWRITER_H
