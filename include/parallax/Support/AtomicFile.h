//===- AtomicFile.h - Files that appear complete or not at all -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A failed command must leave nothing half-written behind, and a reader must
// never see half a file. So a file is written beside its final place and
// renamed into it when it is complete.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_ATOMICFILE_H
#define PARALLAX_SUPPORT_ATOMICFILE_H

#include "parallax/Support/Error.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace parallax {

/// A file that the system did not take. What was to be in it may be right, so
/// whoever tries something and goes on when it fails lets this pass.
class WriteError : public Error {
public:
  using Error::Error;
};

class AtomicFile {
public:
  /// Creates missing parent folders and a temporary file in the same folder.
  /// Throws Error if that is impossible, or if `path` is something other than
  /// a file: a folder or a device is never replaced.
  explicit AtomicFile(const std::filesystem::path &path);

  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  /// Removes the temporary file unless it was committed.
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  /// Puts the complete file in its place.
  void commit();

private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path target, temporary;
  int descriptor = -1;
};

void writeFileAtomically(const std::filesystem::path &path,
                         std::span<const std::byte> bytes);
void writeFileAtomically(const std::filesystem::path &path,
                         std::string_view text);

/// The library's copy_file says "Input/output error" where the disk is full.
void copyFileAtomically(const std::filesystem::path &from,
                        const std::filesystem::path &to);

/// The path of something temporary in a folder that no other process uses, and
/// no other call: ".parallax-<process>@<host>-<number>.<kind>".
std::filesystem::path temporaryPath(const std::filesystem::path &folder,
                                    std::string_view kind);

/// Removes what processes that were killed have left in a folder under such
/// names; those of living processes stay.
void removeLeftovers(const std::filesystem::path &folder);

/// What a user can do something about, for an errno of the attempt to create
/// `path`: "you may not write to the folder 'x'".
std::string whyNotWritten(const std::filesystem::path &path, int error);

/// Why there is no folder of this path to write to, and none can be made;
/// nothing if all is well, as far as that can be seen without trying.
std::string whyNoFolder(const std::filesystem::path &path);

/// Whether somebody has deleted the folder that this process is in.
bool isCurrentFolderGone();

/// Creates the folders above `path`; throws Error if that is impossible.
void createParentDirectories(const std::filesystem::path &path);

} // namespace parallax

#endif // PARALLAX_SUPPORT_ATOMICFILE_H
