//===- Reduce.h - Smaller networks with the same problem -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The single steps by which a network that shows a problem is made small, and
// by which what is private in it is replaced. None of them knows whether the
// problem is still there: whoever takes a step looks at the result.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_REDUCE_REDUCE_H
#define PARALLAX_PASSES_REDUCE_REDUCE_H

#include "parallax/Support/LLVM.h"
#include "parallax/Support/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <set>
#include <span>

namespace parallax {

/// One tensor per input of a network.
using Sample = std::vector<Tensor>;

/// The operations that compute something, in the order of the network.
std::vector<Operation *> layersOf(mlir::func::FuncOp network);

/// Adds a function of some layers of a network beside it. What they read of
/// others becomes inputs. Its outputs are the tensors that none of them reads,
/// and those in `outputs`.
mlir::func::FuncOp cutNetwork(mlir::func::FuncOp network,
                              const llvm::DenseSet<Operation *> &layers,
                              const std::set<std::string> &outputs,
                              StringRef name);

/// The names of a network's inputs, in order.
std::vector<std::string> inputNames(mlir::func::FuncOp network);

/// The values of some tensors of a float network.
FailureOr<std::vector<Tensor>> valuesOf(mlir::func::FuncOp network,
                                        std::span<const std::string> tensors,
                                        const Sample &sample);

/// All dimensions of inputs, weights and shapes that have one extent get
/// another one.
struct Shrink {
  int64_t from = 0, to = 0;
  /// Whether the last elements are kept, instead of the first.
  bool keepsLast = false;
};

/// The extents above 1 of inputs and of float constants: those that hold most
/// bytes first.
std::vector<int64_t> extentsOf(mlir::func::FuncOp network);

/// Fails if layers do not fit each other any more: the function is of no use
/// then.
LogicalResult shrinkNetwork(mlir::func::FuncOp network,
                            std::span<Sample> samples, const Shrink &shrink);

/// What all elements of a float constant become.
enum class Fill { Zero, Largest };

/// The float constants whose elements are not all equal.
std::vector<std::string> variedConstants(mlir::func::FuncOp network);
/// Fills the constants of such a name.
void fillConstant(mlir::func::FuncOp network, StringRef tensor, Fill fill);

/// Of inputs, constants and results together.
int64_t tensorBytes(mlir::func::FuncOp network);

/// Gives numbers in place of names to layers and tensors. Returns the new names
/// by the old ones.
struct NewNames {
  std::map<std::string, std::string> layers, tensors;
};
NewNames stripNames(mlir::func::FuncOp network);

/// Random float constants of the same shapes, each output channel of weights
/// with the range that it had. False if that left all of them as they were.
bool replaceWeights(mlir::func::FuncOp network, uint64_t seed);

/// A random tensor of the same type and shape, with the same range.
Tensor randomLike(const Tensor &tensor, uint64_t seed);

} // namespace parallax

#endif // PARALLAX_PASSES_REDUCE_REDUCE_H
