//===- MethodTrials.cpp - Other calibration methods, executed -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One sweep over the calibration set collects what all methods choose from.
//===----------------------------------------------------------------------===//
#include "MethodTrials.h"

#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Passes/Calibrate/Calibrate.h"
#include "parallax/Pipeline/Attempt.h"
#include "parallax/Pipeline/CalibrateStage.h"

#include <algorithm>

namespace parallax {
namespace {

/// Each costs an inference for each method.
constexpr size_t mostSamplesOfTrials = 4;

} // namespace

MethodTrials::MethodTrials(BuildState &state, Samples given)
    : state(state), samples(std::move(given)) {
  samples.count = std::min(samples.count, mostSamplesOfTrials);
}

void MethodTrials::begin() {
  floats =
      outputsOf(state.network->prepare({}), samples, state.options.threads);
  loss = lossOf(machineOf(state));
  if (!(loss > 0))
    return;
  // MinMax alone would do without histograms.
  CalibrationOptions options = calibrationOptions(state, QuantMethod::Mse);
  const CalibrationSet set = openCalibrationSet(*state.network, state.config);
  calibratedOn = set.size();
  mlir::func::FuncOp network = state.network->function();
  RangesAside aside(network);
  statistics = collectStatistics(
      prepareCalibration(network), set.size(),
      [&](size_t i) { return set.load(i); }, options);
}

double MethodTrials::lossOf(mlir::func::FuncOp machine) const {
  std::vector<ComparedOutput> outputs =
      compareOutputs(prepare(machine, npuKernels(), {}), samples, floats,
                     state.options.threads);
  double sum = 0;
  for (const ComparedOutput &output : outputs)
    sum += 1 - output.similarity();
  return outputs.empty() ? 0 : sum / double(outputs.size());
}

std::optional<double> MethodTrials::partLeft(QuantMethod method) {
  if (floats.empty())
    begin();
  if (!(loss > 0))
    return std::nullopt;
  Calibration ranges =
      chooseRanges(state.network->function(), statistics,
                   calibrationOptions(state, method), calibratedOn);
  std::optional<NetworkBeside> built =
      buildBeside(state, state.config, &ranges);
  if (!built)
    return std::nullopt;
  return lossOf(built->machine) / loss;
}

} // namespace parallax
