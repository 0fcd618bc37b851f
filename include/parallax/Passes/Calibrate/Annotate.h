//===- Annotate.h - Ranges as types of a network ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Types carry the stage of a network: after calibration, the element type of a
// float tensor is !quant.calibrated with its 8-bit range. What a type can't
// hold is the attribute nn.calibration of the operation, a dictionary per
// result, or of the argument:
//
//   u8, u16, values    [low, high], where they differ from the type
//   channel_axis, channel_min, channel_max    the extremes of each channel
//   nan, inf           how many values were neither small nor great
//
// Passes that come later read and write nothing but these.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_CALIBRATE_ANNOTATE_H
#define PARALLAX_PASSES_CALIBRATE_ANNOTATE_H

#include "parallax/Passes/Calibrate/CalibrationFile.h"
#include "parallax/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace parallax {

/// Gives what single clamps read the ranges of what they make of it: only the
/// clamped values are ever used.
void addClampedRanges(mlir::func::FuncOp network, Calibration &calibration);

/// Writes ranges into the network, in place of any that it has. Layers are
/// found by their tensor names; tensors that the calibration lacks stay plain
/// floats.
void setCalibration(mlir::func::FuncOp network, const Calibration &calibration);

/// The ranges of all calibrated tensors of a network, in its order.
Calibration getCalibration(mlir::func::FuncOp network);

/// Makes all calibrated tensors plain floats again.
void removeCalibration(mlir::func::FuncOp network);

/// Takes the ranges off a network while something works on its plain floats,
/// and puts them back, as they are then, at the end.
class RangesAside {
public:
  explicit RangesAside(mlir::func::FuncOp network);
  ~RangesAside();
  RangesAside(const RangesAside &) = delete;
  RangesAside &operator=(const RangesAside &) = delete;

  Calibration &ranges() { return calibration; }

private:
  mlir::func::FuncOp network;
  Calibration calibration;
};

/// Fails, with an error that lists them, if there are float tensors without a
/// range: the calibration is of another network then.
LogicalResult requireCalibrated(mlir::func::FuncOp network);

} // namespace parallax

#endif // PARALLAX_PASSES_CALIBRATE_ANNOTATE_H
