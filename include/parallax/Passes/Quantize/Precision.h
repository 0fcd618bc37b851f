//===- Precision.h - Which layer computes in which type --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The rules of `layer_configs`, applied to a network. A rule that names a layer
// wins over one for its type, that over one for a part of the network, and that
// over highest_mix_precision; among equals the later one wins. This holds for
// each of the three types of a layer by itself: a rule has no say in what it
// does not give.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_QUANTIZE_PRECISION_H
#define PARALLAX_PASSES_QUANTIZE_PRECISION_H

#include "parallax/Analysis/PrecisionAudit.h"
#include "parallax/Config/BuildConfig.h"
#include "parallax/Passes/Optimize/Names.h"
#include "parallax/Support/LLVM.h"

#include <map>

namespace parallax {

/// What a layer computes in: its attribute nn.precision, a dictionary of what
/// differs from U8 with weights S8, and of the data type if a rule has asked
/// for it. Layers that are never quantized have FP32. For operators that only
/// move data it means nothing.
LayerPrecision getPrecision(Operation *op);
void setPrecision(Operation *op, const LayerPrecision &precision,
                  bool asksForData = false);

struct PrecisionOptions {
  /// A rule that matches nothing is an error, or only a note in its audit.
  bool allowUnmatched = false;
  /// The nodes of the imported model and what became of them, so that rules may
  /// use their names.
  std::vector<NodeFate> nodes;
  /// The ONNX types of these nodes. A rule may use one that no layer has any
  /// more; it means what the nodes of that type have become.
  std::map<std::string, std::string> nodeTypes;
};

/// Gives every layer the precision that quant.layer_configs and
/// quant.highest_mix_precision ask for, and returns the audit. Fails, with one
/// error that lists all rules that can't be granted, each with what would be.
FailureOr<std::vector<AuditedRule>>
assignPrecision(mlir::func::FuncOp network, const QuantConfig &config,
                const PrecisionOptions &options);

/// Fills in what the matched layers got, from the quantized view of the
/// network, where they have the same names.
void completeAudit(std::vector<AuditedRule> &audit,
                   mlir::func::FuncOp quantized);

} // namespace parallax

#endif // PARALLAX_PASSES_QUANTIZE_PRECISION_H
