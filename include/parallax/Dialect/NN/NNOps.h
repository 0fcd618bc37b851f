//===- NNOps.h - The nn dialect --------------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The dialect and its operator classes, generated from NNOps.td.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_NNOPS_H
#define PARALLAX_DIALECT_NN_NNOPS_H

#include "parallax/Dialect/NN/QuantRule.h"
#include "parallax/Support/LLVM.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "parallax/Dialect/NN/NNDialect.h.inc"
#include "parallax/Dialect/NN/NNInterfaces.h.inc"

#define GET_OP_CLASSES
#include "parallax/Dialect/NN/NNOps.h.inc"

#endif // PARALLAX_DIALECT_NN_NNOPS_H
