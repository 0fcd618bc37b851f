//===- Analyze.cpp - Where a network loses precision ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One sweep over the samples compares all layers; what else a report has is
// found beside it.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Analyze/Analyze.h"
#include "Attribution/Attribution.h"
#include "Bits/BitComparison.h"
#include "SampleComparison.h"
#include "Sweep/Combine.h"
#include "Sweep/Rows.h"
#include "Sweep/Waterfall.h"

#include "parallax/Analysis/ChannelGroups.h"
#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Passes/Calibrate/Annotate.h"
#include "parallax/Support/Clock.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/QuantizedType.h"

namespace parallax {
namespace {

using analyze::Combination;
using analyze::FloatTensor;
using analyze::Observation;
using analyze::typeName;

/// The observations that an observer is shown, in its order. It sees all
/// results of an operation, also those that are none.
class ShownObservations {
public:
  ShownObservations(const Combination &combination, PrepareOptions &options) {
    for (auto [i, value] : llvm::enumerate(combination.values))
      observations[value] = i;
    options.willShow = [this](Value value) {
      auto it = observations.find(value);
      shown.push_back(it == observations.end() ? std::nullopt
                                               : std::optional(it->second));
    };
  }
  std::optional<size_t> operator[](size_t index) const { return shown[index]; }

private:
  DenseMap<Value, size_t> observations;
  std::vector<std::optional<size_t>> shown;
};

/// By operation: the float tensors that its results are compared with.
DenseMap<Operation *, SmallVector<Value, 1>>
referencesOf(const Combination &combination) {
  DenseMap<Operation *, SmallVector<Value, 1>> references;
  std::vector<Value> floats(combination.tensors.size());
  for (auto [observation, value] :
       llvm::zip(combination.observations, combination.values)) {
    if (observation.comparison)
      references[value.getDefiningOp()].push_back(floats[observation.tensor]);
    else
      floats[observation.tensor] = value;
  }
  return references;
}

class Watcher : public Observer {
public:
  Watcher(const ShownObservations &observations, SampleComparison &sample)
      : observations(observations), sample(sample) {}
  void onResult(const LayerResult &layer, const Tensor &value) override {
    if (std::optional<size_t> observation = observations[layer.index])
      sample.take(*observation, value);
  }

private:
  const ShownObservations &observations;
  SampleComparison &sample;
};

/// The samples of one observation.
struct ComparedSamples {
  TensorComparison sums;
  /// Of outputs with all errors accumulated.
  std::optional<ChannelGroups> groups;
  /// Along the other dimension in which channels may be.
  std::optional<TensorComparison> otherSums;
  ChannelGroups otherGroups;

  void add(const TensorComparison &sample,
           const std::optional<TensorComparison> &along) {
    sums.merge(sample);
    if (groups)
      groups->add(sample);
    if (!along)
      return;
    otherSums->merge(*along);
    otherGroups.add(*along);
  }

  std::vector<ChannelGroup> groupsOfChannels() const {
    if (!groups)
      return {};
    std::vector<ChannelGroup> own = groups->result(sums);
    if (!otherSums)
      return own;
    return chooseGroups(std::move(own), otherGroups.stableResult(*otherSums));
  }
};

std::vector<ComparedSamples> withoutSamples(const Combination &combination) {
  std::vector<ComparedSamples> result;
  SampleComparison none(combination);
  for (auto [observation, sums, along] :
       llvm::zip(combination.observations, none.comparisons, none.along)) {
    ComparedSamples &compared = result.emplace_back();
    compared.sums = std::move(sums);
    compared.otherSums = std::move(along);
    if (isJudged(observation, combination.tensors[observation.tensor]))
      compared.groups.emplace();
  }
  return result;
}

/// Who looks on while samples are compared.
struct Onlookers {
  analyze::Waterfall waterfall;
  analyze::InputComparison inputs;
  analyze::BitComparison bits;

  template <typename Archive> void transfer(size_t sample, Archive &archive) {
    waterfall.transfer(sample, archive);
    inputs.transfer(sample, archive);
    bits.transfer(sample, archive);
  }
};

/// All samples, by observation.
std::vector<ComparedSamples> compare(const Combination &combination,
                                     const Samples &samples,
                                     const AnalysisOptions &analysis,
                                     Onlookers &onlookers) {
  PrepareOptions options = analyze::sweepOptions();
  DenseMap<Operation *, SmallVector<Value, 1>> references =
      referencesOf(combination);
  onlookers.bits.addReferences(references);
  options.readsBeside = [&](Operation *op) -> ArrayRef<Value> {
    auto it = references.find(op);
    return it == references.end() ? ArrayRef<Value>() : it->second;
  };
  ShownObservations observations(combination, options);
  Executable executable =
      prepare(combination.function, analyze::combinedKernels(), options);

  std::vector<ComparedSamples> total = withoutSamples(combination);
  SamplePool pool;
  std::vector<SamplePool::Sample> running(samples.count);
  auto begin = [&](size_t i) {
    running[i] =
        pool.take(i, combination, &onlookers.waterfall, &onlookers.bits);
  };
  auto finish = [&](size_t i) {
    for (size_t j = 0; j < total.size(); ++j)
      if (combination.observations[j].comparison)
        total[j].add(running[i]->comparisons[j], running[i]->along[j]);
    onlookers.bits.finish(i);
    pool.giveBack(std::move(running[i]));
    if (analysis.done)
      analysis.done();
  };
  SampleCallbacks callbacks;
  callbacks.load = onlookers.inputs.watch(samples.load);
  callbacks.observe = [&](size_t i) -> std::unique_ptr<Observer> {
    begin(i);
    running[i]->look = analysis.look;
    running[i]->lookAtOutputs = analysis.lookAtOutputs;
    return std::make_unique<Watcher>(observations, *running[i]);
  };
  callbacks.consume = [&](size_t i, std::span<const Tensor>) { finish(i); };
  // Whoever looks at values sees all of them on the first rank.
  callbacks.isDealt = !analysis.look;
  callbacks.pack = [&](size_t i, std::span<const Tensor>, ByteWriter &writer) {
    running[i]->transfer(writer);
    onlookers.transfer(i, writer);
    onlookers.bits.forget(i);
    pool.giveBack(std::move(running[i]));
  };
  callbacks.unpack = [&](size_t i, ByteReader &reader) {
    begin(i);
    running[i]->transfer(reader);
    onlookers.transfer(i, reader);
    finish(i);
  };
  runSamples(executable, samples.count, analysis.threads, callbacks);
  return total;
}

/// The errors of channels, unless nobody could tell them apart in a picture.
std::vector<float> curveOf(const TensorComparison &sums) {
  constexpr size_t mostChannels = 512;
  return sums.channelSums().size() <= mostChannels ? sums.channelErrors()
                                                   : std::vector<float>();
}

PrecisionTable tableOf(const Comparison &comparison,
                       const Combination &combination,
                       const std::vector<ComparedSamples> &compared) {
  PrecisionTable table{comparison.method, comparison.mode, {}, {}};
  std::vector<std::optional<PrecisionRow>> rows(combination.tensors.size());
  for (size_t i = 0; i < compared.size(); ++i) {
    if (combination.observations[i].comparison != comparison)
      continue;
    const FloatTensor &tensor =
        combination.tensors[combination.observations[i].tensor];
    Type type = combination.codeTypes[i];
    rows[combination.observations[i].tensor] =
        PrecisionRow{tensor.node,
                     tensor.name,
                     tensor.type,
                     tensor.shape,
                     typeName(tensor.dtype),
                     typeName(type ? storageOf(type) : tensor.dtype),
                     compared[i].sums.result(),
                     tensor.isOutput,
                     uniformCodes(type),
                     tensor.inputs,
                     /*cycles=*/0,
                     tensor.moves,
                     compared[i].groupsOfChannels(),
                     compared[i].sums.sampleCosines(),
                     curveOf(compared[i].sums)};
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
              const std::vector<ComparedSamples> &compared) {
  std::vector<bool> isDone(combination.tensors.size());
  std::vector<OutlierRow> result;
  for (size_t i = 0; i < compared.size(); ++i) {
    size_t tensor = combination.observations[i].tensor;
    if (!combination.observations[i].comparison || isDone[tensor])
      continue;
    isDone[tensor] = true;
    std::vector<float> maxima;
    for (const ChannelExtent &extent : compared[i].sums.channelExtents())
      maxima.push_back(std::max(std::abs(extent.minB), std::abs(extent.maxB)));
    if (auto row = outliersOf(combination.tensors[tensor].name, maxima))
      result.push_back(std::move(*row));
  }
  return result;
}

} // namespace

static std::optional<Attribution> attributed(const AnalyzedNetwork &views,
                                             const Samples &samples,
                                             const AnalysisOptions &options) {
  return analyze::attribute(
      views, views.machine ? AnalysisMode::NPUBackend : AnalysisMode::Reference,
      samples, options);
}

std::optional<Attribution> attributeLoss(const AnalyzedNetwork &views,
                                         const Samples &samples,
                                         const AnalysisOptions &options) {
  RangesAside aside(views.network);
  return attributed(views, samples, options);
}

PrecisionReport analyzePrecision(const AnalyzedNetwork &views,
                                 const std::vector<Comparison> &comparisons,
                                 const Samples &samples,
                                 const AnalysisOptions &options) {
  PhaseClock clock;
  RangesAside aside(views.network);
  Combination combination = analyze::combine(views, comparisons);
  Onlookers onlookers{
      {views, comparisons, combination, samples, options.threads},
      {views, samples.count},
      {combination, samples.count}};
  clock.finish("stages");
  std::vector<ComparedSamples> compared =
      compare(combination, samples, options, onlookers);
  clock.finish("layers");
  PrecisionReport report;
  onlookers.bits.addDifferences(report, views.machine, samples);
  combination.function.erase();
  clock.finish("bits");
  report.samples = int64_t(samples.count);
  for (const Comparison &comparison : comparisons)
    report.tables.push_back(tableOf(comparison, combination, compared));
  report.inputs = onlookers.inputs.rows();
  report.outliers = outliersOfAll(combination, compared);
  report.waterfall = onlookers.waterfall.rows();
  report.weights = analyze::weightsOf(views);
  report.histograms =
      analyze::histogramsOf(views, combination.tensors, report, samples);
  clock.finish("histograms");
  report.times = analyze::timesOf(views.network, samples);
  clock.finish("times");
  if (options.attributes)
    report.attribution = attributed(views, samples, options);
  clock.finish("attribution");
  log(LogLevel::Debug, "analysis: {}", clock.summary());
  return report;
}

} // namespace parallax
