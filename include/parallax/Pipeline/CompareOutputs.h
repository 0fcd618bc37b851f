//===- CompareOutputs.h - Outputs beside those of float --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What another network makes of the outputs, in groups of channels, as the
// verdict on outputs sees them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_COMPAREOUTPUTS_H
#define PARALLAX_PIPELINE_COMPAREOUTPUTS_H

#include "parallax/Analysis/ChannelGroups.h"
#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Support/Samples.h"

namespace parallax {

/// By sample, then by output.
using SampleOutputs = std::vector<std::vector<Tensor>>;

SampleOutputs outputsOf(const Executable &network, const Samples &samples,
                        int threads);

/// One output over all samples.
struct ComparedOutput {
  ComparisonResult all;
  /// Of floats.
  std::vector<ChannelGroup> groups;

  /// What decides: the cosine of the weakest group, or how many integers agree.
  double similarity() const;
};

std::vector<ComparedOutput> compareOutputs(const SampleOutputs &found,
                                           const SampleOutputs &references);

/// `references` has the outputs of the float network for each sample.
std::vector<ComparedOutput> compareOutputs(const Executable &network,
                                           const Samples &samples,
                                           const SampleOutputs &references,
                                           int threads);

} // namespace parallax

#endif // PARALLAX_PIPELINE_COMPAREOUTPUTS_H
