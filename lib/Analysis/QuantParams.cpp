//===- QuantParams.cpp - Scales and zero points from ranges ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Activations get the scale of their range. Each weight channel tries narrower
// ranges and takes the one with the least squared error.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/QuantParams.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Simd.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

namespace parallax {
namespace {

/// Narrower ranges are tried in steps of 2 % down to 60 %.
constexpr int narrowings = 20;
constexpr float narrowing = 0.02f;

/// Zero points as close as this to the middle between two codes are in it, but
/// for the rounding of a float.
constexpr double tieDistance = 0x1p-8;

/// Sums are kept in lanes, so that vectors and scalars add in the same order.
constexpr int64_t sumLanes = 16;

/// The sum of squared differences between `count` values and their codes.
PARALLAX_SIMD double roundingError(const float *values, int64_t count,
                                   float scale, float limit) {
  constexpr float rounder = 0x1.8p23f; // Rounds to integers, half to even.
  float inverse = 1.0f / scale;
  float sums[sumLanes] = {};
  double total = 0;
  constexpr int64_t chunk = 4096; // Bounds the error of adding floats.
  for (int64_t first = 0; first < count; first += chunk) {
    int64_t last = first + chunk < count ? first + chunk : count;
    int64_t i = first;
    for (; i + sumLanes <= last; i += sumLanes)
      for (int64_t lane = 0; lane < sumLanes; ++lane) {
        float v = values[i + lane] * inverse;
        v = v > -limit ? v : -limit;
        v = v < limit ? v : limit;
        float difference = (v + rounder) - rounder - values[i + lane] * inverse;
        sums[lane] += difference * difference;
      }
    for (int64_t lane = 0; i < last; ++i, ++lane) {
      float v = values[i] * inverse;
      v = v > -limit ? v : -limit;
      v = v < limit ? v : limit;
      float difference = (v + rounder) - rounder - values[i] * inverse;
      sums[lane] += difference * difference;
    }
    for (float &sum : sums) {
      total += double(sum);
      sum = 0;
    }
  }
  return total * double(scale) * double(scale);
}

/// The largest scale, up to the given one, with which so many steps are still
/// a finite number: 0 times infinity is none.
float heldFinite(float scale, float steps) {
  while (!std::isfinite(steps * scale))
    scale = std::min(FLT_MAX / steps, std::nextafter(scale, 0.0f));
  return scale;
}

/// Scale and error of one channel.
struct Channel {
  float scale = 1;
  double error = 0;
};

Channel chooseScale(const std::vector<float> &values, float limit,
                    double refineThreshold, float minScale) {
  float magnitude = 0;
  double squares = 0;
  for (float value : values) {
    magnitude = std::max(magnitude, std::abs(value));
    squares += double(value) * double(value);
  }
  auto count = int64_t(values.size());
  auto at = [&](float part) {
    float scale = heldFinite(
        std::max({magnitude * part / limit, minScale, FLT_MIN}), limit);
    return Channel{scale, roundingError(values.data(), count, scale, limit)};
  };
  Channel best = at(1);
  if (refineThreshold < 0 || magnitude == 0)
    return best;
  double whole = best.error;
  for (int i = 1; i <= narrowings; ++i) {
    Channel candidate = at(1 - narrowing * float(i));
    if (candidate.error < best.error &&
        whole - candidate.error > refineThreshold * squares)
      best = candidate;
  }
  return best;
}

template <typename Code>
void encode(const std::vector<float> &values, float scale, float limit,
            Code *codes, int64_t stride, int64_t runs, int64_t length) {
  size_t next = 0;
  for (int64_t run = 0; run < runs; ++run)
    for (int64_t i = 0; i < length; ++i) {
      float v = std::clamp(values[next++] / scale, -limit, limit);
      codes[run * stride + i] = Code(std::nearbyint(v));
    }
}

/// A range like [-127.5, 127.5] has its 0 in the middle between two codes, and
/// numbers that are one scale apart would all be ties. With a scale that is
/// just large enough, one of the two codes stands for 0 and the range is still
/// covered.
void moveZeroToCode(AffineParams &params, double low, double high,
                    double below) {
  double best = std::numeric_limits<double>::infinity();
  for (double zero : {below + 1, below}) {
    double scale = std::max(-low / (zero - double(params.low)),
                            high / (double(params.high) - zero));
    if (scale < best) {
      best = scale;
      params.zeroPoint = int64_t(zero);
    }
  }
  params.scale = std::max(params.scale, float(best));
}

} // namespace

bool isCodeType(DataType type) {
  return type == DataType::U8 || type == DataType::S8 ||
         type == DataType::U16 || type == DataType::S16;
}

int bitsOf(DataType type) {
  return type == DataType::U8 || type == DataType::S8 ? 8 : 16;
}

AffineParams affineParams(Interval range, DataType type) {
  AffineParams params;
  int64_t levels = int64_t(1) << bitsOf(type);
  bool isSigned = type == DataType::S8 || type == DataType::S16;
  params.low = isSigned ? -levels / 2 : 0;
  params.high = params.low + levels - 1;
  // NaN compares false and becomes 0.
  double low = range.low < 0 ? std::max(range.low, -double(FLT_MAX)) : 0.0;
  double high = range.high > 0 ? std::min(range.high, double(FLT_MAX)) : 0.0;
  double scale = (high - low) / double(levels - 1);
  // A tensor that is always 0 has the code of 0 with any scale.
  params.scale = high > low ? std::max(float(scale), FLT_MIN) : 1.0f;
  double zero = double(params.low) - low / double(params.scale);
  params.zeroPoint =
      std::clamp(int64_t(std::nearbyint(zero)), params.low, params.high);
  if (std::abs(zero - std::floor(zero) - 0.5) < tieDistance)
    moveZeroToCode(params, low, high, std::floor(zero));
  int64_t mostSteps =
      std::max(params.zeroPoint - params.low, params.high - params.zeroPoint);
  params.scale = heldFinite(params.scale, float(mostSteps));
  return params;
}

WeightCodes quantizeWeights(const Tensor &weights, int64_t axis,
                            const WeightOptions &options) {
  if (weights.dtype() != DType::F32)
    throw Error("only float weights can be quantized");
  int64_t outer = 1, inner = 1, channels = weights.dim(size_t(axis));
  for (size_t i = 0; i < weights.shape().size(); ++i)
    if (int64_t(i) != axis)
      (int64_t(i) < axis ? outer : inner) *= weights.dim(i);
  bool wide = options.type == DataType::S16;
  float limit = wide ? 32767 : 127;
  WeightCodes result;
  result.codes = Tensor(wide ? DType::I16 : DType::I8, weights.shape());
  result.scales.resize(size_t(channels));
  std::vector<double> errors(size_t(channels), 0.0);
  const float *data = weights.data<float>();
  parallelFor(channels, 1, [&](int64_t begin, int64_t end) {
    std::vector<float> values(size_t(outer * inner));
    for (int64_t c = begin; c < end; ++c) {
      for (int64_t o = 0; o < outer; ++o)
        std::copy_n(data + (o * channels + c) * inner, inner,
                    values.begin() + o * inner);
      float minScale =
          options.minScales.empty() ? 0.0f : options.minScales[size_t(c)];
      Channel channel =
          chooseScale(values, limit, options.refineThreshold, minScale);
      result.scales[size_t(c)] = channel.scale;
      errors[size_t(c)] = channel.error;
      if (wide)
        encode(values, channel.scale, limit,
               result.codes.data<int16_t>() + c * inner, channels * inner,
               outer, inner);
      else
        encode(values, channel.scale, limit,
               result.codes.data<int8_t>() + c * inner, channels * inner, outer,
               inner);
    }
  });
  for (double error : errors)
    result.squaredError += error;
  return result;
}

} // namespace parallax
