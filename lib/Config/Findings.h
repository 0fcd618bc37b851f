//===- Findings.h - The mistakes in a configuration ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// All mistakes of a file are told at once, each with its place and the full
// name of its field, so they are collected while reading goes on.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_CONFIG_FINDINGS_H
#define PARALLAX_LIB_CONFIG_FINDINGS_H

#include "parallax/Config/RelaxedJson.h"

#include <map>
#include <span>

namespace parallax::config {

struct Message;

/// The name of a value from the root on, such as quant.layer_configs[2]. It
/// refers to its parent, which must outlive it: text is made for messages only.
class Path {
public:
  Path() = default;
  Path(const Path &parent, std::string_view name)
      : parent(&parent), name(name) {}
  Path(const Path &parent, size_t index) : parent(&parent), index(index) {}

  bool isRoot() const { return !parent; }
  std::string text() const;

private:
  const Path *parent = nullptr;
  std::string_view name;
  size_t index = 0;
};

class Findings {
public:
  /// `root` describes the whole file.
  Findings(std::string file, const Message *root)
      : root(root), file(std::move(file)) {}

  const Message *const root;

  void error(JsonPosition position, std::string message);
  /// About the value of a field: "'quant.check' must be …".
  void error(JsonPosition position, const Path &path, std::string_view message);
  void warning(JsonPosition position, const Path &path,
               std::string_view message);

  size_t errorCount() const { return count; }
  /// True if more mistakes were found than are kept; the rest is only counted.
  bool isFull() const { return errors.size() < count; }
  /// Throws an Error of all errors, in the order of the text.
  void throwErrors();
  std::vector<std::string> takeWarnings() { return std::move(warnings); }

private:
  /// "file:line:column: ", or nothing for the command line.
  std::string place(JsonPosition position) const;

  std::string file;
  /// In the order of the text; those of the command line come first.
  std::multimap<JsonPosition, std::string> errors;
  size_t count = 0;
  std::vector<std::string> warnings;
};

/// A field as messages call it: '--a.b' if the command line gave it.
std::string subject(JsonPosition position, const Path &path);

/// "; did you mean 'x'?" for a name that is like a candidate, upper and lower
/// case being the same.
std::string suggestion(std::string_view name,
                       std::span<const std::string> candidates);

/// "a, b or c".
std::string alternatives(std::span<const std::string> names);

/// What stands in the place of something else: "'text'", "3", "a list".
std::string shown(const JsonValue &value);

} // namespace parallax::config

#endif // PARALLAX_LIB_CONFIG_FINDINGS_H
