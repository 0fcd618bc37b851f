//===- EvaluateModels.h - Models in files on a task ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What `parallax evaluate` and parallax/Compiler.h do.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_EVALUATEMODELS_H
#define PARALLAX_PIPELINE_EVALUATEMODELS_H

#include "parallax/Analysis/Accuracy.h"
#include "parallax/Support/EvaluateOptions.h"

namespace parallax {

/// Evaluates models one after the other, shows the result, and writes it to the
/// output folder of the configuration, if there is one. Throws Error.
Accuracy evaluateModels(const EvaluateOptions &options);

} // namespace parallax

#endif // PARALLAX_PIPELINE_EVALUATEMODELS_H
