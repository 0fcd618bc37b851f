//===- Calibrate.cpp - From samples to ranges -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What lies between an executed network and the ranges of its tensors.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Calibrate/Calibrate.h"
#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Dialect/NN/QuantRule.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Support/Listener.h"

namespace parallax {

Executable prepareCalibration(mlir::func::FuncOp network) {
  PrepareOptions options;
  options.observe = true;
  options.observeBlocks = true;
  options.fusesObserved = nn::isSingleClamp;
  return prepare(network, referenceKernels(), options);
}

Calibration chooseRanges(mlir::func::FuncOp network,
                         const NetworkStatistics &statistics,
                         const CalibrationOptions &options, size_t samples) {
  Calibration calibration;
  calibration.method = configName(options.method);
  calibration.samples = int64_t(samples);
  for (const TensorStatistics &tensor : statistics) {
    stopIfCancelled();
    TensorRange range;
    range.node = tensor.node;
    range.tensor = tensor.tensor;
    if (auto own = options.methodOf.find(tensor.tensor);
        own != options.methodOf.end()) {
      auto nameOf = [](const std::optional<RangeMethod> &own) {
        return own ? std::string(configName(own->method)) : std::string();
      };
      range.u8Method = nameOf(own->second.for8);
      range.u16Method = nameOf(own->second.for16);
    }
    range.count = tensor.histogram.count();
    range.nans = tensor.histogram.nanCount();
    range.infs = tensor.histogram.infCount();
    range.values = {tensor.histogram.min(), tensor.histogram.max()};
    range.u8 = chooseRange(tensor, options, 8);
    range.u16 = chooseRange(tensor, options, 16);
    range.channelAxis = tensor.channelAxis;
    range.channelMin = tensor.channelMin;
    range.channelMax = tensor.channelMax;
    range.minSample = tensor.minSampleName;
    range.maxSample = tensor.maxSampleName;
    calibration.tensors.push_back(std::move(range));
  }
  addClampedRanges(network, calibration);
  return calibration;
}

} // namespace parallax
