//===- RelaxedJson.h - JSON as people write it -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Configurations are written by hand: they carry comments, and a comma after
// the last element. A JSON parser knows neither, so both are blanked out first.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CONFIG_RELAXEDJSON_H
#define PARALLAX_CONFIG_RELAXEDJSON_H

#include <string>

namespace parallax {

/// Replaces comments (`//` and `#` to the end of the line, `/* */`) and the
/// commas before `]` and `}` by blanks. Everything else, the inside of strings
/// included, stays in its line and column, so that a parser's messages about
/// the result hold for the text.
std::string toStrictJson(std::string text);

} // namespace parallax

#endif // PARALLAX_CONFIG_RELAXEDJSON_H
