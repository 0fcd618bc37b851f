//===- Phases.h - The phases of a build ------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A build is a list of phases. It can stop after any of them and leave a
// checkpoint, and a later one can go on from there.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_PHASES_H
#define PARALLAX_PIPELINE_PHASES_H

#include "parallax/Passes/Calibrate/CalibrationFile.h"
#include "parallax/Passes/Calibrate/Statistics.h"
#include "parallax/Pipeline/Build.h"
#include "parallax/Pipeline/Network.h"
#include "parallax/Pipeline/OutputFiles.h"

#include <span>

namespace parallax {

/// What the phases hand on.
struct BuildState {
  BuildConfig config;
  BuildOptions options;
  /// Where the analysis leaves what it finds.
  BuildResult *result = nullptr;
  /// What the analyzed network takes on the NPU, without processors.
  int64_t cycles = 0;
  std::optional<Network> network;
  /// As it was written, if the phase has run.
  std::optional<Calibration> calibration;
  /// What it was chosen from, with histograms, if it has run and an analysis
  /// may ask what other methods would choose.
  std::optional<NetworkStatistics> statistics;
  /// Of the model that was imported, or that the checkpoint was made of.
  std::string modelDigest;

  OutputFiles files() const { return OutputFiles(config.outputDir); }
};

struct Phase {
  std::string_view name;
  /// What it does, for --help.
  std::string_view does;
  void (*run)(BuildState &);
  /// Whether the configuration asks for it.
  bool (*isWanted)(const BuildConfig &);
};

std::span<const Phase> buildPhases();

/// What to import, as the configuration says.
NetworkOptions networkOptions(const BuildConfig &config);

/// The phases from one name to another, both included; empty names mean the
/// first and the last one. Throws Error that lists the names.
std::span<const Phase> phasesBetween(const std::string &from,
                                     const std::string &to);

/// Where a phase leaves its checkpoint: that of the last one before it, if the
/// configuration does not want it.
std::filesystem::path checkpointOf(const BuildConfig &config,
                                   const Phase &phase);

/// Makes the state that `first` starts from: nothing, or what the phase in
/// front of it has left. False if that is nothing.
bool restoreBefore(const Phase &first, BuildState &state);

/// Weights may be read from their file in any phase: throws Error if the model
/// is no longer what was imported.
void checkModelIsSame(const BuildState &state);

/// Builds once more from a phase to another, both included, for example
/// because the configuration has changed. What the phases made before goes.
void buildAgain(BuildState &state, const std::string &from,
                const std::string &to = "");

} // namespace parallax

#endif // PARALLAX_PIPELINE_PHASES_H
