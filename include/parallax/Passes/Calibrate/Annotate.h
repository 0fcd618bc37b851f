//===- Annotate.h - Ranges become types ------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Types carry the stage of a network: after calibration, the element type of a
// float tensor is !quant.calibrated with its range.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_CALIBRATE_ANNOTATE_H
#define PARALLAX_PASSES_CALIBRATE_ANNOTATE_H

#include "parallax/Passes/Calibrate/CalibrationFile.h"
#include "parallax/Support/LLVM.h"

namespace parallax {

/// True for a Relu or Clip that alone reads what it clamps. That needs no range
/// of its own: only the clamped values are ever used.
bool isLoneClamp(Operation *op);

/// Gives what lone clamps read the ranges of what they make of it.
void addClampedRanges(mlir::func::FuncOp network, Calibration &calibration);

/// Adds a view of the network, a function called "calibrated", beside the float
/// one. Layers are found by their tensor names; throws Error that lists float
/// tensors without a range, because the calibration is of another network then.
mlir::func::FuncOp addCalibratedView(mlir::func::FuncOp network,
                                     const Calibration &calibration);

} // namespace parallax

#endif // PARALLAX_PASSES_CALIBRATE_ANNOTATE_H
