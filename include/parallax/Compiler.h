//===- Compiler.h - Compile and analyze a model ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// All that a program needs in order to do what `parallax build` does: no header
// of MLIR, and nothing is printed. docs/library.md has an example; Runtime.h
// runs what was compiled.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_COMPILER_H
#define PARALLAX_COMPILER_H

#include "parallax/Analysis/Accuracy.h"
#include "parallax/Analysis/Diagnosis.h"
#include "parallax/Support/EvaluateOptions.h"
#include "parallax/Support/Listener.h"
#include "parallax/Support/TuneOptions.h"
#include "parallax/Tune/TuneResult.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace parallax {

/// An output of the network, with all errors accumulated, as the NPU
/// computes it if that was analyzed.
struct OutputPrecision {
  std::string name;
  /// With the float network over all samples; of integers and truth values,
  /// the part that is equal.
  double cosine = 1;
  /// The first sample with the smallest cosine, counted from 0.
  int64_t worstSample = -1;
  double worstSampleCosine = 1;
  /// "good", "bad" or, where the samples don't tell, "undecided", and why.
  std::string verdict, reason;
};

/// How close a tensor is to that of the float network.
struct PrecisionScore {
  /// "PerLayer" is the layer by itself, "EndToEnd" has all errors in front of
  /// it too.
  std::string method;
  /// "Reference" rounds floats to codes, "NPUBackend" is the NPU.
  std::string mode;
  double cosine = 1, mse = 0;
};

/// A result of a layer.
struct LayerScores {
  std::string layer, tensor;
  /// The operator as ONNX calls it, and the type of the result: "Conv", "U8".
  std::string op, type;
  /// What the layer takes on the NPU; 0 if that is unknown.
  int64_t cycles = 0;
  std::vector<PrecisionScore> scores;
};

/// What was written; a path is empty if its file was not.
struct CompileFiles {
  std::filesystem::path log, optimizedModel, calibration, quantizedModel,
      compiledModel;
  /// The analysis for people and for programs.
  std::filesystem::path analysisText, analysisJson;
  /// The suggestions, and the configuration with the first of them.
  std::filesystem::path suggestions, suggestedConfig;
  /// All of the analysis, to look at in a browser.
  std::filesystem::path report;
};

struct CompileResult {
  /// In the order of the network; these are empty without
  /// quant.precision_analysis.
  std::vector<OutputPrecision> outputs;
  std::vector<LayerScores> layers;
  /// The worst first, and the best first.
  std::vector<Diagnosis> diagnoses;
  std::vector<Suggestion> suggestions;
  /// Of the float network, of Reference and of NPUBackend, where the
  /// configuration brings labelled samples.
  std::optional<Accuracy> accuracy;
  /// What the compiled model takes on the NPU; 0 if there is none.
  int64_t cycles = 0;
  /// False if an output has not reached CompileOptions::failUnder.
  bool isPreciseEnough = true;
  CompileFiles files;
};

/// Compiles a model, and analyzes it if the configuration asks for that. The
/// listener hears messages, tables and progress from any thread, and can cancel
/// the work; files that are complete stay then. Throws Error, or Cancelled.
CompileResult compile(const CompileOptions &options,
                      Listener *listener = nullptr);

/// Evaluates models on the task of a configuration, in the same way.
Accuracy evaluate(const EvaluateOptions &options, Listener *listener = nullptr);

/// Finds the cheapest network that keeps its accuracy, in the same way.
TuneResult tune(const TuneOptions &options, Listener *listener = nullptr);

} // namespace parallax

#endif // PARALLAX_COMPILER_H
