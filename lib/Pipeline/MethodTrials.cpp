//===- MethodTrials.cpp - Other calibration methods, executed -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What they lose is measured on a few samples.
//===----------------------------------------------------------------------===//
#include "MethodTrials.h"

#include "parallax/Backend/NPU/NPU.h"

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
  networks.emplace(state);
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
  std::optional<NetworkBeside> built =
      networks->build({method, state.config.quant.percentile}, state.config);
  if (!built)
    return std::nullopt;
  return lossOf(built->machine) / loss;
}

} // namespace parallax
