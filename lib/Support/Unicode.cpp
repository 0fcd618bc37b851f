//===- Unicode.cpp - UTF-8 text on a terminal -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The ranges are our own, because wcwidth depends on the locale of the process
// and tables would differ between computers.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <span>
#include <vector>

namespace parallax {
namespace {

constexpr char32_t replacement = 0xfffd;

struct Range {
  char32_t first, last;
};

constexpr Range zeroWidth[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489},  {0x0591, 0x05bd}, {0x0610, 0x061a},
    {0x064b, 0x065f}, {0x0e34, 0x0e3a},  {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff}, {0x200b, 0x200d},  {0x2060, 0x2064}, {0x20d0, 0x20ff},
    {0x302a, 0x302d}, {0x3099, 0x309a},  {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
    {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}};

constexpr Range doubleWidth[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},
    {0x23e9, 0x23ec},   {0x2614, 0x2615},   {0x2705, 0x2705},
    {0x274c, 0x274c},   {0x2e80, 0x303e},   {0x3041, 0x33ff},
    {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97c},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},
    {0xfe30, 0xfe6f},   {0xff01, 0xff60},   {0xffe0, 0xffe6},
    {0x17000, 0x18cff}, {0x1b000, 0x1b2ff}, {0x1f200, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb}, {0x1f900, 0x1f9ff},
    {0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};

// Control characters, and those that reverse the direction of a line.
constexpr Range controls[] = {{0x00, 0x1f},
                              {0x7f, 0x9f},
                              {0x200e, 0x200f},
                              {0x2028, 0x202e},
                              {0x2066, 0x2069}};

bool contains(std::span<const Range> ranges, char32_t symbol) {
  auto after = std::partition_point(
      ranges.begin(), ranges.end(),
      [&](const Range &range) { return range.last < symbol; });
  return after != ranges.end() && after->first <= symbol;
}

} // namespace

char32_t takeCodePoint(std::string_view &text) {
  auto byteAt = [&](size_t index) { return (unsigned char)(text[index]); };
  unsigned char lead = byteAt(0);
  size_t length = lead < 0x80   ? 1
                  : lead < 0xc2 ? 0
                  : lead < 0xe0 ? 2
                  : lead < 0xf0 ? 3
                  : lead < 0xf5 ? 4
                                : 0;
  char32_t symbol = length <= 1 ? lead : lead & (0x7f >> length);
  bool valid = length > 0 && length <= text.size();
  for (size_t index = 1; valid && index < length; ++index) {
    valid = (byteAt(index) & 0xc0) == 0x80;
    symbol = symbol << 6 | (byteAt(index) & 0x3f);
  }
  // Too long an encoding, a surrogate, or beyond the last plane.
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  valid = valid && symbol >= smallest[length] && symbol <= 0x10ffff &&
          (symbol < 0xd800 || symbol > 0xdfff);
  text.remove_prefix(valid ? length : 1);
  return valid ? symbol : replacement;
}

void appendUtf8(std::string &text, char32_t symbol) {
  if (symbol < 0x80) {
    text += char(symbol);
    return;
  }
  int continuations = symbol < 0x800 ? 1 : symbol < 0x10000 ? 2 : 3;
  constexpr unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
  text += char(leads[continuations] | symbol >> (6 * continuations));
  while (continuations-- > 0)
    text += char(0x80 | (symbol >> (6 * continuations) & 0x3f));
}

int displayWidth(char32_t symbol) {
  if (contains(zeroWidth, symbol))
    return 0;
  return contains(doubleWidth, symbol) ? 2 : 1;
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
    appendUtf8(result, contains(controls, symbol) ? replacement : symbol);
  }
  return result;
}

std::string elide(std::string_view text, int width) {
  std::string clean = printable(text);
  if (displayWidth(clean) <= width)
    return clean;
  if (width <= 0)
    return "";
  std::vector<char32_t> symbols;
  for (std::string_view rest = clean; !rest.empty();)
    symbols.push_back(takeCodePoint(rest));

  int room = width - 1, tailRoom = room / 2, headRoom = room - tailRoom;
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
