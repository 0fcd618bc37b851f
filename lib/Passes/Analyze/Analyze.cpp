//===- Analyze.cpp - Where a network loses precision ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A float tensor is held until everybody who is compared with it has come; they
// follow at once, so few tensors are held at a time.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Analyze/Analyze.h"
#include "Combine.h"
#include "Rows.h"

#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "parallax/Support/QuantizedType.h"

namespace parallax {
namespace {

using analyze::Combination;
using analyze::FloatTensor;
using analyze::Sight;
using analyze::typeName;

/// None of floats, and of codes whose scale depends on the channel.
std::optional<AffineParams> codesOf(Type type) {
  if (!type || isPerAxis(type))
    return std::nullopt;
  return affineParamsOf(type);
}

/// What one sample adds to every comparison.
class SampleComparison {
public:
  explicit SampleComparison(const Combination &combination)
      : combination(combination), held(combination.tensors.size()),
        waiting(combination.tensors.size()) {
    comparisons.reserve(combination.sights.size());
    for (auto [sight, type] :
         llvm::zip(combination.sights, combination.codeTypes)) {
      std::optional<AffineParams> codes = codesOf(type);
      bool summarizes = sight.comparison &&
                        sight.comparison->method == AnalysisMethod::PerLayer;
      comparisons.emplace_back(combination.tensors[sight.tensor].channelAxis,
                               codes, /*tracksRows=*/false, summarizes);
      params.push_back(codes);
    }
  }

  void take(size_t index, const Tensor &value) {
    const Sight &sight = combination.sights[index];
    const FloatTensor &tensor = combination.tensors[sight.tensor];
    if (!sight.comparison) {
      waiting[sight.tensor] = tensor.partners;
      if (tensor.partners > 0)
        held[sight.tensor] = value.clone();
      return;
    }
    comparisons[index].add(valuesOf(value, index), held[sight.tensor]);
    if (--waiting[sight.tensor] == 0)
      held[sight.tensor] = {};
  }

  std::vector<TensorComparison> comparisons;

private:
  /// The machine gives codes where others give values.
  Tensor valuesOf(const Tensor &value, size_t index) const {
    if (!params[index] || value.dtype() == DType::F32)
      return value;
    Tensor values(DType::F32, value.shape());
    npu::dequantize(value, values, *params[index]);
    return values;
  }

  const Combination &combination;
  std::vector<std::optional<AffineParams>> params;
  std::vector<Tensor> held;
  std::vector<size_t> waiting;
};

class Watcher : public Observer {
public:
  explicit Watcher(std::shared_ptr<SampleComparison> sample)
      : sample(std::move(sample)) {}
  void onResult(const LayerResult &layer, const Tensor &value) override {
    if (!layer.tensor.empty())
      sample->take(std::stoul(layer.tensor), value);
  }

private:
  std::shared_ptr<SampleComparison> sample;
};

/// The sums over all samples, by sight.
std::vector<TensorComparison> compare(const Combination &combination,
                                      const AnalysisSamples &samples) {
  PrepareOptions options;
  options.observe = true;
  options.isObserved = [](Operation *op) {
    return op->hasAttr(analyze::sightAttr);
  };
  Executable executable =
      prepare(combination.function, analyze::combinedKernels(), options);

  std::vector<TensorComparison> total =
      SampleComparison(combination).comparisons;
  std::vector<std::shared_ptr<SampleComparison>> running(samples.count);
  SampleCallbacks callbacks;
  callbacks.load = samples.load;
  callbacks.observe = [&](size_t i) -> std::unique_ptr<Observer> {
    running[i] = std::make_shared<SampleComparison>(combination);
    return std::make_unique<Watcher>(running[i]);
  };
  callbacks.consume = [&](size_t i, std::span<const Tensor>) {
    for (size_t j = 0; j < total.size(); ++j)
      if (combination.sights[j].comparison)
        total[j].merge(running[i]->comparisons[j]);
    running[i].reset();
    if (samples.done)
      samples.done();
  };
  runSamples(executable, samples.count, samples.threads, callbacks);
  return total;
}

PrecisionTable tableOf(const Comparison &comparison,
                       const Combination &combination,
                       const std::vector<TensorComparison> &sums) {
  PrecisionTable table{comparison.method, comparison.mode, {}, {}};
  std::vector<std::optional<PrecisionRow>> rows(combination.tensors.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    if (combination.sights[i].comparison != comparison)
      continue;
    const FloatTensor &tensor =
        combination.tensors[combination.sights[i].tensor];
    Type type = combination.codeTypes[i];
    rows[combination.sights[i].tensor] =
        PrecisionRow{tensor.node,
                     tensor.name,
                     tensor.type,
                     tensor.shape,
                     typeName(tensor.dtype),
                     typeName(type ? storageOf(type) : tensor.dtype),
                     sums[i].result(),
                     tensor.isOutput,
                     codesOf(type),
                     tensor.inputs};
  }
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i])
      table.rows.push_back(std::move(*rows[i]));
    else
      table.unmatched.push_back(combination.tensors[i].name);
  return table;
}

std::vector<OutlierRow>
outliersOfAll(const Combination &combination,
              const std::vector<TensorComparison> &sums) {
  std::vector<bool> isDone(combination.tensors.size());
  std::vector<OutlierRow> result;
  for (size_t i = 0; i < sums.size(); ++i) {
    size_t tensor = combination.sights[i].tensor;
    if (!combination.sights[i].comparison || isDone[tensor])
      continue;
    isDone[tensor] = true;
    std::vector<float> maxima;
    for (const ChannelExtent &extent : sums[i].channelExtents())
      maxima.push_back(std::max(std::abs(extent.minB), std::abs(extent.maxB)));
    if (auto row = outliersOf(combination.tensors[tensor].name, maxima))
      result.push_back(std::move(*row));
  }
  return result;
}

} // namespace

std::string analyze::typeName(DType type) {
  bool isCommon = type == DType::F32 || npu::isCode(type);
  return isCommon ? std::string(configNameOf(type))
                  : StringRef(nameOf(type)).upper();
}

PrecisionReport analyzePrecision(const AnalyzedNetwork &views,
                                 const std::vector<Comparison> &comparisons,
                                 const AnalysisSamples &samples) {
  Combination combination = analyze::combine(views, comparisons);
  std::vector<TensorComparison> sums = compare(combination, samples);
  combination.function.erase();
  PrecisionReport report;
  report.samples = int64_t(samples.count);
  for (const Comparison &comparison : comparisons)
    report.tables.push_back(tableOf(comparison, combination, sums));
  report.outliers = outliersOfAll(combination, sums);
  report.weights = analyze::weightsOf(views);
  report.times = analyze::timesOf(views.network, samples);
  return report;
}

} // namespace parallax
