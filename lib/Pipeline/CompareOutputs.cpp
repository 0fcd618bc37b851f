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

namespace {

/// What samples add to the comparison of each output.
class OutputSums {
public:
  explicit OutputSums(size_t count)
      : groups(count), totals(count, TensorComparison()) {}

  void add(std::span<const Tensor> outputs,
           const std::vector<Tensor> &references) {
    for (size_t k = 0; k < totals.size(); ++k) {
      TensorComparison one;
      one.add(outputs[k], references[k]);
      groups[k].add(one);
      totals[k].merge(one);
    }
  }

  std::vector<ComparedOutput> result() const {
    std::vector<ComparedOutput> result;
    for (size_t k = 0; k < totals.size(); ++k) {
      ComparedOutput &output = result.emplace_back();
      output.all = totals[k].result();
      if (!output.all.isExact)
        output.groups = groups[k].result(totals[k]);
    }
    return result;
  }

private:
  std::vector<ChannelGroups> groups;
  std::vector<TensorComparison> totals;
};

} // namespace

std::vector<ComparedOutput> compareOutputs(const SampleOutputs &found,
                                           const SampleOutputs &references) {
  OutputSums sums(found.empty() ? 0 : found[0].size());
  for (size_t i = 0; i < found.size(); ++i)
    sums.add(found[i], references[i]);
  return sums.result();
}

std::vector<ComparedOutput> compareOutputs(const Executable &network,
                                           const Samples &samples,
                                           const SampleOutputs &references,
                                           int threads) {
  OutputSums sums(network.outputs.size());
  SampleCallbacks callbacks;
  callbacks.load = samples.load;
  callbacks.consume = [&](size_t i, std::span<const Tensor> outputs) {
    sums.add(outputs, references[i]);
  };
  callbacks.isDealt = true;
  runSamples(network, samples.count, threads, callbacks);
  return sums.result();
}

} // namespace parallax
