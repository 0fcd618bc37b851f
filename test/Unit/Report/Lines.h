//===- Lines.h - Texts line by line ----------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What is written for people and programs is checked a line at a time.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_REPORT_LINES_H
#define PARALLAX_TEST_UNIT_REPORT_LINES_H

#include <sstream>
#include <string>
#include <vector>

namespace parallax {

/// Without the ends of lines.
inline std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_REPORT_LINES_H
