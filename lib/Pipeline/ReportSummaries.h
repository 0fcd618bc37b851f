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

#include <nlohmann/json.hpp>

namespace parallax {

/// Ranges without the channels that nobody could see.
std::string calibrationSummary(const Calibration &calibration);

/// The largest magnitude of each output channel of weights, from the scales of
/// quant_axmodel.json. Empty if that is not what Parallax writes.
std::string weightsSummary(std::string_view quantizedParameters);

/// Small pictures of samples whose answers changed, of those that set most
/// ranges of the calibration and of odd ones, where samples are pictures. `context` and
/// `accuracy` are what the files of those names hold, or empty objects.
nlohmann::ordered_json picturesOf(const nlohmann::ordered_json &context,
                                  const nlohmann::ordered_json &accuracy,
                                  const Calibration *calibration);

} // namespace parallax

#endif // PARALLAX_LIB_PIPELINE_REPORTSUMMARIES_H
