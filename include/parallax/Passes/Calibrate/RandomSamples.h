//===- RandomSamples.h - Made-up inputs of a network -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Passes that execute a network on their own, for tests and experiments, have
// no samples but these.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_CALIBRATE_RANDOMSAMPLES_H
#define PARALLAX_PASSES_CALIBRATE_RANDOMSAMPLES_H

#include "parallax/Support/LLVM.h"
#include "parallax/Support/Samples.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace parallax {

/// Floats lie in the range of the argument's type or of the codes that it
/// becomes, or between -1 and 1 if there is neither; integers are 0 and 1. The
/// same seed gives the same numbers on any machine. Fails with an error if an
/// argument has no type and shape to make samples of.
FailureOr<Samples> randomSamples(mlir::func::FuncOp network, size_t count,
                                 unsigned seed);

} // namespace parallax

#endif // PARALLAX_PASSES_CALIBRATE_RANDOMSAMPLES_H
