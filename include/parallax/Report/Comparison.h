//===- Comparison.h - How findings are shown -------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A table with a closing sentence for people, JSON for programs.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_REPORT_COMPARISON_H
#define PARALLAX_REPORT_COMPARISON_H

#include "parallax/Analysis/Finding.h"

namespace parallax {

struct FileComparison {
  /// The files or folders, as the user named them.
  std::string a, b;
  Criterion criterion;
  std::vector<Finding> findings;

  int exitCode() const;
};

/// Shows the table and the closing sentence. Files that can't be read are
/// errors in the log.
void showComparison(const FileComparison &comparison);

std::string toJson(const FileComparison &comparison);

} // namespace parallax

#endif // PARALLAX_REPORT_COMPARISON_H
