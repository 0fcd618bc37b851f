//===- NPUOps.h - The npu dialect ------------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The dialect and its operator classes, generated from NPUOps.td.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NPU_NPUOPS_H
#define PARALLAX_DIALECT_NPU_NPUOPS_H

#include "parallax/Support/LLVM.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "parallax/Dialect/NPU/NPUDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "parallax/Dialect/NPU/NPUAttrs.h.inc"

#define GET_OP_CLASSES
#include "parallax/Dialect/NPU/NPUOps.h.inc"

namespace parallax::npu {

/// The attribute of functions that says which target they are for.
constexpr llvm::StringLiteral targetAttrName = "npu.target";

/// The target of the function around `op`; null for the default one.
TargetAttr targetOf(Operation *op);

} // namespace parallax::npu

#endif // PARALLAX_DIALECT_NPU_NPUOPS_H
