//===- Output.h - How findings are shown -----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A table with a closing sentence for people, JSON for programs.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_COMPARE_OUTPUT_H
#define PARALLAX_TOOLS_COMPARE_OUTPUT_H

#include "Finding.h"

namespace parallax {

struct Summary {
  /// The files or folders, as the user named them.
  std::string a, b;
  Criterion criterion;
  std::vector<Finding> findings;

  int exitCode() const;
};

/// Both print to standard output.
void printTable(const Summary &summary, bool color);
void printJson(const Summary &summary);

} // namespace parallax

#endif // PARALLAX_TOOLS_COMPARE_OUTPUT_H
