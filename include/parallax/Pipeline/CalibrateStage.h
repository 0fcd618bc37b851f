//===- CalibrateStage.h - Ranges from samples ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The stage of a build between the float network and its quantization.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_CALIBRATESTAGE_H
#define PARALLAX_PIPELINE_CALIBRATESTAGE_H

#include "parallax/Analysis/PrecisionReport.h"
#include "parallax/Data/Calibration.h"
#include "parallax/Passes/Calibrate/Statistics.h"
#include "parallax/Pipeline/FloatStage.h"
#include "parallax/Pipeline/Phases.h"

namespace parallax {

/// True if the configuration brings samples, or ranges of an earlier build.
bool hasCalibration(const BuildConfig &config);

/// Checks everything about the samples that can be checked without running the
/// network. Throws one Error that lists all problems.
void checkCalibration(Network &network, const BuildConfig &config);

/// Whether an analysis may try what other methods would choose. What improves
/// the float network was measured with the ranges that it has.
bool triesMethods(const BuildConfig &config);

/// Checks that the entries of tensor_configs select tensors, and warns of those
/// that don't, if that is allowed; throws Error. Tensors have their names once
/// the network is optimized.
void checkTensorConfigs(BuildState &state);

/// How ranges are chosen with a method, where tensors have none of their own.
CalibrationOptions calibrationOptions(BuildState &state, QuantMethod method);

/// Where the samples of inputs come from, and how pictures are prepared.
std::vector<CalibrationSource>
calibrationSources(const std::vector<PortInfo> &inputs,
                   const BuildConfig &config);

/// All samples; archives are unpacked.
CalibrationSet openCalibrationSet(Network &network, const BuildConfig &config);

/// The same, with the name of their file.
Samples calibrationSamples(Network &network, const BuildConfig &config);

struct AnalyzedSamples : Samples {
  SampleOrigin origin = SampleOrigin::Others;
  /// What people call a sample; may be null.
  std::function<std::string(size_t sample)> name;
};

/// Those to analyze: those that are held out of the calibration, or those of
/// the calibration if there are no others.
AnalyzedSamples heldOutSamples(Network &network, const BuildConfig &config);

/// Samples of which the first `seen` are those to calibrate on.
struct SeenSamples : Samples {
  size_t seen = 0;
};
/// A few of the samples to calibrate on, and of those that are not.
SeenSamples calibrationAndOthers(Network &network, const BuildConfig &config);

/// Prints the Quant Config Table, collects ranges, writes
/// quant/calibration.json, and adds the calibrated view to the network.
void runCalibrateStage(BuildState &state);

} // namespace parallax

#endif // PARALLAX_PIPELINE_CALIBRATESTAGE_H
