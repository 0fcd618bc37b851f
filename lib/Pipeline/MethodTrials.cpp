//===- MethodTrials.cpp - Other calibration methods, executed -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What they lose is measured on a few samples.
//===----------------------------------------------------------------------===//
#include "MethodTrials.h"

#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Support/Ranks.h"

#include <algorithm>

namespace parallax {
namespace {

double lossOf(const std::vector<ComparedOutput> &outputs) {
  double sum = 0;
  for (const ComparedOutput &output : outputs)
    sum += 1 - output.similarity();
  return outputs.empty() ? 0 : sum / double(outputs.size());
}

} // namespace

SeenOutputs::SeenOutputs(const std::vector<PortInfo> &outputs, size_t samples) {
  // Larger ones are computed again, if somebody asks.
  constexpr size_t mostBytes = size_t(16) << 20;
  size_t bytes = 0;
  for (const PortInfo &output : outputs) {
    names.push_back(output.name);
    bytes += size_t(elementCount(output.shape)) * sizeOf(output.dtype);
  }
  if (bytes > mostBytes)
    return;
  floats.assign(samples, std::vector<Tensor>(names.size()));
  machine = floats;
}

void SeenOutputs::take(const ComparedValues &compared) {
  bool isFloat = !compared.comparison;
  if (compared.sample >= floats.size() ||
      (!isFloat && compared.comparison->mode != AnalysisMode::NPUBackend))
    return;
  std::vector<Tensor> &sample = (isFloat ? floats : machine)[compared.sample];
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == compared.tensor)
      sample[i] = compared.values.clone();
}

bool SeenOutputs::areComplete(size_t samples) const {
  auto isWhole = [](const std::vector<Tensor> &sample) {
    return std::ranges::none_of(
        sample, [](const Tensor &tensor) { return tensor.isNull(); });
  };
  return floats.size() == samples && std::ranges::all_of(floats, isWhole) &&
         std::ranges::all_of(machine, isWhole);
}

MethodTrials::MethodTrials(BuildState &state, Samples given,
                           const SeenOutputs &seen)
    : state(state), samples(std::move(given)), seen(seen) {
  samples.count = std::min(samples.count, mostSamples);
}

void MethodTrials::begin() {
  // Other ranks have other samples, and all have to do the same.
  if (!ranks().areSeveral() && seen.areComplete(samples.count)) {
    floats = seen.floats;
    loss = lossOf(compareOutputs(seen.machine, floats));
  } else {
    floats =
        outputsOf(state.network->prepare({}), samples, state.options.threads);
    loss = lossOf(run(machineOf(state)));
  }
  if (loss > 0)
    networks.emplace(state);
}

std::vector<ComparedOutput>
MethodTrials::run(mlir::func::FuncOp machine) const {
  return compareOutputs(prepare(machine, npuKernels(), {}), samples, floats,
                        state.options.threads);
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
  return lossOf(run(built->machine)) / loss;
}

} // namespace parallax
