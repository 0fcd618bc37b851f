//===- FloatStage.h - From an imported to an optimized network -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What `parallax build` and `parallax optimize` have in common: optimize,
// check it by execution, show it, and write the files that users name layers by.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_FLOATSTAGE_H
#define PARALLAX_PIPELINE_FLOATSTAGE_H

#include "parallax/Pipeline/Network.h"
#include "parallax/Support/Samples.h"

#include <filesystem>
#include <functional>

namespace parallax {

/// Reproducible random ones.
Samples randomSamples(std::span<const PortInfo> inputs);

struct FloatStageOptions {
  bool optimize = true;
  /// Execute both sides of every rewrite.
  bool checkRewrites = true;
  /// Compare the outputs of the whole network before and after.
  bool checkModel = false;
  std::function<Samples(std::span<const PortInfo>)> samples = randomSamples;
  int threads = 1;
  /// Keep the network as it was imported, as a view.
  bool keepsImported = false;
  /// Where results go; an empty path is not written.
  std::filesystem::path onnx, nameMap, importedMlir, optimizedMlir;
};

/// Writes the network with weights left out: for reading. `what` names it in
/// the log.
void writeMlir(const std::filesystem::path &path, Network &network,
               std::string_view what);

/// Optimizes the network in place. Throws Error if the check of the model
/// fails; nothing is written then.
void runFloatStage(Network &network, const FloatStageOptions &options);

} // namespace parallax

#endif // PARALLAX_PIPELINE_FLOATSTAGE_H
