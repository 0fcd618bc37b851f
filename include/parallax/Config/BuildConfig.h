//===- BuildConfig.h - What `parallax build` is asked to do ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The fields of a configuration file that the stages built so far obey. Every
// other known field is reported as not acted on; an unknown one is an error.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CONFIG_BUILDCONFIG_H
#define PARALLAX_CONFIG_BUILDCONFIG_H

#include "parallax/Frontend/ONNX/Processors.h"

#include <string>
#include <vector>

namespace parallax {

/// How the float network is optimized.
struct OnnxOptions {
  bool disableOnnxOptimization = false;
  /// Compare the optimized network with the imported one.
  bool modelCheck = false;
  /// Do not check each rewrite.
  bool disableTransformationCheck = false;
};

struct DebugOptions {
  bool dumpFrontendGraph = false;
};

struct BuildConfig {
  std::string input;
  std::string outputDir;
  std::string inputShapes;
  OnnxOptions onnxOpt;
  DebugOptions debug;
  std::vector<onnx_import::OpProcessor> opProcessors;
  std::vector<onnx_import::ConstProcessor> constProcessors;
  /// Labelled samples that accuracy is measured on: one .npy of all inputs,
  /// stacked along the first dimension, and one of integer labels.
  std::string evaluationImages, evaluationLabels;
  /// Fields that were given and have no effect, such as "quant" or
  /// "onnx_opt.enable_onnxsim".
  std::vector<std::string> ignoredFields;
};

/// Reads relaxed JSON (comments and trailing commas are allowed). Paths in the
/// file are relative to the current folder, as in Pulsar2. Throws Error.
BuildConfig readBuildConfig(const std::string &path);

} // namespace parallax

#endif // PARALLAX_CONFIG_BUILDCONFIG_H
