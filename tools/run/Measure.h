//===- Measure.h - How long a model takes ------------------------*- C++
//-*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For benchmarks.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_RUN_MEASURE_H
#define PARALLAX_TOOLS_RUN_MEASURE_H

#include "parallax/Backend/Core/Executable.h"

namespace parallax {

/// Prints the time of every step, averaged over runs. Returns the exit code.
int profileSteps(const Executable &executable, int threads);

/// Answers each line "run" with the time of one inference: the other side of a
/// benchmark alternates with us in one session. Returns the exit code.
int serveRuns(const Executable &executable, int threads, double prepareSeconds);

} // namespace parallax

#endif // PARALLAX_TOOLS_RUN_MEASURE_H
