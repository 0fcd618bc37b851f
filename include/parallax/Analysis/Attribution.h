//===- Attribution.h - Which layers cause the loss --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The loss of an output is 1 - its cosine with the float network. It is shared
// out among layers, and shown stage by stage.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_ATTRIBUTION_H
#define PARALLAX_ANALYSIS_ATTRIBUTION_H

#include "parallax/Config/Enums.h"

#include <cstdint>
#include <string>
#include <vector>

namespace parallax {

/// Floats that are rounded to codes, or the integers of the NPU.
enum class AnalysisMode { Reference, NPUBackend };

/// What one layer, or one input of the network, adds to the loss of outputs.
/// Errors can cancel each other, so a part may be negative.
struct AttributionRow {
  std::string node, tensor, type;
  /// Because weights became codes, and because results did.
  double weights = 0, activations = 0;
  /// An estimate of the loss if all other layers were exact, and the part of it
  /// that weights make.
  double alone = 0, aloneWeights = 0;

  double total() const { return weights + activations; }
  /// Of what it loses alone.
  double partOfWeights() const { return alone > 0 ? aloneWeights / alone : 0; }
};

struct Attribution {
  AnalysisMode mode = AnalysisMode::Reference;
  int64_t samples = 0;
  /// The mean loss over samples and outputs, as it was measured.
  double measured = 0;
  /// In the order of the network; inputs come first.
  std::vector<AttributionRow> rows;
  /// Layers whose sensitivity is shared among their operands by the size of
  /// their errors alone: parts of layers before them are less certain.
  std::vector<std::string> approximated = {};

  /// What all rows explain together.
  double attributed() const;
  /// |attributed - measured| / measured; 0 if nothing was lost.
  double gap() const;
  /// The sizes of all parts together, in losses; 0 if nothing was lost.
  double sizes() const;
  /// Whether the parts are the loss. If not, some layer was too steep to go
  /// back through, and no number of any row may be relied on.
  bool closes() const;
};

/// The loss of one output against the network as it was imported, after each
/// stage, on the same samples.
struct WaterfallRow {
  std::string output;
  double optimization = 0, weights = 0, activations = 0, machine = 0;
  /// Whether the NPU was analyzed at all.
  bool hasMachine = false;
  /// The first ones of the analysis.
  int64_t samples = 0;
};

} // namespace parallax

#endif // PARALLAX_ANALYSIS_ATTRIBUTION_H
