//===- RewriteCheck.h - Both sides of a rewrite, executed ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Executes both sides of a rewrite on the same data and compares the results.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_OPTIMIZE_REWRITECHECK_H
#define PARALLAX_LIB_PASSES_OPTIMIZE_REWRITECHECK_H

#include "parallax/Passes/Optimize/Rewrite.h"

namespace parallax {

/// Executes what a proposal replaces and what it offers instead on the same
/// made-up data. Returns how they differ, or nothing if they agree.
std::optional<std::string> findDifference(const Proposal &proposal,
                                          double tolerance);

} // namespace parallax

#endif // PARALLAX_LIB_PASSES_OPTIMIZE_REWRITECHECK_H
