//===- Processors.h - What happens at inputs and outputs --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The compiled model takes what arrives at run time, such as pixels of a
// camera, and gives what the program expects. docs/processors.md gives
// the order of the layers that convert between that and the network.
//
// An input or output keeps its name at run time. The tensor that the network
// itself takes or gives gets a new name, which the attribute
// nn.tensor of the argument or result holds, so that all names stay unique and
// the range that was calibrated for it is found again.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_PROCESSORS_PROCESSORS_H
#define PARALLAX_PASSES_PROCESSORS_PROCESSORS_H

#include "parallax/Config/BuildConfig.h"
#include "parallax/Passes/Calibrate/CalibrationFile.h"
#include "parallax/Support/LLVM.h"

#include <span>

namespace parallax {

struct ProcessorReport {
  /// What has been added, one sentence for each input and output.
  std::vector<std::string> notes;
  /// Requests that are in vain, or look like a mistake.
  std::vector<std::string> warnings;
};

/// Adds the layers to a float network, in place. Inputs without a processor
/// stay as they are. `calibration` holds the mean and std of processors that
/// have none of their own. A request that fails leaves the network unchanged.
FailureOr<ProcessorReport>
addProcessors(mlir::func::FuncOp network,
              std::span<const InputProcessor> inputs,
              std::span<const OutputProcessor> outputs,
              std::span<const InputQuantConfig> calibration);

/// Gives the tensors around the network the ranges that follow from those of
/// its own inputs and outputs. `calibration` is that of the network before
/// addProcessors; one that has been completed already is left alone.
void addProcessorRanges(mlir::func::FuncOp network, Calibration &calibration);

} // namespace parallax

#endif // PARALLAX_PASSES_PROCESSORS_PROCESSORS_H
