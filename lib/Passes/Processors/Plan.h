//===- Plan.h - What an input or output needs ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A request is checked against the network in full before anything is changed.
// What it comes down to is plain data: the shape and type that arrive, and the
// parameters of the layers that are needed.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_PROCESSORS_PLAN_H
#define PARALLAX_LIB_PASSES_PROCESSORS_PLAN_H

#include "ColorMatrix.h"

#include "parallax/Support/LLVM.h"
#include "parallax/Support/PortInfo.h"

#include "mlir/IR/Location.h"

#include <optional>
#include <span>

namespace parallax::processors {

/// Layers in the order in which they are applied; those that are empty are not
/// needed.
struct InputPlan {
  DType dtype = DType::F32;
  /// What arrives.
  Shape shape;
  std::optional<ColorPlan> color;
  /// One entry for each dimension.
  Shape sliceStarts, sliceSizes;
  /// The begin of every dimension, then the end of every one.
  Shape pads;
  int64_t padValue = 0;
  bool dequantizes = false;
  double scale = 1;
  int64_t zeropoint = 0;
  bool casts = false;
  std::vector<float> mean, std;
  int64_t channelAxis = 0;
  Shape perm;
};

/// What the configuration says about one input.
struct InputRequest {
  const InputProcessor &processor;
  /// The processor is for all inputs, so what makes no sense for this one is
  /// not a mistake.
  bool isDefault = false;
  /// Null if there is no calibration of the input.
  const InputQuantConfig *calibration = nullptr;
};

/// Fails with an error that names the input and says what to write. Appends
/// what looks like a mistake.
FailureOr<InputPlan> planInput(mlir::Location loc, const PortInfo &port,
                               const InputRequest &request,
                               std::vector<std::string> &warnings);

struct OutputPlan {
  Shape perm;
  bool leavesAsU8 = false;
};

FailureOr<OutputPlan> planOutput(mlir::Location loc, const PortInfo &port,
                                 const OutputProcessor &processor);

/// For each port the entry that names it, or the one for all; null if neither
/// is there. Fails with an error for an entry that names none of them, or the
/// same port again; `what` is "input" or "output".
template <typename Entry>
FailureOr<std::vector<const Entry *>>
assign(mlir::Location loc, std::string_view what,
       std::span<const Entry> entries, std::span<const PortInfo> ports);

} // namespace parallax::processors

#endif // PARALLAX_LIB_PASSES_PROCESSORS_PLAN_H
