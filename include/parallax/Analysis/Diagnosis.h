//===- Diagnosis.h - Why a layer is bad, and what to change ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Causes are derived from measured facts. A suggestion is a change of the
// configuration with a prediction that can be verified.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_DIAGNOSIS_H
#define PARALLAX_ANALYSIS_DIAGNOSIS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

struct PrecisionReport;

enum class Cause {
  /// A few channels take the codes of all others.
  ActivationOutliers,
  /// The calibration has seen values far beyond all others, and the codes cover
  /// them.
  WideRange,
  /// Channels vary by less than half a step.
  DeadChannels,
  /// Values lie beyond the calibrated range.
  Saturation,
  /// One channel of the weights dominates their range.
  WeightRange,
  /// The step is large for the size of most values.
  CoarseStep,
  /// A 16-bit function is interpolated between the entries of its table.
  TableInterpolation,
  /// The layer itself is good: its inputs are wrong.
  Upstream,
  /// Samples are prepared in another way than those of the calibration.
  InputPreparation,
  /// The Reference engine computes NaN or infinity where the NPU is right.
  ReferenceArithmetic,
  /// The NPU does not compute what its specification says.
  MachineArithmetic,
};

std::string_view nameOf(Cause cause);

struct Diagnosis {
  std::string node, tensor;
  Cause cause = Cause::CoarseStep;
  /// A sentence with the numbers that the cause was read off.
  std::string facts;
  /// What the layer adds to the loss of outputs; 0 if that is unknown.
  double loss = 0;
};

/// A change of one field of the configuration.
struct ConfigEdit {
  /// "quant.layer_configs".
  std::string field;
  /// The new value as JSON; of a list, one more entry for it.
  std::string value;
  bool appends = false;
};

struct Suggestion {
  /// What it does, in a few words.
  std::string title;
  /// The layers that it is for.
  std::vector<std::string> layers;
  std::vector<ConfigEdit> edits;
  /// The predicted rise of the cosine of outputs, as a mean over outputs.
  double predictedGain = 0;
  /// The estimated number of additional cycles on the NPU.
  int64_t extraCycles = 0;
  /// The gain was not predicted but executed, on so many samples; else 0.
  int64_t executedOn = 0;
};

} // namespace parallax

#endif // PARALLAX_ANALYSIS_DIAGNOSIS_H
