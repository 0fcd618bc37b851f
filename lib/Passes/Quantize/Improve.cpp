//===- Improve.cpp - Changes that verify themselves -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Whole networks decide: a kind of change that helps every layer but not the
// outputs is taken back.
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
#include "llvm/ADT/ScopeExit.h"

#include <cmath>

using namespace mlir;

namespace parallax {
namespace {

/// Whole networks are run on this many samples.
constexpr size_t mostSamples = 4;

using Outputs = std::vector<std::vector<Tensor>>;

class Improver {
public:
  Improver(func::FuncOp network, const QuantConfig &config,
           const Samples &samples, int threads, const AssignPrecisions &assign)
      : network(network), config(config), samples(samples), threads(threads),
        assign(assign) {}

  FailureOr<Improvement> improve() {
    expected = run(network);
    FailureOr<double> first = errorOf(network);
    if (failed(first))
      return failure();
    error = *first;
    FloatChanges &changes = result.changes;
    if (config.enableEqualization &&
        failed(attempt("equalization", changes.equalized, equalizeNetwork)))
      return failure();
    if (config.enableSmoothQuant &&
        failed(attempt("SmoothQuant", changes.smoothed, smoothNetwork)))
      return failure();
    if (config.enableEasyQuant &&
        failed(attempt("EasyQuant", changes.tuned, tuneRanges)))
      return failure();
    if (config.enableBiasCorrection && failed(correct()))
      return failure();
    if (!result.source)
      result.source = network;
    return std::move(result);
  }

private:
  /// Changes the network, and takes it back if the outputs get worse. There is
  /// nothing to judge if no entry was kept.
  template <typename Entry, typename Change>
  LogicalResult attempt(const std::string &name, std::vector<Entry> &entries,
                        Change change) {
    if (failed(assign(network)))
      return failure();
    func::FuncOp before = network.clone();
    llvm::scope_exit eraseBefore([&] { before.erase(); });
    entries = change(network, smoothOptions(config, samples, threads));
    if (llvm::none_of(entries, [](const Entry &entry) { return entry.kept; }))
      return success();
    FailureOr<double> after = errorOf(network);
    if (failed(after))
      return failure();
    bool kept = *after < error;
    result.changes.verdicts.push_back({name, error, *after, kept});
    if (kept) {
      error = *after;
      return success();
    }
    network->setAttrs(before->getAttrDictionary());
    network.getBody().takeBody(before.getBody());
    for (Entry &entry : entries)
      entry.kept = false;
    return success();
  }

  LogicalResult correct() {
    func::FuncOp copy = addView(network, views::corrected);
    FailureOr<func::FuncOp> view = quantized(network);
    if (failed(view))
      return failure();
    result.changes.corrected =
        correctBiases(network, copy, *view, samples, threads);
    view->erase();
    FailureOr<double> after = errorOf(copy);
    if (failed(after))
      return failure();
    bool kept = *after < error;
    result.changes.verdicts.push_back({"bias correction", error, *after, kept});
    if (kept) {
      result.source = copy;
      return success();
    }
    for (CorrectedLayer &layer : result.changes.corrected)
      layer.kept = false;
    copy.erase();
    return success();
  }

  FailureOr<func::FuncOp> quantized(func::FuncOp from) const {
    if (failed(assign(from)))
      return failure();
    return addQuantizedView(from, quantizeOptions(config));
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
    runSamples(executable, count, threads, callbacks);
    return outputs;
  }

  /// The mean over samples and float outputs.
  FailureOr<double> errorOf(func::FuncOp from) const {
    FailureOr<func::FuncOp> view = quantized(from);
    if (failed(view))
      return failure();
    Outputs actual = run(*view);
    view->erase();
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
  const QuantConfig &config;
  const Samples &samples;
  int threads;
  const AssignPrecisions &assign;
  Outputs expected;
  double error = 0;
  Improvement result;
};

} // namespace

bool asksForImprovement(const QuantConfig &config) {
  return config.enableEqualization || config.enableSmoothQuant ||
         config.enableEasyQuant || config.enableBiasCorrection;
}

FailureOr<Improvement> improveNetwork(func::FuncOp network,
                                      const QuantConfig &config,
                                      const Samples &samples, int threads,
                                      const AssignPrecisions &assign) {
  if (!asksForImprovement(config) || samples.count == 0)
    return Improvement{{}, network};
  return Improver(network, config, samples, threads, assign).improve();
}

} // namespace parallax
