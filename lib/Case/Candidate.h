//===- Candidate.h - A case that may be smaller ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// All that a build reads, in memory: a float network, samples of its inputs,
// ranges of its tensors and a configuration.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_CASE_CANDIDATE_H
#define PARALLAX_LIB_CASE_CANDIDATE_H

#include "parallax/Analysis/PrecisionReport.h"
#include "parallax/Config/BuildConfig.h"
#include "parallax/Passes/Calibrate/CalibrationFile.h"
#include "parallax/Passes/Reduce/Reduce.h"

#include <filesystem>

namespace parallax {

struct Candidate {
  mlir::func::FuncOp network;
  std::vector<Sample> samples;
  /// Ranges that were found on the whole network and all of its samples.
  /// Without them, the samples are calibrated on.
  std::optional<Calibration> ranges;
  /// Rules of layer_configs name layers, never the ends of a part.
  BuildConfig config;

  /// Writes it as the inputs of a build. `target` is the file of the chip.
  void write(const std::filesystem::path &folder,
             const std::string &target) const;
};

/// The configuration of a case for a part of its network: without what belongs
/// to inputs and outputs that may be gone, and with rules that name layers.
/// `audit` is the file in which its build says which layers rules have found.
BuildConfig configOfPart(const BuildConfig &config,
                         const std::filesystem::path &audit);

/// Rules by which the layers of a part have the results that they have in the
/// whole, `table`: what has only outputs behind it might give float.
std::vector<LayerConfig> rulesForResults(const PrecisionTable &table);

/// Gives layers and tensors their new names in rules and ranges.
void rename(Candidate &candidate, const NewNames &names);

} // namespace parallax

#endif // PARALLAX_LIB_CASE_CANDIDATE_H
