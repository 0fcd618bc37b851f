//===- ResizePlan.cpp - The weight tables of Resize -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Turns the attributes of Resize into one table per axis. All modes reduce to
// a position in the input and an interpolation kernel around it.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Kernels/KernelSupport.h"
#include "parallax/Backend/Kernels/Resize.h"

#include <cmath>

namespace parallax::kernels {
namespace {

/// Maps the outputs of one axis to positions in its input.
class AxisCoordinates {
public:
  AxisCoordinates(int64_t in, int64_t out, float givenScale, float roiStart,
                  float roiEnd, CoordinateMode mode)
      : in(double(in)), out(double(out)), roiStart(roiStart), roiEnd(roiEnd),
        mode(mode) {
    // Dividing by a rounded ratio would put a position that is an integer just
    // below it, and the nearest modes would choose another pixel.
    exact = givenScale == float(this->out / this->in);
    scale = exact ? this->out / this->in : double(givenScale);
  }

  /// Positions outside of tf_crop_and_resize's input are replaced by 0: they
  /// take part in nothing.
  double inside(int64_t output) const {
    double position = (*this)(output);
    return isOutside(position) ? 0 : position;
  }

  double operator()(int64_t output) const {
    double x = double(output);
    // The length that the scale alone implies: not always an integer.
    double resized = exact ? out : scale * in;
    switch (mode) {
    case CoordinateMode::HalfPixel:
      break;
    case CoordinateMode::HalfPixelSymmetric:
      return in / 2 * (1 - out / resized) + divide(x + 0.5) - 0.5;
    case CoordinateMode::PytorchHalfPixel:
      if (out <= 1)
        return 0;
      break;
    case CoordinateMode::AlignCorners:
      return out <= 1 ? 0 : x * (in - 1) / (resized - 1);
    case CoordinateMode::Asymmetric:
      return divide(x);
    case CoordinateMode::TfHalfPixelForNn:
      return divide(x + 0.5);
    case CoordinateMode::TfCropAndResize:
      if (out <= 1)
        return 0.5 * (roiStart + roiEnd) * (in - 1);
      return roiStart * (in - 1) +
             x * (roiEnd - roiStart) * (in - 1) / (out - 1);
    }
    return divide(x + 0.5) - 0.5;
  }

  bool isOutside(double position) const {
    return mode == CoordinateMode::TfCropAndResize &&
           !(position >= 0 && position <= in - 1);
  }

  double scale;

private:
  double divide(double x) const { return exact ? x * in / out : x / scale; }

  double in, out, roiStart, roiEnd;
  CoordinateMode mode;
  bool exact;
};

double nearestPixel(double position, NearestMode mode) {
  switch (mode) {
  case NearestMode::RoundPreferFloor:
    return std::ceil(position - 0.5);
  case NearestMode::RoundPreferCeil:
    return std::floor(position + 0.5);
  case NearestMode::Floor:
    return std::floor(position);
  case NearestMode::Ceil:
    break;
  }
  return std::ceil(position);
}

/// The interpolation kernel at distance `t`: zero from `support` on.
struct InterpolationKernel {
  ResizeMode mode;
  double a;

  int64_t support() const { return mode == ResizeMode::Linear ? 1 : 2; }

  double operator()(double t) const {
    t = std::abs(t);
    if (mode == ResizeMode::Linear)
      return std::max(1 - t, 0.0);
    if (t <= 1)
      return ((a + 2) * t - (a + 3)) * t * t + 1;
    return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
  }
};

ResizeAxis nearestAxis(const AxisCoordinates &coordinates, int64_t in,
                       int64_t out, NearestMode mode) {
  ResizeAxis axis{in, out, 1, {}, {}, {}};
  for (int64_t o = 0; o < out; ++o) {
    double pixel = nearestPixel(coordinates.inside(o), mode);
    axis.index.push_back(int32_t(std::clamp(pixel, 0.0, double(in - 1))));
    axis.weight.push_back(1);
  }
  return axis;
}

ResizeAxis interpolatedAxis(const AxisCoordinates &coordinates, int64_t in,
                            int64_t out, const ResizeParams &params) {
  InterpolationKernel kernel{params.mode, params.cubicCoeffA};
  // Antialiasing stretches the kernel over all inputs that an output covers,
  // at most over the whole axis on both sides.
  double stretch = params.antialias
                       ? std::clamp(coordinates.scale, 0.5 / double(in), 1.0)
                       : 1.0;
  int64_t before = int64_t(std::ceil(double(kernel.support()) / stretch)) - 1;
  ResizeAxis axis{in, out, 2 * before + 2, {}, {}, {}};
  std::vector<double> weights(axis.taps);
  for (int64_t o = 0; o < out; ++o) {
    double position = std::clamp(coordinates.inside(o), -double(axis.taps),
                                 double(in + axis.taps));
    int64_t first = int64_t(std::floor(position)) - before;
    double sum = 0;
    for (int64_t t = 0; t < axis.taps; ++t) {
      bool inside = first + t >= 0 && first + t < in;
      weights[t] = params.excludeOutside && !inside
                       ? 0
                       : kernel((double(first + t) - position) * stretch);
      sum += weights[t];
    }
    for (int64_t t = 0; t < axis.taps; ++t) {
      axis.index.push_back(int32_t(std::clamp<int64_t>(first + t, 0, in - 1)));
      axis.weight.push_back(float(weights[t] / sum));
    }
  }
  return axis;
}

ResizeAxis makeAxis(const AxisCoordinates &coordinates, int64_t in, int64_t out,
                    const ResizeParams &params) {
  if (out == 0)
    return {in, 0, 1, {}, {}, {}};
  ResizeAxis axis = params.mode == ResizeMode::Nearest
                        ? nearestAxis(coordinates, in, out, params.nearest)
                        : interpolatedAxis(coordinates, in, out, params);
  for (int64_t o = 0; o < out; ++o)
    if (coordinates.isOutside(coordinates(o))) {
      axis.outside.resize(out);
      axis.outside[o] = 1;
    }
  return axis;
}

} // namespace

bool ResizeAxis::isIdentity() const {
  if (in != out || !outside.empty())
    return false;
  for (int64_t i = 0; i < out * taps; ++i)
    if (weight[i] != 0 && (weight[i] != 1 || index[i] != i / taps))
      return false;
  return true;
}

ResizePlan::ResizePlan(const Shape &in, const Shape &out,
                       std::span<const float> scales,
                       std::span<const float> roi, const ResizeParams &params)
    : extrapolationValue(params.extrapolationValue) {
  size_t rank = in.size();
  bool crops = params.coordinates == CoordinateMode::TfCropAndResize;
  if (crops && roi.size() != 2 * rank)
    throw Error(fmt::format("Resize with tf_crop_and_resize needs a roi with "
                            "{} values, but it has {}",
                            2 * rank, roi.size()));
  for (size_t i = 0; i < rank; ++i) {
    if (in[i] == 0 && out[i] != 0)
      throw Error(fmt::format("Resize can't enlarge dimension {}, which is "
                              "empty, to {}",
                              i, out[i]));
    if (!(scales[i] > 0) && out[i] != 0)
      throw Error(fmt::format("the scale {} of Resize's dimension {} is not "
                              "positive",
                              scales[i], i));
  }
  size_t firstResized = rank;
  for (size_t i = 0; i < rank; ++i) {
    AxisCoordinates coordinates(in[i], out[i], scales[i], crops ? roi[i] : 0,
                                crops ? roi[rank + i] : 0, params.coordinates);
    ResizeAxis axis = makeAxis(coordinates, in[i], out[i], params);
    if (!axis.isIdentity()) {
      // Untouched dimensions in between were counted as trailing ones so far.
      firstResized = std::min(firstResized, i);
      axes.push_back(std::move(axis));
      inner = 1;
    } else if (firstResized == rank) {
      outer *= in[i];
    } else {
      axes.push_back(std::move(axis));
      inner *= in[i];
    }
  }
  // The trailing identities are what `inner` counts.
  while (!axes.empty() && axes.back().isIdentity())
    axes.pop_back();
}

} // namespace parallax::kernels
