//===- Network.h - A network and its views ---------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The options that name a model, and the way from there to something that can
// be executed: import, then prepare.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_NETWORK_H
#define PARALLAX_PIPELINE_NETWORK_H

#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Frontend/ONNX/Summary.h"
#include "parallax/Support/LLVM.h"
#include "parallax/Support/ModelPatches.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <filesystem>
#include <memory>

namespace parallax {

class CalibrationSet;

struct NetworkOptions {
  std::string model;
  std::string inputShapes;
  std::vector<std::string> bake;
  std::vector<onnx_import::OpProcessor> opProcessors;
  std::vector<onnx_import::ConstProcessor> constProcessors;
};

class Network {
public:
  /// Imports the model; throws Error.
  explicit Network(const NetworkOptions &options);
  /// Reads what save() has written, instead of the model. Throws Error if it
  /// was made of another model.
  Network(const NetworkOptions &options,
          const std::filesystem::path &checkpoint);

  /// The float network.
  mlir::func::FuncOp function();
  /// Another view of it, by its name in Views.h; null if there is none.
  mlir::func::FuncOp view(StringRef name);
  /// Writes all views, weights included, and the digest of the model.
  void save(const std::filesystem::path &checkpoint,
            const std::string &modelDigest);
  ModuleOp module() { return *moduleOp; }
  std::vector<PortInfo> inputs();
  std::vector<PortInfo> outputs();
  /// Facts about the model file.
  const onnx_import::ModelSummary &summary() const { return modelSummary; }
  /// What the calibration set was opened for, and the set: an archive is
  /// unpacked once for all phases.
  std::string openedFor;
  std::shared_ptr<const CalibrationSet> opened;

  /// Prepares the float engine. With options.takeWeights, the network in MLIR
  /// is given up and its memory freed.
  Executable prepare(const PrepareOptions &options);
  /// The same for another view.
  Executable prepareView(StringRef name, const PrepareOptions &options);

private:
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> moduleOp;
  onnx_import::ModelSummary modelSummary;
};

/// The SHA-256 of a model as its file is now, external data included.
std::string digestOfModel(const std::string &model,
                          const onnx_import::ModelSummary &summary);
std::string digestOfModel(const std::string &model);

} // namespace parallax

#endif // PARALLAX_PIPELINE_NETWORK_H
