//===- Prepare.h - A function becomes an executable ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The one place where an engine's kernels meet a network in MLIR.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_CORE_PREPARE_H
#define PARALLAX_BACKEND_CORE_PREPARE_H

#include "parallax/Backend/Core/KernelSet.h"

namespace parallax {

struct PrepareOptions {
  /// Makes every layer's result visible to an Observer, which costs the fusion
  /// of layers. Kernels are made for one thread: samples run side by side, and
  /// their results have the same bits however many do.
  bool observe = false;
  /// Shows results in blocks of channels where they are computed like that,
  /// instead of bringing all of them into plain layout. What the last block has
  /// beyond the channels means nothing.
  bool observeBlocks = false;
  /// While layers are observed: those that somebody looks at; all of them
  /// without a function.
  std::function<bool(Operation *)> isObserved = nullptr;
  /// While layers are observed: called with each value that an observer will
  /// see, in the order of LayerResult::index.
  std::function<void(Value)> willShow = nullptr;
  /// While layers are observed: what an observer still reads when it sees the
  /// results of an operation. It may keep the tensors that it was shown of
  /// these values until then, but in plain layout only.
  std::function<ArrayRef<Value>(Operation *)> readsBeside = nullptr;
  /// While layers are observed: operations that may be computed together with
  /// the one in front of them, whose result nobody sees then.
  bool (*fusesObserved)(Operation *) = nullptr;
  /// Takes the weights out of the module, so that memory holds only one copy
  /// of them: as packed for the kernels. The function can't be prepared again.
  bool takeWeights = false;
};

/// Chooses kernels, packs weights and plans memory. Throws Error if an
/// operation has no kernel, naming all of them.
Executable prepare(mlir::func::FuncOp function, const KernelSet &kernels,
                   const PrepareOptions &options = {});

/// Computes one operation on known operands: constant folding.
std::vector<Tensor> evaluate(Operation *op, std::span<const Tensor> operands,
                             const KernelSet &kernels);

} // namespace parallax

#endif // PARALLAX_BACKEND_CORE_PREPARE_H
