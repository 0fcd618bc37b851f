//===- LowerLog.h - What lowering found out --------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// How much of a network the NPU runs in integers, for the screen and as a
// file.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_LOWERLOG_H
#define PARALLAX_PIPELINE_LOWERLOG_H

#include "parallax/Passes/Lower/Lower.h"

namespace parallax {

void logLowering(const LowerReport &report);

/// The proof that no accumulator overflows, the layers in float, and what the
/// network takes on the NPU.
std::string toJson(const LowerReport &report, int64_t cycles);

} // namespace parallax

#endif // PARALLAX_PIPELINE_LOWERLOG_H
