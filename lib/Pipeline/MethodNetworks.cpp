//===- MethodNetworks.cpp - One network with the ranges of others ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Networks are built beside the one of the build, which stays as it is.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/MethodNetworks.h"

#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Passes/Calibrate/Calibrate.h"
#include "parallax/Pipeline/CalibrateStage.h"

namespace parallax {

MethodNetworks::MethodNetworks(BuildState &state) : state(state) {
  const CalibrationSet set = openCalibrationSet(*state.network, state.config);
  calibratedOn = set.size();
  if (state.statistics && triesMethods(state.config)) {
    statistics = *state.statistics;
    return;
  }
  // MinMax alone would do without histograms.
  CalibrationOptions options = calibrationOptions(state, QuantMethod::Mse);
  mlir::func::FuncOp network = state.network->function();
  RangesAside aside(network);
  statistics = collectStatistics(
      prepareCalibration(network), set.size(),
      [&](size_t i) { return set.load(i); }, options);
}

std::optional<NetworkBeside>
MethodNetworks::build(const RangeMethod &method,
                      const BuildConfig &config) const {
  CalibrationOptions options = calibrationOptions(state, method.method);
  options.percentile = method.percentile;
  Calibration ranges = chooseRanges(state.network->function(), statistics,
                                    options, calibratedOn);
  return buildBeside(state, config, &ranges);
}

} // namespace parallax
