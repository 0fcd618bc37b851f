//===- Folding.h - What may become a constant ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The importer and the optimizer fold by the same rule.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_FOLDING_H
#define PARALLAX_DIALECT_NN_FOLDING_H

#include "parallax/Support/LLVM.h"

namespace parallax::nn {

/// False for an operation on constants that is cheaper to keep: folding may
/// not blow up memory, as the broadcast of a scalar to a huge shape would.
bool isWorthFolding(Operation *op);

} // namespace parallax::nn

#endif // PARALLAX_DIALECT_NN_FOLDING_H
