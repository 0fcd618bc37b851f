//===- NNFolds.cpp - Folders of the nn dialect ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Cheap identities only; rewriting of networks is the business of passes.
//===----------------------------------------------------------------------===//
#include "parallax/Dialect/NN/NNOps.h"

namespace parallax::nn {

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

} // namespace parallax::nn
