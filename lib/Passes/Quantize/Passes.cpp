//===- Passes.cpp - The passes that quantize a network --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each pass for parallax-opt is a call of the function that the pipeline calls.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Quantize/Passes.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Passes/Calibrate/RandomSamples.h"
#include "parallax/Passes/Quantize/Quantize.h"
#include "parallax/Passes/Quantize/SmoothQuant.h"
#include "parallax/Support/Error.h"

#include "mlir/Dialect/Quant/IR/Quant.h"

#include <fmt/format.h>

namespace parallax {

#define GEN_PASS_DEF_NNASSIGNPRECISION
#define GEN_PASS_DEF_NNEQUALIZE
#define GEN_PASS_DEF_NNQUANTIZE
#define GEN_PASS_DEF_NNSMOOTHQUANT
#include "parallax/Passes/Quantize/Passes.h.inc"

namespace {

/// The first function, which is the network itself.
FailureOr<mlir::func::FuncOp> networkOf(ModuleOp module) {
  auto functions = module.getOps<mlir::func::FuncOp>();
  if (functions.empty())
    return mlir::emitError(module.getLoc(), "there is no function to quantize");
  return *functions.begin();
}

struct AssignPrecisionPass : impl::NNAssignPrecisionBase<AssignPrecisionPass> {
  using NNAssignPrecisionBase::NNAssignPrecisionBase;

  void runOnOperation() override {
    FailureOr<mlir::func::FuncOp> network = networkOf(getOperation());
    FailureOr<QuantConfig> config = readRules();
    if (failed(network) || failed(config))
      return signalPassFailure();
    PrecisionOptions options;
    options.allowUnmatched = allowUnmatched;
    auto audit = assignPrecision(*network, *config, options);
    if (failed(audit))
      return signalPassFailure();
    for (const AuditedRule &rule : *audit)
      if (!rule.note.empty())
        mlir::emitWarning(
            network->getLoc(),
            fmt::format("'{}' ({}): {}", rule.config, rule.words(), rule.note));
  }

private:
  FailureOr<QuantConfig> readRules() {
    try {
      QuantConfig config =
          parseBuildConfig(
              fmt::format("{{\"quant\": {{\"layer_configs\": {}}}}}",
                          rules.getValue()),
              "rules")
              .quant;
      config.highestMixPrecision = highest;
      return config;
    } catch (const Error &error) {
      return mlir::emitError(getOperation().getLoc(), error.what());
    }
  }
};

/// What both kinds of scaling have in common.
FailureOr<mlir::func::FuncOp> scaledNetwork(ModuleOp module, size_t count,
                                            unsigned seed,
                                            ScalingOptions &options) {
  FailureOr<mlir::func::FuncOp> network = networkOf(module);
  if (failed(network) || failed(requireCalibrated(*network)))
    return failure();
  FailureOr<Samples> samples = randomSamples(*network, count, seed);
  if (failed(samples))
    return failure();
  options.samples = *samples;
  return network;
}

void remark(mlir::func::FuncOp network, const std::vector<ScaledPair> &pairs) {
  for (const ScaledPair &pair : pairs)
    mlir::emitRemark(
        network.getLoc(),
        fmt::format(
            "tensor '{}' is {}: the error of its readers goes from {:.3g} to "
            "{:.3g}",
            pair.tensor, pair.kept ? "scaled" : "left alone", pair.errorBefore,
            pair.errorAfter));
}

struct EqualizePass : impl::NNEqualizeBase<EqualizePass> {
  using NNEqualizeBase::NNEqualizeBase;

  void runOnOperation() override {
    ScalingOptions options;
    auto network = scaledNetwork(getOperation(), samples, seed, options);
    if (failed(network))
      return signalPassFailure();
    remark(*network, equalizeNetwork(*network, options));
  }
};

struct SmoothQuantPass : impl::NNSmoothQuantBase<SmoothQuantPass> {
  using NNSmoothQuantBase::NNSmoothQuantBase;

  void runOnOperation() override {
    SmoothOptions options;
    options.threshold = threshold;
    options.strength =
        strength > 0 ? std::optional<double>(strength) : std::nullopt;
    auto network = scaledNetwork(getOperation(), samples, seed, options);
    if (failed(network))
      return signalPassFailure();
    remark(*network, smoothNetwork(*network, options));
  }
};

struct QuantizePass : impl::NNQuantizeBase<QuantizePass> {
  using NNQuantizeBase::NNQuantizeBase;

  void runOnOperation() override {
    FailureOr<mlir::func::FuncOp> network = networkOf(getOperation());
    if (failed(network) || failed(requireCalibrated(*network)))
      return signalPassFailure();
    QuantizeOptions options;
    options.shareParameters = shareParameters;
    if (failed(addQuantizedView(*network, options)))
      signalPassFailure();
  }
};

} // namespace
} // namespace parallax
