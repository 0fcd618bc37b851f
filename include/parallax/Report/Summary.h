//===- Summary.h - A build in a few lines ----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The last words on the screen: is it good, where is it weakest, and what to do
// next.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_REPORT_SUMMARY_H
#define PARALLAX_REPORT_SUMMARY_H

#include "parallax/Analysis/PrecisionReport.h"

namespace parallax {

/// `accuracy` is null if no task was evaluated; `file` has all tables.
std::string renderSummary(const PrecisionReport &report,
                          const Accuracy *accuracy, const std::string &file);

} // namespace parallax

#endif // PARALLAX_REPORT_SUMMARY_H
