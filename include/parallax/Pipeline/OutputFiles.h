//===- OutputFiles.h - What a build writes, and where ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Scripts of users look for these names, so each of them stands here only.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_OUTPUTFILES_H
#define PARALLAX_PIPELINE_OUTPUTFILES_H

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace parallax {

/// The paths of the files below an output folder, whether they exist or not.
class OutputFiles {
public:
  using Path = std::filesystem::path;

  explicit OutputFiles(Path outputDir) : folder(std::move(outputDir)) {}

  Path log() const { return folder / "build.log"; }
  /// The configuration with all defaults, and how the build was started.
  Path context() const { return folder / "build_context.json"; }
  Path command() const { return folder / "build_command.json"; }
  /// Which files belong together; the last one that a build writes.
  Path manifest() const { return folder / "manifest.json"; }
  /// Exists while a command writes to the folder.
  Path lock() const { return folder / "build.lock"; }
  /// Samples of the analysis that a suggestion wants to calibrate on.
  Path analyzedSamples() const { return folder / "analyzed_samples"; }

  // The float network.
  Path optimizedModel() const { return frontend("optimized.onnx"); }
  Path nameMap() const { return frontend("name_map.json"); }
  Path importedMlir() const { return frontend("imported.mlir"); }
  Path optimizedMlir() const { return frontend("optimized.mlir"); }

  // Calibration and quantization.
  /// What archives of samples are unpacked to.
  Path datasetFolder() const { return quant("dataset"); }
  Path calibration() const { return quant("calibration.json"); }
  Path floatChanges() const { return quant("float_changes.json"); }
  Path layerConfigAudit() const { return quant("layer_config_audit.json"); }
  Path sharedScales() const { return quant("shared_scales.json"); }
  Path quantizedModel() const { return quant("quant_axmodel.onnx"); }
  Path quantizedParameters() const { return quant("quant_axmodel.json"); }

  // The compiler.
  Path lowering() const { return compiler("lowering.json"); }
  Path target() const { return compiler("target.json"); }
  Path profile() const { return compiler("op_profile.csv"); }
  Path trace() const { return compiler("trace.json"); }

  // The analysis.
  Path debugFolder() const { return quant("debug"); }
  Path precisionText() const { return debug("precision_analysis_table.txt"); }
  Path precisionCsv() const { return debug("precision_analysis_table.csv"); }
  Path precisionJson() const { return debug("precision_analysis_table.json"); }
  Path precisionChart() const { return debug("precision_analysis.mmd"); }
  Path weightsTable() const { return debug("weights_table.csv"); }
  Path activationsTable() const { return debug("activations_table.csv"); }
  Path attributionTable() const { return debug("attribution_table.csv"); }
  Path profilingTable() const { return debug("profiling_table.csv"); }
  Path suggestions() const { return debug("suggestions.json"); }
  Path suggestedConfig() const { return debug("suggested_config.json"); }

  // The evaluation.
  Path evaluationFolder() const { return folder / "evaluation"; }
  Path accuracyJson() const { return evaluationFolder() / "accuracy.json"; }
  Path answers() const { return evaluationFolder() / "answers.csv"; }
  Path changedAnswers() const { return evaluationFolder() / "changed.json"; }
  Path answerJournal() const { return evaluationFolder() / "unfinished"; }

  // The tuning.
  Path tuningFolder() const { return folder / "tuning"; }
  Path tuningHistory() const { return tuning("history.jsonl"); }
  Path tuningFront() const { return tuning("front.json"); }
  Path tuningFrontTable() const { return tuning("front.csv"); }
  Path tunedConfig() const { return tuning("tuned_config.json"); }

  /// All of it, to look at.
  Path report() const { return folder / "report.html"; }

  // What phases leave.
  Path checkpoint(std::string_view phase) const {
    return folder / "phases" / (std::string(phase) + ".mlirbc");
  }
  Path phaseDump(std::string_view phase) const {
    return folder / "phases" / (std::string(phase) + ".mlir");
  }

private:
  Path frontend(const char *name) const { return folder / "frontend" / name; }
  Path quant(const char *name) const { return folder / "quant" / name; }
  Path compiler(const char *name) const { return folder / "compiler" / name; }
  Path debug(const char *name) const { return debugFolder() / name; }
  Path tuning(const char *name) const { return tuningFolder() / name; }

  Path folder;
};

} // namespace parallax

#endif // PARALLAX_PIPELINE_OUTPUTFILES_H
