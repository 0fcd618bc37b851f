//===- PrecisionReaders.h - Whose type a tensor has ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A tensor has the type that those want who compute with it, and between it
// and them elements may be moved any number of times. Explanations have to name
// the one that computes.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_QUANTIZE_PRECISIONREADERS_H
#define PARALLAX_LIB_PASSES_QUANTIZE_PRECISIONREADERS_H

#include "parallax/Support/LLVM.h"

#include <string>

namespace parallax::quantize {

struct Reader {
  /// A layer that computes with a tensor, and an output of the network that the
  /// tensor is; each may be empty.
  std::string layer, output;
};

/// The first layer, and an output. With `behindRequantization` they may read
/// the tensor in another type.
Reader findReader(Value value, bool behindRequantization);

/// Whom an operator follows that only moves data: "follows its consumer 'a'".
std::string describeFollowed(Operation *op);

} // namespace parallax::quantize

#endif // PARALLAX_LIB_PASSES_QUANTIZE_PRECISIONREADERS_H
