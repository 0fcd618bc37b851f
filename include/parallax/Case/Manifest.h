//===- Manifest.h - What a case says about itself --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A case travels between people who do not share a machine. Its manifest lists
// every file with its digest, and says which program made it by which command
// and what it found.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CASE_MANIFEST_H
#define PARALLAX_CASE_MANIFEST_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

/// The version of the layout that is written, and the newest that is read.
inline constexpr int64_t caseSchema = 1;

inline constexpr std::string_view manifestName = "manifest.json";

/// Which build of Parallax it is.
struct ToolIdentity {
  std::string version, compiler;
  /// Of the sources; empty where it was not known.
  std::string commit;

  bool operator==(const ToolIdentity &) const = default;
};

ToolIdentity thisTool();

/// "Parallax 0.1.0 (1234abcd, Clang 22.1.8)".
std::string describe(const ToolIdentity &tool);

struct CaseEntry {
  /// Relative to the case, with '/'.
  std::string path;
  uint64_t size = 0;
  /// 64 lower-case hexadecimal digits.
  std::string sha256;

  bool operator==(const CaseEntry &) const = default;
};

struct CaseManifest {
  ToolIdentity tool = thisTool();
  /// As a user would type it.
  std::string command;
  /// What is wrong, in one line.
  std::string verdict;
  /// What was replaced so that it stays private, one phrase for each thing.
  std::vector<std::string> replaced;
  /// All files but the manifest itself, in the order of the bytes of their
  /// paths.
  std::vector<CaseEntry> files;

  uint64_t totalSize() const;

  bool operator==(const CaseManifest &) const = default;
};

std::string toJson(const CaseManifest &manifest);

/// Reads the text of a manifest; `file` is the case that messages name. Throws
/// Error if it is of a newer schema, or anything else than a manifest.
CaseManifest parseManifest(std::string_view text, const std::string &file);

/// Why no file of a case can have this path; empty if one can.
std::string_view problemOfPath(std::string_view path);

} // namespace parallax

#endif // PARALLAX_CASE_MANIFEST_H
