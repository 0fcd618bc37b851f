//===- MethodNetworks.h - One network with the ranges of others -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What other calibration methods would make of a network: one sweep over the
// calibration set collects what all of them choose from.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_METHODNETWORKS_H
#define PARALLAX_PIPELINE_METHODNETWORKS_H

#include "parallax/Passes/Calibrate/Statistics.h"
#include "parallax/Pipeline/Attempt.h"

namespace parallax {

class MethodNetworks {
public:
  /// Runs the calibrated network of `state` on the calibration set.
  explicit MethodNetworks(BuildState &state);

  /// The network as `config` says, but with the ranges that a method chooses
  /// where tensors have none of their own. Nothing if it can't be built.
  std::optional<NetworkBeside> build(const RangeMethod &method,
                                     const BuildConfig &config) const;

private:
  BuildState &state;
  NetworkStatistics statistics;
  size_t calibratedOn = 0;
};

} // namespace parallax

#endif // PARALLAX_PIPELINE_METHODNETWORKS_H
