//===- Workbench.h - Where trial networks are built ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Builds networks through the phases of a build, so that a trial is what a
// build with its configuration gives. What is the same for many trials is done
// once.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_TUNE_WORKBENCH_H
#define PARALLAX_LIB_TUNE_WORKBENCH_H

#include "parallax/Passes/Analyze/AnalyzedNetwork.h"
#include "parallax/Pipeline/Attempt.h"
#include "parallax/Support/Samples.h"

#include <filesystem>

namespace parallax {

class Workbench {
public:
  /// Files of trials go to `folder`, which is removed at the end.
  Workbench(BuildConfig config, std::filesystem::path folder, int threads);
  ~Workbench();

  /// Rules that all trials have, before their own changes.
  void require(std::vector<ConfigEdit> rules) { required = std::move(rules); }
  std::vector<ConfigEdit> withRequired(std::span<const ConfigEdit> edits) const;

  /// Imports, optimizes and calibrates as the configuration with these changes
  /// says; what was calibrated in the same way stays.
  void calibrate(std::span<const ConfigEdit> edits);
  /// Builds up to the compiled model. Throws Error if it can't be built.
  void build(std::span<const ConfigEdit> edits);

  // Of what was built last.
  Executable machine();
  /// What the objective counts.
  int64_t cost();
  /// Of the compiled model.
  std::string digest() const;
  PrecisionReport analyze(const Samples &samples,
                          const AnalysisOptions &options);

  /// What changes would make of what was calibrated last. Nothing if it can't
  /// be built in that way.
  std::optional<Trial> attempt(std::span<const ConfigEdit> edits);
  /// What the objective counts of it, in all and by layer.
  int64_t costOf(const Trial &trial) const;
  std::map<std::string, double> layerCosts(const Trial &trial) const;
  /// What it counts of turning 16 bits of a tensor into 8.
  double conversionCost(const PrecisionRow &tensor) const;

  BuildState &calibrated() { return state; }
  const BuildConfig &base() const { return original; }

private:
  BuildConfig original;
  std::filesystem::path folder;
  std::vector<ConfigEdit> required;
  BuildResult ignored;
  BuildState state;
  /// What has been calibrated: all changes but those of types.
  std::string calibratedAs;
  bool isCalibrated = false;
  /// Whether quantization has changed the float network since then.
  bool isImproved = false;
};

} // namespace parallax

#endif // PARALLAX_LIB_TUNE_WORKBENCH_H
