//===- Proof.h - No accumulator overflows ----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The static bounds of docs/numerics.md (C27 and what refers to it), found
// again from the weights and types of a compiled network: a file can't claim
// them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_COMPILED_PROOF_H
#define PARALLAX_LIB_COMPILED_PROOF_H

#include "parallax/Support/LLVM.h"

namespace parallax::compiled {

/// Throws Error, which names the layer, unless all sums fit the accumulators of
/// the function's target. The operations were verified before.
void proveAccumulators(mlir::func::FuncOp function);

/// Whether sums of this operation are bounded, by a proof or by its verifier.
bool hasProof(StringRef operation);

} // namespace parallax::compiled

#endif // PARALLAX_LIB_COMPILED_PROOF_H
