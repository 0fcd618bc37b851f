//===- Statistics.cpp - What layers compute on samples --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Statistics of each thread and of each rank are merged at the end. None of
// them depends on the order of samples.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Calibrate/Statistics.h"
#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Support/Ranks.h"

#include <fmt/format.h>
#include <functional>
#include <list>
#include <map>
#include <mutex>

namespace parallax {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// A tensor of a layer: its shape and how it lies in memory.
struct Observed {
  std::span<const float> values;
  const Shape &shape;
  int64_t block = 1; ///< 1 if it is plain.

  int64_t channelAxis() const {
    return block > 1 || shape.size() >= 4 ? 1 : int64_t(shape.size()) - 1;
  }
  ChannelLayout layout() const {
    if (shape.empty())
      return {};
    std::span dims(shape);
    auto axis = size_t(channelAxis());
    return {size_t(elementCount(dims.first(axis))), size_t(shape[axis]),
            size_t(elementCount(dims.subspan(axis + 1))), size_t(block)};
  }
};

/// Counts what a tensor holds, without the padding of the last block.
void addValues(Histogram &histogram, const Observed &tensor,
               const ChannelLayout &layout, const Extremes &extremes) {
  auto add = [&](std::span<const float> part) {
    histogram.add(part, extremes.special > 0 ? extremesOf(part) : extremes);
  };
  if (histogram.isWithoutBins() && extremes.special == 0)
    return histogram.addExtremes(
        int64_t(layout.outer * layout.channels * layout.inner), extremes);
  if (layout.channels % layout.block == 0)
    return add(tensor.values);
  size_t run = layout.inner * layout.block;
  size_t full = (layout.blocks() - 1) * run;
  size_t rest = layout.channels % layout.block;
  std::vector<float> packed(layout.inner * rest);
  for (size_t i = 0; i < layout.outer; ++i) {
    const float *data = tensor.values.data() + i * (full + run);
    add({data, full});
    data += full;
    for (size_t row = 0; row < layout.inner; ++row)
      std::copy_n(data + row * layout.block, rest, &packed[row * rest]);
    add(packed);
  }
}

/// An extreme over samples, the one without the sample that has set it, and
/// that sample.
struct Record {
  float extreme, next;
  size_t sample;
};

/// Of two samples that reach the same extreme, the earlier one has set it, so
/// that it doesn't matter which is looked at first.
template <typename Beyond> Record merged(Record a, Record b, Beyond isBeyond) {
  if (isBeyond(b.extreme, a.extreme) ||
      (b.extreme == a.extreme && b.sample < a.sample))
    std::swap(a, b);
  if (isBeyond(b.extreme, a.next))
    a.next = b.extreme;
  return a;
}

Record lowOf(const TensorStatistics &tensor) {
  bool isEmpty = tensor.histogram.count() == 0;
  return {isEmpty ? infinity : float(tensor.histogram.min()), tensor.nextMin,
          tensor.minSample};
}

Record highOf(const TensorStatistics &tensor) {
  bool isEmpty = tensor.histogram.count() == 0;
  return {isEmpty ? -infinity : float(tensor.histogram.max()), tensor.nextMax,
          tensor.maxSample};
}

/// Adds other samples' records; their values are added afterwards.
void mergeRecords(TensorStatistics &total, const Record &low,
                  const Record &high) {
  Record least = merged(lowOf(total), low, std::less<float>());
  Record most = merged(highOf(total), high, std::greater<float>());
  total.nextMin = least.next, total.minSample = least.sample;
  total.nextMax = most.next, total.maxSample = most.sample;
}

/// Looks at one sample after the other. Nothing of what it keeps depends on
/// their order, so that each thread has one of its own.
class Collector {
public:
  explicit Collector(const CalibrationOptions &options) : options(&options) {}

  void beginSample(size_t number) {
    sample = number;
    next = 0;
  }

  void add(const std::string &node, const std::string &name,
           const Observed &tensor) {
    ChannelLayout layout = tensor.layout();
    if (next == statistics.size())
      statistics.push_back(makeStatistics(node, name, tensor));
    TensorStatistics &total = statistics[next++];
    Extremes extremes = tensor.shape.empty()
                            ? extremesOf(tensor.values)
                            : widenChannels(tensor.values, layout,
                                            total.channelMin, total.channelMax);
    mergeRecords(total, {extremes.low, infinity, sample},
                 {extremes.high, -infinity, sample});
    addValues(total.histogram, tensor, layout, extremes);
  }

  void merge(Collector other) {
    if (statistics.empty())
      statistics = std::move(other.statistics);
    else if (!other.statistics.empty())
      mergeTensors(other);
  }

  NetworkStatistics take() { return std::move(statistics); }

  template <typename Archive> void transfer(Archive &archive) {
    archive(statistics);
  }

private:
  void mergeTensors(const Collector &other) {
    for (size_t i = 0; i < statistics.size(); ++i) {
      TensorStatistics &total = statistics[i];
      const TensorStatistics &added = other.statistics[i];
      mergeRecords(total, lowOf(added), highOf(added));
      total.histogram.merge(added.histogram);
      for (size_t channel = 0; channel < total.channelMin.size(); ++channel) {
        float &low = total.channelMin[channel];
        float &high = total.channelMax[channel];
        low = std::min(low, added.channelMin[channel]);
        high = std::max(high, added.channelMax[channel]);
      }
    }
  }

  TensorStatistics makeStatistics(const std::string &node,
                                  const std::string &name,
                                  const Observed &tensor) const {
    TensorStatistics made;
    made.node = node, made.tensor = name;
    made.histogram = Histogram(binsFor(name));
    made.nextMin = infinity, made.nextMax = -infinity;
    if (!tensor.shape.empty()) {
      made.channelAxis = tensor.channelAxis();
      made.channelMin.assign(tensor.layout().channels, infinity);
      made.channelMax.assign(tensor.layout().channels, -infinity);
    }
    return made;
  }

  int64_t binsFor(const std::string &name) const {
    constexpr bool needsHistogram[] = {
#define CALIBRATION_METHOD(kind, name, meaning, needsHistogram, ...)           \
  needsHistogram,
#include "parallax/Config/CalibrationMethods.def"
    };
    auto needed = [&](int bits) {
      return needsHistogram[size_t(options->methodFor(name, bits).method)];
    };
    return needed(8) || needed(16) ? options->histogramBins : 0;
  }

  NetworkStatistics statistics;
  size_t sample = 0, next = 0;
  const CalibrationOptions *options;
};

class StatisticsObserver : public Observer {
public:
  explicit StatisticsObserver(Collector &collector) : collector(collector) {}

  void onResult(const LayerResult &layer, const Tensor &value) override {
    if (value.dtype() == DType::F32)
      collector.add(
          layer.node, layer.tensor,
          {value.values<float>(), layer.shape, layer.layout.channelBlock});
  }

private:
  Collector &collector;
};

NetworkStatistics mergedOverRanks(const Collector &own, size_t samples,
                                  const CalibrationOptions &options) {
  ByteWriter writer;
  writer(own);
  Collector total(options);
  ranks().exchange(fmt::format("calibration on {} samples", samples),
                   writer.bytes(), [&](int, std::string_view bytes) {
                     Collector other(options);
                     ByteReader{bytes}(other);
                     total.merge(std::move(other));
                   });
  return total.take();
}

} // namespace

RangeMethod CalibrationOptions::methodFor(std::string_view tensor,
                                          int bits) const {
  RangeMethod ofAll{method, percentile};
  auto it = methodOf.find(tensor);
  if (it == methodOf.end())
    return ofAll;
  return (bits == 8 ? it->second.for8 : it->second.for16).value_or(ofAll);
}

NetworkStatistics
collectStatistics(const Executable &executable, size_t samples,
                  const std::function<std::vector<Tensor>(size_t)> &load,
                  const CalibrationOptions &options,
                  const std::function<void()> &progress) {
  std::mutex mutex;
  std::list<Collector> collectors;
  std::vector<Collector *> idle;
  std::map<size_t, Collector *> running;
  SampleCallbacks callbacks;
  callbacks.inOrder = false;
  callbacks.load = [&](size_t sample) {
    std::vector<Tensor> inputs = load(sample);
    Collector *collector = nullptr;
    {
      std::lock_guard lock(mutex);
      if (idle.empty())
        idle.push_back(&collectors.emplace_back(options));
      collector = running[sample] = idle.back();
      idle.pop_back();
    }
    collector->beginSample(sample);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].dtype() == DType::F32) {
        const std::string &name = executable.inputs[i].name;
        collector->add(name, name,
                       {inputs[i].values<float>(), inputs[i].shape()});
      }
    return inputs;
  };
  callbacks.observe = [&](size_t sample) -> std::unique_ptr<Observer> {
    std::lock_guard lock(mutex);
    return std::make_unique<StatisticsObserver>(*running[sample]);
  };
  callbacks.consume = [&](size_t sample, std::span<const Tensor>) {
    std::lock_guard lock(mutex);
    idle.push_back(running[sample]);
    running.erase(sample);
    if (progress)
      progress();
  };
  // A single sample on several threads would not have the bits of one thread.
  int threads = std::min<int>(options.threads, int(samples));
  SampleRange own = ownSamples(samples);
  runSamples(executable, own, threads, callbacks);
  Collector total(options);
  for (Collector &collector : collectors)
    total.merge(std::move(collector));
  if (!ranks().areSeveral())
    return total.take();
  for (size_t i = own.end - own.begin; progress && i < samples; ++i)
    progress();
  return mergedOverRanks(total, samples, options);
}

Interval chooseRange(const TensorStatistics &tensor,
                     const CalibrationOptions &calibration, int bits) {
  int64_t levels = int64_t(1) << bits;
  const Histogram &histogram = tensor.histogram;
  const RangeMethod options = calibration.methodFor(tensor.tensor, bits);
  switch (options.method) {
#define CALIBRATION_METHOD(kind, name, meaning, needsHistogram, ...)           \
  case QuantMethod::kind:                                                      \
    return __VA_ARGS__;
#include "parallax/Config/CalibrationMethods.def"
  }
  return {};
}

} // namespace parallax
