//===- RelaxedJson.cpp - JSON as people write it --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One pass over the text. What is not well formed (a comment or a string
// without an end, a comma that follows no value) is left for the parser, whose
// message points at it.
//===----------------------------------------------------------------------===//
#include "parallax/Config/RelaxedJson.h"

#include <algorithm>
#include <string_view>

namespace parallax {
namespace {

constexpr size_t npos = std::string_view::npos;

/// One past the comment that begins at `begin`, or `begin` if none does.
size_t endOfComment(std::string_view text, size_t begin) {
  std::string_view rest = text.substr(begin);
  if (rest.starts_with("#") || rest.starts_with("//"))
    return std::min(text.find_first_of("\r\n", begin), text.size());
  if (!rest.starts_with("/*"))
    return begin;
  size_t end = text.find("*/", begin + 2);
  return end == npos ? begin : end + 2;
}

/// One past the closing quote of the string whose opening one is at `begin`.
size_t endOfString(std::string_view text, size_t begin) {
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '"')
      return i + 1;
    if (text[i] == '\\')
      ++i;
  }
  return text.size();
}

} // namespace

std::string toStrictJson(std::string text) {
  // The last character that is neither blank nor comment, and the place of the
  // last comma if that is what it is and a value precedes it.
  char last = 0;
  size_t comma = npos;
  for (size_t i = 0; i < text.size();) {
    char symbol = text[i];
    if (size_t end = endOfComment(text, i); end > i) {
      for (; i < end; ++i)
        if (text[i] != '\n' && text[i] != '\r')
          text[i] = ' ';
      continue;
    }
    if (std::string_view(" \t\r\n").find(symbol) != npos) {
      ++i;
      continue;
    }
    if ((symbol == ']' || symbol == '}') && comma != npos)
      text[comma] = ' ';
    bool followsValue =
        last != 0 && std::string_view("[{,:").find(last) == npos;
    comma = symbol == ',' && followsValue ? i : npos;
    last = symbol;
    i = symbol == '"' ? endOfString(text, i) : i + 1;
  }
  return text;
}

} // namespace parallax
