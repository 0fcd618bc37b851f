//===- TypeName.cpp - What ONNX calls an operation ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Names follow from the mnemonic, but for a few.
//===----------------------------------------------------------------------===//
#include "parallax/Dialect/NN/TypeName.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace parallax {

std::string typeNameOf(Operation *op) {
  StringRef mnemonic = op->getName().stripDialect();
  static const llvm::StringMap<StringRef> irregular = {
      {"matmul", "MatMul"},
      {"prelu", "PRelu"},
      {"rms_normalization", "RMSNormalization"},
      {"lrn", "LRN"},
      {"lstm", "LSTM"},
      {"gru", "GRU"},
      {"rnn", "RNN"}};
  if (auto it = irregular.find(mnemonic); it != irregular.end())
    return it->second.str();
  return llvm::convertToCamelFromSnakeCase(mnemonic, /*capitalizeFirst=*/true);
}

} // namespace parallax
