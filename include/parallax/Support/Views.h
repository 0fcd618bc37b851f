//===- Views.h - Views of one network ---------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The stages of a network are functions side by side in one module.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_VIEWS_H
#define PARALLAX_SUPPORT_VIEWS_H

#include "parallax/Support/LLVM.h"

#include "mlir/IR/IRMapping.h"

namespace parallax {

/// The names of the functions.
namespace views {
/// The float network, and how it was before it was optimized.
inline constexpr llvm::StringLiteral main = "main", imported = "imported";
/// With codes, and with codes and processors.
inline constexpr llvm::StringLiteral quantized = "quantized",
                                     deployed = "deployed";
/// The lowered network as it is deployed. Where that has processors, the
/// same without them.
inline constexpr llvm::StringLiteral npu = "npu", npuCore = "npu_core";
/// The float network with other biases, and the one with QuantizeLinear and
/// DequantizeLinear; both for a while only.
inline constexpr llvm::StringLiteral corrected = "corrected", qdq = "qdq";
} // namespace views

/// Adds a copy of `network` after it, which a pass turns into the next stage.
/// `mapping` maps the old operations and values to the new ones.
mlir::func::FuncOp addView(mlir::func::FuncOp network, StringRef name,
                           mlir::IRMapping &mapping);
mlir::func::FuncOp addView(mlir::func::FuncOp network, StringRef name);

/// Erases operations with unused results, and then those only they used.
void eraseUnread(mlir::func::FuncOp function);

} // namespace parallax

#endif // PARALLAX_SUPPORT_VIEWS_H
