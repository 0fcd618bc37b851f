//===- OptimizeTestSupport.h - Networks to be optimized --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Parses a network and prints it, names included.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_PASSES_OPTIMIZETESTSUPPORT_H
#define PARALLAX_TEST_UNIT_PASSES_OPTIMIZETESTSUPPORT_H

#include "parallax/Passes/Optimize/Optimize.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace parallax {

class OptimizeTest : public testing::Test {
protected:
  OptimizeTest() {
    context.loadDialect<nn::NNDialect, mlir::func::FuncDialect>();
  }

  void parse(const std::string &text) {
    module = mlir::parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
  }

  mlir::func::FuncOp function() {
    return *module->getOps<mlir::func::FuncOp>().begin();
  }

  std::string print() {
    std::string text;
    llvm::raw_string_ostream stream(text);
    mlir::OpPrintingFlags flags;
    flags.enableDebugInfo();
    module->print(stream, flags);
    return text;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
};

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_PASSES_OPTIMIZETESTSUPPORT_H
