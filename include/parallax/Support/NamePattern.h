//===- NamePattern.h - Regular expressions for names -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A configuration may select layers by a regular expression. It may come from
// anywhere, so matching must not take forever on any pattern: there are bounds
// on patterns, and no backtracking.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_NAMEPATTERN_H
#define PARALLAX_SUPPORT_NAMEPATTERN_H

#include <memory>
#include <string>

namespace parallax {

class NamePattern {
public:
  static constexpr size_t maxLength = 256;
  /// The product of all counts, as in "(a{3}b){4}".
  static constexpr size_t maxRepetitions = 100;
  /// Longer names match nothing.
  static constexpr size_t maxNameLength = 1024;

  /// An ECMAScript expression without back-references. Throws Error; its text
  /// continues a sentence that begins with the name of the field.
  explicit NamePattern(const std::string &pattern);

  /// Whether the whole name matches.
  bool matches(const std::string &name) const;

private:
  /// Hidden here because <regex> is slow to compile.
  struct Compiled;
  std::shared_ptr<const Compiled> compiled;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_NAMEPATTERN_H
