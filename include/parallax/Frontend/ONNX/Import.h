//===- Import.h - ONNX models into the nn dialect --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The whole interface of the importer: a file in, a module out, or one Error
// that lists everything that stands in the way.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_FRONTEND_ONNX_IMPORT_H
#define PARALLAX_FRONTEND_ONNX_IMPORT_H

#include "parallax/Frontend/ONNX/Summary.h"
#include "parallax/Support/LLVM.h"
#include "parallax/Support/ModelPatches.h"
#include "parallax/Support/Tensor.h"

#include <functional>
#include <map>
#include <span>
#include <string>

namespace parallax::onnx_import {

/// Computes the results of an operation from constant operands. The importer
/// folds shape arithmetic with it; the reference engine provides one, which
/// keeps the importer independent of any engine.
using ConstantEvaluator = std::function<std::vector<Tensor>(
    Operation *op, std::span<const Tensor> operands)>;

struct ImportOptions {
  /// Fixes dynamic dimensions: input name to shape.
  std::map<std::string, Shape> inputShapes;
  /// Inputs that only parameterize operators (axes, shapes, k, a sampling
  /// rate): they become constants of the network and are no longer inputs.
  std::map<std::string, Tensor> bakedInputs;
  /// Changes to the model that come before everything else: first those of
  /// nodes, then those of constants.
  std::vector<OpProcessor> opProcessors;
  std::vector<ConstProcessor> constProcessors;
  /// Filled if given, with the facts about the changed model. It is complete
  /// even if the model can't be imported.
  ModelSummary *summary = nullptr;
  ConstantEvaluator evaluate;
};

/// Imports the file at `path`; external data is looked up beside it.
OwningOpRef<ModuleOp> importModel(const std::string &path, MLIRContext *context,
                                  const ImportOptions &options);

/// Imports a serialized model; `name` stands for the file in messages and its
/// folder is where external data is looked up.
OwningOpRef<ModuleOp> importModel(std::span<const std::byte> bytes,
                                  const std::string &name, MLIRContext *context,
                                  const ImportOptions &options);

/// Parses `name:1x3x224x224;other:1x10` as --input_shapes takes it.
std::map<std::string, Shape> parseInputShapes(const std::string &text);

} // namespace parallax::onnx_import

#endif // PARALLAX_FRONTEND_ONNX_IMPORT_H
