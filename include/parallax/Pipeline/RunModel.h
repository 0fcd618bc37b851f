//===- RunModel.h - Models on samples in files -------------------*- C++
//-*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What `parallax run` does with a model: the engine is chosen by the model and
// the mode, inputs and outputs are files in folders.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_RUNMODEL_H
#define PARALLAX_PIPELINE_RUNMODEL_H

#include "parallax/Pipeline/Network.h"

namespace parallax {

struct EngineChoice {
  NetworkOptions network;
  /// Empty for what the file of the model says, "Reference" or "NPUBackend".
  std::string mode;
  /// For NPUBackend.
  std::string target = "generic";
};

struct PreparedModel {
  /// Constants of the executable may be views of it. A compiled model has none.
  std::optional<Network> network;
  Executable executable;
};

/// Without a mode, the model is what its file says. In mode Reference its
/// quantized tensors become types, and the engine of quantized networks runs;
/// in mode NPUBackend that network is lowered to integers and simulated.
/// Compiled models are simulated as well. Throws Error.
PreparedModel prepareModel(const EngineChoice &choice,
                           const PrepareOptions &options);

struct FolderRun {
  std::filesystem::path inputDir, outputDir;
  /// A file that names one case per line, each a folder below both. Without it,
  /// the folders below the input folder that hold inputs are cases, or the
  /// pictures in it, or it is the only case itself.
  std::string list;
  /// Says how pictures are prepared; empty means that of the build which the
  /// model comes from.
  std::string config;
  /// The model, for pictures.
  std::string model;
  /// Whether random inputs are written first.
  bool randomInput = false;
  bool perLayer = false;
  /// Whether .npy is written in place of .bin.
  bool npy = false;
  /// Whether every file is named.
  bool verbose = false;
  int threads = 1;
};

/// Runs all cases and writes their outputs. Throws Error.
void runFolders(const Executable &executable, const FolderRun &request);

} // namespace parallax

#endif // PARALLAX_PIPELINE_RUNMODEL_H
