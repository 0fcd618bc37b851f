//===- Build.h - From a configuration to a compiled model ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What `parallax build` and parallax/Compiler.h do. Messages, tables and
// progress go to the listener of the calling thread.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_BUILD_H
#define PARALLAX_PIPELINE_BUILD_H

#include "parallax/Analysis/Accuracy.h"
#include "parallax/Analysis/PrecisionReport.h"
#include "parallax/Config/BuildConfig.h"
#include "parallax/Support/CompileOptions.h"

namespace parallax {

struct BuildOptions : CompileOptions {
  /// The words that the build was asked with, for whoever repeats it.
  std::vector<std::string> command;
  /// Where the analysis leaves what layers give for its first sample; empty if
  /// nobody asks.
  std::string evidenceDir;
};

struct BuildResult {
  /// Empty until the first file is written.
  std::string outputDir;
  /// As it was built: suggestions may have changed it.
  BuildConfig config;
  /// The phases that have run.
  std::vector<std::string_view> phases;
  /// What the analysis has found.
  std::optional<PrecisionReport> report;
  /// What the compiled model takes on the NPU; 0 if there is none.
  int64_t cycles = 0;
  /// What the evaluation has found.
  std::optional<Accuracy> accuracy;
  /// An output has not reached CompileOptions::failUnder.
  bool isTooImprecise = false;
};

/// Reads a configuration and tells what looks wrong with it. Throws Error.
BuildConfig readConfiguration(const ConfigChoice &choice);

/// Builds as the configuration says. The result is filled in step by step, so
/// that something is known of a build that fails. Throws Error.
void runBuild(BuildOptions options, BuildResult &result);

} // namespace parallax

#endif // PARALLAX_PIPELINE_BUILD_H
