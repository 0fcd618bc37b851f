//===- ReportSummaries.h - What a report shows of large files --*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Some files of a build are too large for a page, or don't say by themselves
// what people want to see.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PIPELINE_REPORTSUMMARIES_H
#define PARALLAX_LIB_PIPELINE_REPORTSUMMARIES_H

#include "parallax/Passes/Calibrate/CalibrationFile.h"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace parallax {

/// Ranges without the channels that nobody could see.
std::string calibrationSummary(const Calibration &calibration);

/// The largest magnitude of each output channel of weights, from the scales of
/// quant_axmodel.json. Empty if that is not what Parallax writes.
std::string weightsSummary(std::string_view quantizedParameters);

/// Where a build has found its samples, or has unpacked them to.
struct SampleFolders {
  /// `context` and `command` are what the files of those names hold, or empty
  /// objects.
  SampleFolders(const std::filesystem::path &output,
                const nlohmann::ordered_json &context,
                const nlohmann::ordered_json &command);

  std::filesystem::path evaluation, calibration;
};

/// Small pictures of samples whose answers changed, of those that set most
/// ranges of the calibration and of odd ones, where samples are pictures.
/// `accuracy` is what the file of that name holds, or an empty object.
nlohmann::ordered_json picturesOf(const SampleFolders &folders,
                                  const nlohmann::ordered_json &accuracy,
                                  const Calibration *calibration);

} // namespace parallax

#endif // PARALLAX_LIB_PIPELINE_REPORTSUMMARIES_H
