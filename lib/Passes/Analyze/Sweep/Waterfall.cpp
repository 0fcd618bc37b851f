//===- Waterfall.cpp - Which stage loses precision ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Weights alone are quantized in a copy of the quantized view whose results are
// floats again: what changes weights on the way there, such as SmoothQuant, is
// then a part of the stage that needs it.
//===----------------------------------------------------------------------===//
#include "Waterfall.h"
#include "Rows.h"

#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"
#include "parallax/Support/Views.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace mlir;

namespace parallax::analyze {
namespace {

/// Each costs as much as two inferences.
constexpr size_t waterfallSamples = 2;

/// Constants that are added or multiplied have codes of activations. Where such
/// a number meets floats, what rounding changed can be made large: 1 - mask of
/// attention is no more 0, and then multiplied by the largest float.
bool isRoundedActivation(nn::ConstantOp floats, nn::QuantizedConstantOp codes) {
  Type type = codes.getY().getType();
  DType storage = storageOf(type);
  if ((storage != DType::U8 && storage != DType::U16) || isPerAxis(type))
    return false;
  Tensor expected = toTensor(floats.getValue());
  Tensor found = evaluate(codes, {}, referenceKernels())[0];
  if (expected.dtype() != DType::F32 || expected.shape() != found.shape())
    return false;
  // More than a step is a change that somebody wanted, as SmoothQuant.
  double step = affineParamsOf(type).scale;
  return llvm::all_of(
      llvm::zip(found.values<float>(), expected.values<float>()),
      [&](auto pair) {
        auto [a, b] = pair;
        return !std::isfinite(a) || std::abs(double(a) - double(b)) <= step;
      });
}

/// Codes for weights, floats for everything else.
func::FuncOp addWeightsView(const AnalyzedNetwork &views) {
  IRMapping mapping;
  func::FuncOp view = addView(views.quantized, "weights", mapping);
  forEachWeight(views, [&](Operation *, nn::ConstantOp floats,
                           nn::QuantizedConstantOp codes) {
    Value made = mapping.lookupOrNull(codes.getY());
    if (!made || made.use_empty() || !isRoundedActivation(floats, codes))
      return;
    OpBuilder builder(made.getDefiningOp());
    made.replaceAllUsesWith(builder.clone(*floats)->getResult(0));
  });
  Type floats = Float32Type::get(view.getContext());
  for (Operation &op : view.front())
    // Constants are the weights.
    if (op.getNumOperands() > 0)
      for (Value result : op.getResults())
        if (auto type = cast<RankedTensorType>(result.getType());
            isQuantized(type))
          result.setType(type.clone(floats));
  return view;
}

} // namespace

Waterfall::Waterfall(const AnalyzedNetwork &views,
                     const std::vector<Comparison> &comparisons,
                     const Combination &combination, const Samples &source,
                     int threads)
    : combination(combination), outputs(combination.tensors.size(), -1) {
  func::FuncOp network = views.network, imported = views.imported;
  if (!imported)
    return;
  llvm::StringMap<int> places;
  for (auto [i, value] :
       llvm::enumerate(network.front().getTerminator()->getOperands()))
    places.try_emplace(getTensorName(value), int(i));
  for (auto [tensor, output] : llvm::zip(combination.tensors, outputs))
    if (tensor.isOutput)
      output = places.lookup(tensor.name);

  Samples first = source;
  first.count = std::min(source.count, waterfallSamples);
  samples.resize(first.count);
  for (std::vector<Output> &sample : samples)
    sample.resize(network.getNumResults());
  run(imported, stageCount, first, threads);
  func::FuncOp weights = addWeightsView(views);
  run(weights, Weights, first, threads);
  weights.erase();
  auto isSwept = [&](AnalysisMode mode) {
    return llvm::is_contained(comparisons,
                              Comparison{AnalysisMethod::EndToEnd, mode});
  };
  hasMachine = isSwept(AnalysisMode::NPUBackend);
  if (!isSwept(AnalysisMode::Reference))
    run(views.quantized, Activations, first, threads);
}

/// The imported network is what the stages are compared with, and is none.
void Waterfall::run(func::FuncOp view, Stage stage, const Samples &source,
                    int threads) {
  Executable executable = prepare(view, referenceKernels());
  SampleCallbacks callbacks;
  callbacks.load = source.load;
  callbacks.consume = [&](size_t i, std::span<const Tensor> results) {
    for (auto [output, result] : llvm::zip(samples[i], results))
      if (stage == stageCount)
        output.imported = result.clone();
      else
        compare(output, stage, result);
  };
  runSamples(executable, source.count, threads, callbacks);
}

void Waterfall::compare(Output &output, Stage stage, const Tensor &values) {
  output.stages[stage] = TensorComparison(/*channelAxis=*/-1);
  output.stages[stage].add(values, output.imported);
}

void Waterfall::take(size_t sample, const Observation &observation,
                     const Tensor &values) {
  int output = outputs[observation.tensor];
  if (sample >= samples.size() || output < 0)
    return;
  if (!observation.comparison)
    return compare(samples[sample][size_t(output)], Optimization, values);
  if (observation.comparison->method == AnalysisMethod::EndToEnd)
    compare(samples[sample][size_t(output)],
            observation.comparison->mode == AnalysisMode::Reference
                ? Activations
                : Machine,
            values);
}

std::vector<WaterfallRow> Waterfall::rows() const {
  std::vector<WaterfallRow> rows;
  if (samples.empty())
    return rows;
  for (auto [tensor, output] : llvm::zip(combination.tensors, outputs)) {
    if (output < 0)
      continue;
    std::array<ComparisonResult, stageCount> results;
    for (int stage = 0; stage < stageCount; ++stage) {
      TensorComparison sum(/*channelAxis=*/-1);
      for (const std::vector<Output> &sample : samples)
        sum.merge(sample[size_t(output)].stages[size_t(stage)]);
      results[size_t(stage)] = sum.result();
    }
    auto loss = [&](Stage stage) { return 1 - results[stage].similarity(); };
    if (results[Optimization].samples > 0 && results[Activations].samples > 0)
      rows.push_back({tensor.name, loss(Optimization), loss(Weights),
                      loss(Activations), hasMachine ? loss(Machine) : 0,
                      hasMachine, int64_t(samples.size())});
  }
  return rows;
}

} // namespace parallax::analyze
