//===- Improve.cpp - Changes that verify themselves -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// See the header.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Quantize/Improve.h"
#include "MacLayer.h"

#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Passes/Quantize/BiasCorrection.h"
#include "parallax/Passes/Quantize/EasyQuant.h"
#include "parallax/Passes/Quantize/SmoothQuant.h"
#include "parallax/Support/Views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

using namespace mlir;

namespace parallax {
namespace {

/// Whole networks are run on this many samples.
constexpr size_t mostSamples = 4;

using Outputs = std::vector<std::vector<Tensor>>;

class Improver {
public:
  Improver(func::FuncOp network, Calibration &calibration,
           const QuantConfig &config, const SampleSource &samples,
           const std::function<PrecisionPlan(func::FuncOp)> &plan)
      : network(network), calibration(calibration), config(config),
        samples(samples), plan(plan) {
    expected = run(network);
    error = errorOf(network);
  }

  /// Makes changes of the network or its calibration, and takes them back if
  /// the outputs get worse. There is nothing to judge if none was kept.
  template <typename Entry, typename Change>
  void attempt(const std::string &name, std::vector<Entry> &entries,
               Change change) {
    func::FuncOp before = network.clone();
    Calibration rangesBefore = calibration;
    entries = change();
    bool changed =
        llvm::any_of(entries, [](const Entry &entry) { return entry.kept; });
    double after = changed ? errorOf(network) : error;
    if (changed)
      result.changes.verdicts.push_back({name, error, after, after < error});
    if (changed && !(after < error)) {
      network.getBody().takeBody(before.getBody());
      calibration = std::move(rangesBefore);
      for (Entry &entry : entries)
        entry.kept = false;
    } else {
      error = after;
    }
    before.erase();
  }

  Improvement finish() {
    if (!result.source)
      result.source = network;
    return std::move(result);
  }

  void equalizeAndSmooth() {
    if (config.enableEqualization)
      attempt("equalization", result.changes.equalized,
              [&] { return equalizeNetwork(network, calibration, options()); });
    if (config.enableSmoothQuant)
      attempt("SmoothQuant", result.changes.smoothed,
              [&] { return smoothNetwork(network, calibration, options()); });
  }

  void tune() {
    attempt("EasyQuant", result.changes.tuned,
            [&] { return tuneRanges(network, calibration, options()); });
  }

  void correct() {
    func::FuncOp copy = addView(network, "corrected");
    func::FuncOp view = quantized(network);
    result.changes.corrected = correctBiases(network, copy, view, samples);
    view.erase();
    double after = errorOf(copy);
    bool kept = after < error;
    result.changes.verdicts.push_back({"bias correction", error, after, kept});
    if (kept) {
      result.source = copy;
      return;
    }
    for (CorrectedLayer &layer : result.changes.corrected)
      layer.kept = false;
    copy.erase();
  }

private:
  SmoothOptions options() const {
    return smoothOptions(config, samples, precisionsByName(plan(network)));
  }

  func::FuncOp quantized(func::FuncOp from) const {
    return addQuantizedView(from, calibration, plan(from),
                            quantizeOptions(config));
  }

  Outputs run(func::FuncOp function) const {
    Executable executable = prepare(function, referenceKernels());
    size_t count = std::min(samples.count, mostSamples);
    Outputs outputs(count);
    SampleCallbacks callbacks;
    callbacks.load = [&](size_t i) {
      return samples.load(i * samples.count / count);
    };
    callbacks.consume = [&](size_t i, std::span<const Tensor> values) {
      for (const Tensor &value : values)
        outputs[i].push_back(value.clone());
    };
    runSamples(executable, count, samples.threads, callbacks);
    return outputs;
  }

  /// The mean over samples and float outputs.
  double errorOf(func::FuncOp from) const {
    func::FuncOp view = quantized(from);
    Outputs actual = run(view);
    view.erase();
    double sum = 0;
    int64_t count = 0;
    for (auto [ours, right] : llvm::zip(actual, expected))
      for (auto [a, b] : llvm::zip(ours, right))
        if (b.dtype() == DType::F32 && a.size() == b.size()) {
          sum += quantize::relativeError(a, b);
          ++count;
        }
    return count > 0 ? sum / double(count) : 0;
  }

  func::FuncOp network;
  Calibration &calibration;
  const QuantConfig &config;
  const SampleSource &samples;
  const std::function<PrecisionPlan(func::FuncOp)> &plan;
  Outputs expected;
  double error = 0;
  Improvement result;
};

} // namespace

bool asksForImprovement(const QuantConfig &config) {
  return config.enableEqualization || config.enableSmoothQuant ||
         config.enableEasyQuant || config.enableBiasCorrection;
}

Improvement
improveNetwork(func::FuncOp network, Calibration &calibration,
               const QuantConfig &config, const SampleSource &samples,
               const std::function<PrecisionPlan(func::FuncOp)> &plan) {
  if (!asksForImprovement(config) || samples.count == 0)
    return {{}, network};
  Improver improver(network, calibration, config, samples, plan);
  improver.equalizeAndSmooth();
  if (config.enableEasyQuant)
    improver.tune();
  if (config.enableBiasCorrection)
    improver.correct();
  return improver.finish();
}

} // namespace parallax
