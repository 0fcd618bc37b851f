//===- Resize.h - Reference kernels: Resize and Upsample -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every mode of Resize is separable: along an axis an output is a weighted sum
// of few inputs. A plan holds these weights as tables, made once from shapes
// and attributes; a run only applies them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_KERNELS_RESIZE_H
#define PARALLAX_BACKEND_KERNELS_RESIZE_H

#include "parallax/Support/Tensor.h"

namespace parallax::kernels {

enum class ResizeMode { Nearest, Linear, Cubic };

enum class CoordinateMode {
  HalfPixel,
  HalfPixelSymmetric,
  PytorchHalfPixel,
  AlignCorners,
  Asymmetric,
  TfHalfPixelForNn,
  TfCropAndResize,
};

enum class NearestMode { RoundPreferFloor, RoundPreferCeil, Floor, Ceil };

struct ResizeParams {
  ResizeMode mode = ResizeMode::Nearest;
  CoordinateMode coordinates = CoordinateMode::HalfPixel;
  NearestMode nearest = NearestMode::RoundPreferFloor;
  float cubicCoeffA = -0.75f;
  float extrapolationValue = 0;
  bool excludeOutside = false;
  bool antialias = false;
};

/// The weights of one axis: output o is the sum over its `taps` of
/// weight[o * taps + t] * input[index[o * taps + t]].
struct ResizeAxis {
  int64_t in = 1, out = 1, taps = 1;
  std::vector<int32_t> index;
  std::vector<float> weight;
  /// Outputs that tf_crop_and_resize places outside of the input; empty if
  /// there is none.
  std::vector<uint8_t> outside;

  /// Whether the axis copies its input: a plan has such axes only between
  /// others.
  bool isIdentity() const;
};

/// The resized dimensions lie between `outer` untouched leading values and
/// `inner` untouched trailing ones, so that an interleaved layout such as
/// [outer, H, W, 8] is handled like any other.
struct ResizePlan {
  int64_t outer = 1, inner = 1;
  std::vector<ResizeAxis> axes;
  float extrapolationValue = 0;

  /// One scale per dimension, as the model gives them; where a scale is the
  /// rounded ratio of the two lengths, the exact ratio is used. `roi` (starts,
  /// then ends) is only read by tf_crop_and_resize.
  ResizePlan(const Shape &in, const Shape &out, std::span<const float> scales,
             std::span<const float> roi, const ResizeParams &params);
};

/// float32 and float64; where the plan only selects (nearest), any type.
void resize(const ResizePlan &plan, const Tensor &x, Tensor &y);

} // namespace parallax::kernels

#endif // PARALLAX_BACKEND_KERNELS_RESIZE_H
