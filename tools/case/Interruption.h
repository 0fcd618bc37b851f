//===- Interruption.h - Ctrl-C while a case is made ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// An interruption cancels the work in place of ending the program, so that what
// was begun is cleaned up.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_CASE_INTERRUPTION_H
#define PARALLAX_TOOLS_CASE_INTERRUPTION_H

#include <functional>

namespace parallax {

/// Runs `body` and returns its result. After an interruption it is given the
/// time to tidy up, then the signal ends the program as it always does.
int runInterruptible(const std::function<int()> &body);

} // namespace parallax

#endif // PARALLAX_TOOLS_CASE_INTERRUPTION_H
