//===- AppendedFile.h - Files that outlive their process -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Hours of work must not be lost with the process that did it. Each piece is
// appended to a file, and a later run goes on from there if all that the pieces
// depend on is still the same.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_APPENDEDFILE_H
#define PARALLAX_SUPPORT_APPENDEDFILE_H

#include <filesystem>
#include <string>
#include <string_view>

namespace parallax {

class AppendedFile {
public:
  /// Goes on after the first `size` bytes of a file; drops what follows.
  AppendedFile(std::filesystem::path path, size_t size);
  /// Starts anew with these bytes.
  AppendedFile(std::filesystem::path path, std::string_view begin);
  ~AppendedFile();
  AppendedFile(const AppendedFile &) = delete;
  AppendedFile &operator=(const AppendedFile &) = delete;

  /// The bytes are on the disk when this returns. Throws Error if the disk is
  /// full, and the file is as it was before.
  void append(std::string_view bytes);

private:
  void open();
  [[noreturn]] void fail(int error) const;

  std::filesystem::path file;
  int descriptor = -1;
};

/// Identities are words, "configuration=1f… model=07…": those that are not the
/// same, for people.
std::string namesOfChanges(const std::string &before, const std::string &after);

} // namespace parallax

#endif // PARALLAX_SUPPORT_APPENDEDFILE_H
