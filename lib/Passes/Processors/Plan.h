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

#include "parallax/Config/BuildConfig.h"
#include "parallax/Support/PortInfo.h"

#include <optional>
#include <span>

namespace parallax::processors {

/// The parameters of nn.color_convert.
struct ColorPlan {
  std::string format;
  std::vector<int64_t> matrix;
  int64_t minLuma = 0;
};

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

/// Throws Error, naming the input and what to write. Appends what looks like a
/// mistake.
InputPlan planInput(const PortInfo &port, const InputRequest &request,
                    std::vector<std::string> &warnings);

/// The matrix of a YUV format, in units of 2^-16 and with rows in the order of
/// `target`.
ColorPlan planColors(const PortInfo &port, const InputProcessor &processor,
                     ColorSpace target);

bool isYuv(ColorSpace format);

struct OutputPlan {
  Shape perm;
  bool leavesAsU8 = false;
};

OutputPlan planOutput(const PortInfo &port, const OutputProcessor &processor);

/// For each port the entry that names it, or the one for all; null if neither
/// is there. Throws Error for an entry that names none of them, or the same
/// port again; `what` is "input" or "output".
template <typename Entry>
std::vector<const Entry *> assign(std::string_view what,
                                  std::span<const Entry> entries,
                                  std::span<const PortInfo> ports);

} // namespace parallax::processors

#endif // PARALLAX_LIB_PASSES_PROCESSORS_PLAN_H
