//===- CompileOptions.h - What a build is asked for ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For programs, which get it from Compiler.h, as for the command line. The
// network and its data are described by the configuration.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_COMPILEOPTIONS_H
#define PARALLAX_SUPPORT_COMPILEOPTIONS_H

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace parallax {

/// A field that wins over the configuration, as the flag of its name does:
/// {"quant.precision_analysis", {"true"}}.
struct ConfigOverride {
  std::string field;
  std::vector<std::string> words;
};

struct ConfigChoice {
  /// The file with the configuration, or its text (docs/config.md). Paths in it
  /// are relative to the current folder.
  std::filesystem::path configFile;
  std::string configText;
  std::vector<ConfigOverride> overrides;
};

struct CompileOptions : ConfigChoice {
  /// 0 takes all processors. The results don't depend on it.
  int threads = 0;
  /// Stop as soon as configuration, model and data are known to fit together.
  bool onlyCheck = false;
  /// A rule of quant.layer_configs that matches no layer is only worth a
  /// warning.
  bool allowUnmatched = false;
  /// What the cosine of every output has to reach.
  std::optional<double> failUnder;
  /// How many suggestions of the analysis are to be applied and measured.
  int applySuggestions = 0;
  /// Only this one, counted from 1 as they are listed; 0 for the first ones.
  int applySuggestion = 0;
  /// The first phase, which goes on from a checkpoint, and the last one, which
  /// leaves one: "import", "optimize", "calibrate", "quantize", "compile",
  /// "evaluate" or "analyze". Empty names mean all.
  std::string phaseFrom, phaseTo;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_COMPILEOPTIONS_H
