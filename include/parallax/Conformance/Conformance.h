//===- Conformance.h - Vectors for other implementations -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Small compiled models with inputs and the bits that must come out, for
// whoever implements docs/numerics.md: an interpreter, a driver or a chip.
// docs/conformance.md describes the files.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CONFORMANCE_CONFORMANCE_H
#define PARALLAX_CONFORMANCE_CONFORMANCE_H

#include <filesystem>
#include <map>
#include <string>

namespace parallax {

struct Target;

struct ConformanceReport {
  size_t vectors = 0, clauses = 0;
  /// Vectors that the target can't have, with the reason.
  std::map<std::string, std::string> skipped;
};

/// Writes all vectors of a target into a folder; `index.json`, which names
/// them, comes last. Throws Error.
ConformanceReport writeConformance(const Target &target,
                                   const std::filesystem::path &folder);

} // namespace parallax

#endif // PARALLAX_CONFORMANCE_CONFORMANCE_H
