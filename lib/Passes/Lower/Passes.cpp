//===- Passes.cpp - The pass that lowers to the target --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reports every layer that stays in float as a remark.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Lower/Passes.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <fmt/format.h>

namespace parallax {

#define GEN_PASS_DEF_NPULOWER
#include "parallax/Passes/Lower/Passes.h.inc"

namespace {

struct NpuLower : impl::NpuLowerBase<NpuLower> {
  using NpuLowerBase::NpuLowerBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto fail = [&](const std::string &why) {
      mlir::emitError(module.getLoc(), why);
      signalPassFailure();
    };
    auto quantized = module.lookupSymbol<mlir::func::FuncOp>(views::quantized);
    if (!quantized)
      return fail("there is no function called quantized");
    Target chip;
    try {
      chip = findTarget(target);
    } catch (const Error &error) {
      return fail(error.what());
    }
    LowerReport report;
    if (failed(lowerNetwork(quantized, chip, &report)))
      return signalPassFailure();
    for (const LowerReport::Island &island : report.islands)
      mlir::emitRemark(module.getLoc(),
                       fmt::format("layer '{}' ({}) computes in float: {}",
                                   island.layer, island.op, island.why));
  }
};

} // namespace
} // namespace parallax
