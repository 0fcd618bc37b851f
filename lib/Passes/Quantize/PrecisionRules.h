//===- PrecisionRules.h - Which layers a rule selects ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Users name layers in several ways, and mistype them. This part knows all
// names of a network and answers a wrong one with what it could have been.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_QUANTIZE_PRECISIONRULES_H
#define PARALLAX_LIB_PASSES_QUANTIZE_PRECISIONRULES_H

#include "parallax/Passes/Quantize/Precision.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace parallax::quantize {

/// From weak to strong.
enum class RuleKind { Base, SubGraph, Type, Pattern, Name };

/// A pattern is as strong as a name.
inline int strengthOf(RuleKind kind) {
  return std::min(int(kind), int(RuleKind::Pattern));
}

/// The layers of a rule, each with the node of the model that led to it or an
/// empty text.
using SelectedLayers = llvm::MapVector<Operation *, std::string>;

struct Selection {
  RuleKind kind = RuleKind::Base;
  /// As in AuditedRule.
  std::string selector, subject;
  SelectedLayers layers;
  /// Sentences about what can't be found, and about what is not a selector at
  /// all.
  std::vector<std::string> unmatched, errors;
};

class LayerSelector {
public:
  LayerSelector(mlir::func::FuncOp network, const PrecisionOptions &options);

  Selection select(const LayerConfig &config);
  /// In the order of the network, without constants.
  ArrayRef<Operation *> layers() const { return ordered; }

private:
  void selectName(const std::string &name, Selection &selection);
  void selectPattern(const std::string &pattern, Selection &selection);
  void selectType(const std::string &type, Selection &selection);
  void selectPaths(const LayerConfig &config, Selection &selection);
  /// The layers that a node of the model has become.
  void addNode(const std::string &node, Selection &selection);
  SmallVector<Value> findTensors(ArrayRef<std::string> names,
                                 ValueRange defaults, Selection &selection);
  std::string unknownTensor(const std::string &name) const;

  mlir::func::FuncOp network;
  const PrecisionOptions &options;
  std::vector<Operation *> ordered;
  llvm::StringMap<Operation *> byName;
  llvm::MapVector<StringRef, Value> tensors;
  /// The layer of each node of the model.
  llvm::StringMap<std::string> fates;
  /// Layers that are not nodes themselves, by the node that they may be steps
  /// of.
  llvm::StringMap<std::vector<Operation *>> steps;
  /// What a misspelled name may have been.
  std::vector<std::string> layerNames, tensorNames, typeNames;
  /// Owns the keys of `tensors`.
  llvm::StringMap<char> strings;
};

} // namespace parallax::quantize

#endif // PARALLAX_LIB_PASSES_QUANTIZE_PRECISIONRULES_H
