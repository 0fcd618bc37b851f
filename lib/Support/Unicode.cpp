//===- Unicode.cpp - UTF-8 text on a terminal -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The C library's wcwidth depends on the locale of the process, which would
// make tables differ between machines; the tables of LLVM do not.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Unicode.h"

#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>
#include <vector>

namespace parallax {
namespace {

constexpr char32_t replacement = 0xfffd;

struct Range {
  char32_t first, last;
};

/// Control characters, and those that reverse the direction of a line. LLVM's
/// isPrintable refuses more than these: what is assigned in a newer version of
/// Unicode, or for private use, may be part of a name.
constexpr Range controls[] = {{0x00, 0x1f},
                              {0x7f, 0x9f},
                              {0x200e, 0x200f},
                              {0x2028, 0x202e},
                              {0x2066, 0x2069}};

bool isControl(char32_t symbol) {
  return std::ranges::any_of(controls, [&](const Range &range) {
    return range.first <= symbol && symbol <= range.last;
  });
}

} // namespace

char32_t takeCodePoint(std::string_view &text) {
  auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  const llvm::UTF8 *end = begin;
  llvm::UTF32 symbol = 0;
  bool valid =
      llvm::convertUTF8Sequence(&end, begin + text.size(), &symbol,
                                llvm::strictConversion) == llvm::conversionOK;
  text.remove_prefix(valid ? size_t(end - begin) : 1);
  return valid ? symbol : replacement;
}

void appendUtf8(std::string &text, char32_t symbol) {
  char bytes[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char *end = bytes;
  if (!llvm::ConvertCodePointToUTF8(symbol, end))
    return appendUtf8(text, replacement);
  text.append(bytes, end);
}

int displayWidth(char32_t symbol) {
  if (symbol < 0x7f)
    return 1;
  std::string text;
  appendUtf8(text, symbol);
  int width = llvm::sys::unicode::columnWidthUTF8(text);
  if (width >= 0)
    return width;
  return llvm::sys::unicode::isFormatting(int(symbol)) ? 0 : 1;
}

int displayWidth(std::string_view text) {
  int width = 0;
  while (!text.empty())
    width += displayWidth(takeCodePoint(text));
  return width;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    char32_t symbol = takeCodePoint(text);
    appendUtf8(result, isControl(symbol) ? replacement : symbol);
  }
  return result;
}

std::string asciiText(std::string_view text) {
  constexpr std::pair<char32_t, std::string_view> likenesses[] = {
      {U'─', "-"}, {U'│', "|"}, {U'…', "~"},   {U'–', "-"},   {U'→', ">"},
      {U'×', "x"}, {U'·', "."}, {U'±', "~"},   {U'≥', ">"},   {U'≤', "<"},
      {U'█', "#"}, {U'░', "."}, {U'【', " ["}, {U'】', "] "}, {U'’', "'"}};
  std::string result;
  while (!text.empty()) {
    char32_t symbol = takeCodePoint(text);
    if (symbol < 0x80) {
      result += char(symbol);
      continue;
    }
    auto found = std::ranges::find(
        likenesses, symbol, &std::pair<char32_t, std::string_view>::first);
    bool isFrame = symbol >= 0x2500 && symbol < 0x2580;
    if (found != std::end(likenesses))
      result += found->second;
    else
      result.append(size_t(displayWidth(symbol)), isFrame ? '+' : '?');
  }
  return result;
}

std::string elide(std::string_view text, int width, double tailPart) {
  std::string clean = printable(text);
  if (displayWidth(clean) <= width)
    return clean;
  if (width <= 0)
    return "";
  std::vector<char32_t> symbols;
  for (std::string_view rest = clean; !rest.empty();)
    symbols.push_back(takeCodePoint(rest));

  int room = width - 1, tailRoom = int(room * tailPart),
      headRoom = room - tailRoom;
  std::string head, tail;
  for (char32_t symbol : symbols) {
    if ((headRoom -= displayWidth(symbol)) < 0)
      break;
    appendUtf8(head, symbol);
  }
  auto begin = symbols.end();
  while ((tailRoom -= displayWidth(*(begin - 1))) >= 0)
    --begin;
  // A combining mark belongs to the character that was left out.
  while (begin != symbols.end() && displayWidth(*begin) == 0)
    ++begin;
  for (; begin != symbols.end(); ++begin)
    appendUtf8(tail, *begin);
  return head + "…" + tail;
}

} // namespace parallax
