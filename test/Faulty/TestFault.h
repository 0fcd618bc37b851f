//===- TestFault.h - Kernels that are wrong on purpose ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For tests alone: an operation of the machine gets a kernel that computes
// something else than the operation says. The program stays right, so that
// whoever looks for broken kernels has one to find.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_TESTFAULT_H
#define PARALLAX_BACKEND_NPU_TESTFAULT_H

#include "parallax/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace parallax {

/// Breaks the kernel of one operation as long as it lives.
class TestFault {
public:
  /// `request` is LAYER:KIND, with the name of a layer or of its tensor. Throws
  /// Error if there is no such layer or kind, or if the layer has nothing that
  /// could break like that.
  TestFault(mlir::func::FuncOp machine, StringRef request);
  ~TestFault();
  TestFault(const TestFault &) = delete;
  TestFault &operator=(const TestFault &) = delete;

private:
  Operation *op;
};

} // namespace parallax

#endif // PARALLAX_BACKEND_NPU_TESTFAULT_H
