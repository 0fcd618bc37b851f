//===- CompileStage.h - From codes to a compiled model ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The phase that lowers the quantized network to the NPU of the target,
// says what that costs, and writes the file that is deployed.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PIPELINE_COMPILESTAGE_H
#define PARALLAX_LIB_PIPELINE_COMPILESTAGE_H

#include "parallax/Analysis/PrecisionReport.h"
#include "parallax/Pipeline/Phases.h"

namespace parallax {

/// Throws Error if there is no such chip, or if it does not have the mode.
void checkTarget(const BuildConfig &config);

/// Adds the view `npu` of the network as it is deployed, and where processors
/// give that other inputs, `npuCore` with those of the model.
void runCompileStage(BuildState &state);

/// Says what each layer of an analysis takes on the NPU.
void addCycles(PrecisionReport &report, mlir::func::FuncOp machine,
               const BuildConfig &config);

} // namespace parallax

#endif // PARALLAX_LIB_PIPELINE_COMPILESTAGE_H
