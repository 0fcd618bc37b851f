//===- Unicode.h - UTF-8 text on a terminal --------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Names of tensors and files are UTF-8 from outside: they may be wide (CJK),
// broken, or contain control sequences aimed at the terminal. Everything that
// aligns or prints them goes through here.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_UNICODE_H
#define PARALLAX_SUPPORT_UNICODE_H

#include <string>
#include <string_view>

namespace parallax {

/// Removes the first character of `text`, which must not be empty, and returns
/// it. A byte that is not part of valid UTF-8 is returned as U+FFFD.
char32_t takeCodePoint(std::string_view &text);

/// Anything that is not a character, such as half of a surrogate pair, becomes
/// U+FFFD.
void appendUtf8(std::string &text, char32_t symbol);

/// Terminal cells: 2 for wide characters, 0 for combining ones.
int displayWidth(char32_t symbol);
int displayWidth(std::string_view text);

/// Valid UTF-8 without control characters, which become U+FFFD.
std::string printable(std::string_view text);

/// The same text in ASCII, and as wide: frames become +, - and |, and what has
/// no likeness becomes '?'.
std::string asciiText(std::string_view text);

/// At most `width` cells of printable text; what is too long loses its middle,
/// because the ends of layer names tell most. `tailPart` of what is left is the
/// end of the text.
std::string elide(std::string_view text, int width, double tailPart = 0.5);

} // namespace parallax

#endif // PARALLAX_SUPPORT_UNICODE_H
