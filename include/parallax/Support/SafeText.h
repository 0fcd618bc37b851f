//===- SafeText.h - Names from outside in texts of ours --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Names of tensors, layers and files may hold whatever the reader of a text
// takes for a command: control sequences, formulas, markup. Every writer takes
// them from here, and the console checks all that it shows once more.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_SAFETEXT_H
#define PARALLAX_SUPPORT_SAFETEXT_H

#include <string>
#include <string_view>

namespace parallax {

enum class TextKind {
  /// Part of a line that a terminal shows.
  Line,
  /// Lines that a terminal shows; they may have the colors of Terminal.h.
  Lines,
  /// A field of a CSV file, with quotes where it needs them. Spreadsheets take
  /// what begins with = + - @ for a formula: such names, which are not
  /// numbers, get a ' in front.
  CsvField,
  /// A label in quotes in a flowchart of Mermaid.
  Mermaid,
  /// Text in Markdown, also in a cell of a table.
  Markdown,
};

std::string safeText(TextKind kind, std::string_view text);

} // namespace parallax

#endif // PARALLAX_SUPPORT_SAFETEXT_H
