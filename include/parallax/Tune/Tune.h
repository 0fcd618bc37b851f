//===- Tune.h - The cheapest network that keeps its accuracy ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What `parallax tune` and parallax/Compiler.h do.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TUNE_TUNE_H
#define PARALLAX_TUNE_TUNE_H

#include "parallax/Support/TuneOptions.h"
#include "parallax/Tune/TuneResult.h"

namespace parallax {

/// Tunes as the configuration says. Below its output folder, it leaves
/// tuning/history.jsonl and tuning/tuned_config.json, and in the folder itself
/// what a build of that gives. Throws Error.
TuneResult tuneNetwork(const TuneOptions &options);

} // namespace parallax

#endif // PARALLAX_TUNE_TUNE_H
