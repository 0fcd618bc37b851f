//===- SafeText.cpp - Names from outside in texts of ours -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each kind keeps what is surely harmless to it; letters of any script are.
//===----------------------------------------------------------------------===//
#include "parallax/Support/SafeText.h"
#include "parallax/Support/Terminal.h"
#include "parallax/Support/Unicode.h"

#include <charconv>
#include <fmt/format.h>

namespace parallax {
namespace {

bool isOneOf(char symbol, std::string_view symbols) {
  return symbols.find(symbol) != std::string_view::npos;
}

/// The length of the color that `text` begins with; 0 if it is none of ours.
size_t lengthOfColor(std::string_view text) {
  for (std::string_view color : {ansi::bold, ansi::dim, ansi::red, ansi::green,
                                 ansi::yellow, ansi::reset})
    if (text.starts_with(color))
      return color.size();
  return 0;
}

/// Printable text, but for what `keeps` finds at the front of the rest: it
/// gives the length of that.
template <typename Keeps>
std::string printableBut(std::string_view text, Keeps keeps) {
  std::string result;
  size_t begin = 0;
  for (size_t i = 0; i < text.size();) {
    size_t kept = keeps(text.substr(i));
    if (kept == 0) {
      ++i;
      continue;
    }
    result += printable(text.substr(begin, i - begin));
    result += text.substr(i, kept);
    begin = i += kept;
  }
  return result + printable(text.substr(begin));
}

std::string safeLines(std::string_view text) {
  return printableBut(text, [](std::string_view rest) {
    return rest[0] == '\n' ? 1 : lengthOfColor(rest);
  });
}

bool isNumberText(std::string_view text) {
  double ignored = 0;
  if (text.starts_with('+'))
    text.remove_prefix(1);
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), ignored);
  return error != std::errc::invalid_argument &&
         end == text.data() + text.size();
}

bool looksLikeFormula(std::string_view text) {
  // White space in front does not stop every spreadsheet.
  size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && isOneOf(text[first], "=+-@") &&
         text.size() > 1 && !isNumberText(text);
}

std::string csvFieldOf(std::string_view text) {
  std::string clean = printableBut(text, [](std::string_view rest) {
    return size_t(isOneOf(rest[0], "\r\n\t"));
  });
  if (looksLikeFormula(clean))
    clean.insert(0, "'");
  if (clean.find_first_of(",\"\r\n") == std::string::npos)
    return clean;
  std::string quoted = "\"";
  for (char symbol : clean)
    quoted.append(symbol == '"' ? 2 : 1, symbol);
  return quoted + "\"";
}

/// Printable text in which every ASCII character outside of letters, digits
/// and `harmless` goes through `escape`.
template <typename Escape>
std::string escapedText(std::string_view text, std::string_view harmless,
                        Escape escape) {
  std::string result;
  for (char symbol : printable(text)) {
    bool isLetter = (symbol >= '0' && symbol <= '9') ||
                    (symbol >= 'A' && symbol <= 'Z') ||
                    (symbol >= 'a' && symbol <= 'z');
    if ((symbol & 0x80) || isLetter || isOneOf(symbol, harmless))
      result += symbol;
    else
      result += escape(symbol);
  }
  return result;
}

} // namespace

std::string safeText(TextKind kind, std::string_view text) {
  switch (kind) {
  case TextKind::Lines:
    return safeLines(text);
  case TextKind::CsvField:
    return csvFieldOf(text);
  case TextKind::Mermaid:
    // HTML in labels is refused with the same codes.
    return escapedText(text, "_-./ ", [](char symbol) {
      return fmt::format("#{};", int(symbol));
    });
  case TextKind::Markdown:
    return escapedText(text, "_-./ ,:;'\"=+%()?{}^$@", [](char symbol) {
      // HTML needs a code, Markdown's own signs a backslash.
      return symbol == '<' || symbol == '&' ? fmt::format("&#{};", int(symbol))
                                            : fmt::format("\\{}", symbol);
    });
  case TextKind::Line:
    break;
  }
  return printable(text);
}

} // namespace parallax
