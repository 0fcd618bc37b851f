//===- CalibrationFile.h - Ranges that outlive a build ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// quant/calibration.json: what calibration has found, for people to read and
// for a later build to take instead of data.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_CALIBRATE_CALIBRATIONFILE_H
#define PARALLAX_PASSES_CALIBRATE_CALIBRATIONFILE_H

#include "parallax/Analysis/RangeSearch.h"

#include <filesystem>
#include <span>
#include <string>

namespace parallax {

/// The range of one tensor.
struct TensorRange {
  std::string node, tensor;
  /// How the ranges were chosen, where that is not the method of all.
  std::string u8Method = {}, u16Method = {};
  int64_t count = 0, nans = 0, infs = 0;
  /// All finite values.
  Interval values;
  /// What is quantized, by the type of the codes.
  Interval u8, u16;
  int64_t channelAxis = 0;
  std::vector<float> channelMin, channelMax;
  /// The names of the samples that set the extremes, if that was asked for.
  std::string minSample, maxSample;
};

/// A sample that somebody should look at.
struct OddSample {
  enum Kind { Repeats, IsConstant, IsNotFinite, WidensRanges };

  std::string sample;
  Kind kind = Repeats;
  /// The earlier sample that it repeats, or the input with these values.
  std::string of;
  /// How many ranges it alone makes more than twice as wide.
  int64_t tensors = 0;
};

struct Calibration {
  std::string method;
  int64_t samples = 0;
  std::vector<TensorRange> tensors;
  /// Known if the origin of ranges was asked for.
  std::vector<OddSample> oddSamples;
};

/// "repeats", "constant", "not_finite" or "widens".
std::string_view nameOf(OddSample::Kind kind);

/// On one line.
std::string toJson(std::span<const OddSample> samples);
std::string toJson(const Calibration &calibration);

/// Reads what toJson has written. Throws Error with the file and the field.
Calibration readCalibration(const std::filesystem::path &path);

/// Says that tensors of a network have no range.
std::string describeMissingRanges(const std::vector<std::string> &tensors);

} // namespace parallax

#endif // PARALLAX_PASSES_CALIBRATE_CALIBRATIONFILE_H
