//===- Passes.cpp - The pass that finds ranges ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// nn-calibrate for parallax-opt.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Calibrate/Passes.h"
#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Passes/Calibrate/Calibrate.h"
#include "parallax/Passes/Calibrate/RandomSamples.h"
#include "parallax/Support/Error.h"

#include "mlir/Dialect/Quant/IR/Quant.h"

#include <fmt/format.h>

namespace parallax {

#define GEN_PASS_DEF_NNCALIBRATE
#include "parallax/Passes/Calibrate/Passes.h.inc"

namespace {

struct CalibratePass : impl::NNCalibrateBase<CalibratePass> {
  using NNCalibrateBase::NNCalibrateBase;

  void runOnOperation() override {
    auto functions = getOperation().getOps<mlir::func::FuncOp>();
    if (functions.empty()) {
      mlir::emitError(getOperation().getLoc(),
                      "there is no function to calibrate");
      return signalPassFailure();
    }
    mlir::func::FuncOp network = *functions.begin();
    removeCalibration(network);
    FailureOr<Calibration> calibration =
        ranges.empty() ? collect(network) : read();
    if (failed(calibration))
      return signalPassFailure();
    setCalibration(network, *calibration);
    if (failed(requireCalibrated(network)))
      signalPassFailure();
  }

private:
  FailureOr<Calibration> collect(mlir::func::FuncOp network) {
    std::optional<QuantMethod> chosen = parseEnum<QuantMethod>(method);
    if (!chosen)
      return mlir::emitError(network.getLoc(),
                             fmt::format("there is no calibration method '{}'",
                                         method.getValue()));
    FailureOr<Samples> inputs = randomSamples(network, samples, seed);
    if (failed(inputs))
      return failure();
    CalibrationOptions options;
    options.method = *chosen;
    NetworkStatistics statistics = collectStatistics(
        prepareCalibration(network), inputs->count, inputs->load, options);
    return chooseRanges(network, statistics, options, inputs->count);
  }

  /// Reading files is not the business of passes, so it throws.
  FailureOr<Calibration> read() {
    try {
      return readCalibration(ranges.getValue());
    } catch (const Error &error) {
      return mlir::emitError(getOperation().getLoc(), error.what());
    }
  }
};

} // namespace
} // namespace parallax
