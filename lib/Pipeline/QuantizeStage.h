//===- QuantizeStage.h - From ranges to codes ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The stage of a build that makes the quantized network and its files.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PIPELINE_QUANTIZESTAGE_H
#define PARALLAX_LIB_PIPELINE_QUANTIZESTAGE_H

#include "parallax/Passes/Quantize/Precision.h"
#include "parallax/Passes/Processors/Processors.h"
#include "parallax/Pipeline/Phases.h"

namespace parallax {

/// Adds a copy of a float view as it will run: with what happens at its inputs
/// and outputs. Its name is views::deployed.
mlir::func::FuncOp addDeployedView(mlir::func::FuncOp view,
                                   const BuildConfig &config,
                                   ProcessorReport &report);

/// Checks that the input and output processors fit the network; throws Error.
void checkProcessors(BuildState &state);

/// Checks that the rules of layer_configs can be granted, and warns of those
/// that match nothing, if that is allowed; throws Error. Layers have their
/// names once the network is optimized.
void checkRules(BuildState &state);

/// Gives the layers of a view of the network the types that a configuration
/// wants, and returns the audit; throws Error for what can't be granted.
std::vector<AuditedRule> assignPrecision(BuildState &state,
                                         mlir::func::FuncOp network,
                                         const QuantConfig &config);

/// Applies layer_configs, adds the view `quantized` to the network, and where
/// there are input or output processors another one with them, `deployed`, and
/// writes the files below quant/.
void runQuantizeStage(BuildState &state);

} // namespace parallax

#endif // PARALLAX_LIB_PIPELINE_QUANTIZESTAGE_H
