//===- CompareOutputs.cpp - Outputs beside those of float -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Networks run one after the other, so only outputs are kept.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/CompareOutputs.h"

#include "parallax/Backend/Core/SampleRunner.h"

namespace parallax {

SampleOutputs outputsOf(const Executable &network, const Samples &samples,
                        int threads) {
  SampleOutputs result(samples.count);
  SampleCallbacks callbacks;
  callbacks.load = samples.load;
  callbacks.consume = [&](size_t i, std::span<const Tensor> outputs) {
    for (const Tensor &output : outputs)
      result[i].push_back(output.clone());
  };
  callbacks.isDealt = true;
  runSamples(network, samples.count, threads, callbacks);
  return result;
}

double ComparedOutput::similarity() const {
  return all.isExact ? all.agreement : weakestCosine(groups, all.similarity());
}

std::vector<ComparedOutput> compareOutputs(const Executable &network,
                                           const Samples &samples,
                                           const SampleOutputs &references,
                                           int threads) {
  size_t count = network.outputs.size();
  std::vector<ChannelGroups> groups(count);
  std::vector<TensorComparison> totals(count, TensorComparison());
  SampleCallbacks callbacks;
  callbacks.load = samples.load;
  callbacks.consume = [&](size_t i, std::span<const Tensor> outputs) {
    for (size_t k = 0; k < count; ++k) {
      TensorComparison one;
      one.add(outputs[k], references[i][k]);
      groups[k].add(one);
      totals[k].merge(one);
    }
  };
  callbacks.isDealt = true;
  runSamples(network, samples.count, threads, callbacks);
  std::vector<ComparedOutput> result;
  for (size_t k = 0; k < count; ++k) {
    ComparedOutput &output = result.emplace_back();
    output.all = totals[k].result();
    if (!output.all.isExact)
      output.groups = groups[k].result(totals[k]);
  }
  return result;
}

} // namespace parallax
