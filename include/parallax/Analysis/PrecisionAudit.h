//===- PrecisionAudit.h - What came of the rules ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A request is granted or refused, never dropped: the audit tells for every
// rule of `layer_configs` which layers it matched, what it asked for, what they
// got and why.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_PRECISIONAUDIT_H
#define PARALLAX_ANALYSIS_PRECISIONAUDIT_H

#include "parallax/Config/Enums.h"

#include <string>
#include <vector>

namespace parallax {

/// What a layer computes in. In the audit, Default stands for what nobody asked
/// for, or what the layer does not have.
struct LayerPrecision {
  /// The type in which it reads its activations: U8, S8, U16, S16 or FP32.
  DataType data = DataType::U8;
  /// The type of its weights: S8, S16 or FP32.
  DataType weight = DataType::S8;
  /// The type of its result; Default leaves it to those who read it.
  DataType output = DataType::Default;

  bool operator==(const LayerPrecision &) const = default;
};

/// One layer that a rule matched.
struct AuditedLayer {
  std::string layer;
  std::string opType;
  /// The node of the model by which the rule found the layer; empty if it was
  /// by the layer itself.
  std::string node;
  LayerPrecision requested, granted;
  /// Why it is not what was asked for; empty if it is.
  std::string reason;
  /// Other rules won in everything that this one asks for.
  bool overridden = false;
};

/// One rule: an entry of layer_configs, or highest_mix_precision.
struct AuditedRule {
  /// Counted from 1 in layer_configs; 0 for highest_mix_precision.
  size_t number = 0;
  /// Its place: "quant.layer_configs[2]".
  std::string config;
  /// How it selects layers, "op_type", and which, "Add".
  std::string selector, subject;
  LayerPrecision requested;
  std::vector<AuditedLayer> layers;
  /// Why it matches nothing, where that is allowed.
  std::string note;

  /// "op_type Add".
  std::string words() const {
    return subject.empty() ? selector : selector + " " + subject;
  }
};

} // namespace parallax

#endif // PARALLAX_ANALYSIS_PRECISIONAUDIT_H
