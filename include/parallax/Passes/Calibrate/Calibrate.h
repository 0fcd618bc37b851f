//===- Calibrate.h - From samples to ranges --------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The steps around the statistics: what is run to collect them, and which
// ranges follow. Annotate.h writes those into the network.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_CALIBRATE_CALIBRATE_H
#define PARALLAX_PASSES_CALIBRATE_CALIBRATE_H

#include "parallax/Passes/Calibrate/CalibrationFile.h"
#include "parallax/Passes/Calibrate/Statistics.h"
#include "parallax/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace parallax {

/// Prepares a float network such that every tensor that needs a range is seen.
Executable prepareCalibration(mlir::func::FuncOp network);

/// The ranges of all tensors of a network from what was seen of them.
Calibration chooseRanges(mlir::func::FuncOp network,
                         const NetworkStatistics &statistics,
                         const CalibrationOptions &options, size_t samples);

} // namespace parallax

#endif // PARALLAX_PASSES_CALIBRATE_CALIBRATE_H
