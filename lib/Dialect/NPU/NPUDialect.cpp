//===- NPUDialect.cpp - Registration of the npu dialect -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Registers the operations. The generated code is compiled here once.
//===----------------------------------------------------------------------===//
#include "parallax/Dialect/NPU/NPUOps.h"

#include "parallax/Dialect/NN/NNOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "parallax/Dialect/NPU/NPUDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "parallax/Dialect/NPU/NPUAttrs.cpp.inc"

namespace parallax::npu {

void NPUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "parallax/Dialect/NPU/NPUAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "parallax/Dialect/NPU/NPUOps.cpp.inc"
      >();
}

} // namespace parallax::npu

#define GET_OP_CLASSES
#include "parallax/Dialect/NPU/NPUOps.cpp.inc"
