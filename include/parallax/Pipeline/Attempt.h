//===- Attempt.h - A network with another configuration --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What changes of the configuration would make of a network, as far as types
// and costs tell: nothing is executed or written.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_ATTEMPT_H
#define PARALLAX_PIPELINE_ATTEMPT_H

#include "parallax/Analysis/Suggest.h"
#include "parallax/Passes/Calibrate/CalibrationFile.h"
#include "parallax/Pipeline/Phases.h"

namespace parallax {

/// A configuration in JSON with changes; throws Error if they don't fit it.
std::string editedText(std::string_view text,
                       std::span<const ConfigEdit> edits);
BuildConfig withEdits(const BuildConfig &config,
                      std::span<const ConfigEdit> edits);

/// What the NPU needs for a network, by layer and in all.
std::vector<LayerCost> costsOf(mlir::func::FuncOp machine,
                               const BuildConfig &config);
int64_t cyclesOf(mlir::func::FuncOp machine, const BuildConfig &config);

/// The network as the NPU computes it, without processors; null before it was
/// compiled.
mlir::func::FuncOp machineOf(BuildState &state);

/// A network that was quantized and lowered in memory, in a module of its own,
/// so that the views that were built stay as they are.
struct NetworkBeside {
  OwningOpRef<ModuleOp> module;
  /// The calibrated network itself, and what was made of it.
  mlir::func::FuncOp network, quantized, machine;
};

/// Builds a calibrated network as another configuration says, with other ranges
/// if there are any. Nothing if it can't be built in that way.
std::optional<NetworkBeside> buildBeside(BuildState &state,
                                         const BuildConfig &config,
                                         const Calibration *ranges = nullptr);

/// The codes and wide weights of a quantized network.
Trial typesOf(mlir::func::FuncOp quantized);

/// What changes of the configuration would make of a calibrated network.
/// Nothing if it can't be built in that way.
std::optional<Trial> attempt(BuildState &state,
                             const std::vector<ConfigEdit> &edits);

} // namespace parallax

#endif // PARALLAX_PIPELINE_ATTEMPT_H
