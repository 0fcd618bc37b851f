//===- CompiledInfo.h - Where a compiled model comes from ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A compiled model says which files and which version of Parallax made it, so
// that a result can be traced back. Plain C++: users of the runtime see it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_COMPILED_COMPILEDINFO_H
#define PARALLAX_COMPILED_COMPILEDINFO_H

#include <cstdint>
#include <string>

namespace parallax {

/// The version of the file format that is written, and the newest one that can
/// be read.
inline constexpr int64_t compiledFormatVersion = 1;

struct CompiledInfo {
  /// Set by the reader; the writer always writes the newest one.
  int64_t formatVersion = compiledFormatVersion;
  /// Of Parallax. The writer puts its own one in place of an empty text.
  std::string toolVersion;
  std::string targetName;
  /// The text of the target's file: accumulators and rounding come from it.
  std::string targetJson;
  /// Digests of what went into the model, empty where there is nothing.
  std::string modelSha256, configSha256, calibrationSha256;

  bool operator==(const CompiledInfo &) const = default;
};

} // namespace parallax

#endif // PARALLAX_COMPILED_COMPILEDINFO_H
