//===- Statistics.cpp - What layers compute on samples --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// See the header.
//===----------------------------------------------------------------------===//
#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Passes/Calibrate/Calibrate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

namespace parallax {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

int64_t channelAxisOf(const Shape &shape) {
  return shape.size() >= 4 ? 1 : int64_t(shape.size()) - 1;
}

/// Widens the extremes of channels that lie side by side. The loops have no
/// branches, so that they vectorise.
void widenRow(const float *row, size_t channels, float *low, float *high) {
  for (size_t i = 0; i < channels; ++i) {
    float value = row[i];
    bool isFinite = std::abs(value) < infinity;
    low[i] = isFinite && value < low[i] ? value : low[i];
    high[i] = isFinite && value > high[i] ? value : high[i];
  }
}

/// The extremes of the channels of one block, which lie side by side.
template <size_t block>
void widenBlock(const float *values, size_t rows, float *low, float *high) {
  float least[block], most[block];
  std::copy_n(low, block, least);
  std::copy_n(high, block, most);
  for (size_t row = 0; row < rows; ++row, values += block)
    for (size_t i = 0; i < block; ++i) {
      least[i] = values[i] < least[i] ? values[i] : least[i];
      most[i] = values[i] > most[i] ? values[i] : most[i];
    }
  std::copy_n(least, block, low);
  std::copy_n(most, block, high);
}

/// A tensor of a layer, whatever its layout.
struct Observed {
  const Tensor &value;
  const Shape &shape;
  int64_t block; ///< 1 if it is plain.
};

/// The extremes of every channel, and those of all.
Extremes addChannels(TensorStatistics &statistics, const Observed &tensor) {
  std::span<const float> values = tensor.value.values<float>();
  const Shape &shape = tensor.shape;
  Extremes all = extremesOf(values);
  if (shape.empty())
    return all;
  int64_t axis = tensor.block > 1 ? 1 : channelAxisOf(shape);
  auto channels = size_t(shape[size_t(axis)]);
  auto inner = size_t(elementCount(std::span(shape).subspan(size_t(axis) + 1)));
  auto outer = size_t(elementCount(std::span(shape).first(size_t(axis))));
  statistics.channelAxis = axis;
  std::vector<float> &low = statistics.channelMin;
  std::vector<float> &high = statistics.channelMax;
  low.assign(channels, infinity);
  high.assign(channels, -infinity);
  auto block = size_t(tensor.block);
  bool isFast = all.special == 0 && (block == 8 || block == 16);
  const float *data = values.data();
  if (block > 1)
    for (size_t i = 0; i < outer; ++i)
      for (size_t channel = 0; channel < channels; channel += block) {
        if (isFast)
          (block == 8 ? widenBlock<8> : widenBlock<16>)(data, inner,
                                                        &low[channel],
                                                        &high[channel]);
        else
          for (size_t row = 0; row < inner; ++row)
            widenRow(data + row * block, block, &low[channel], &high[channel]);
        data += inner * block;
      }
  else if (inner == 1)
    for (size_t i = 0; i < outer; ++i)
      widenRow(data + i * channels, channels, low.data(), high.data());
  else
    for (size_t i = 0; i < outer * channels; ++i) {
      Extremes run = extremesOf({data + i * inner, inner});
      low[i % channels] = std::min(low[i % channels], run.low);
      high[i % channels] = std::max(high[i % channels], run.high);
    }
  return all;
}

TensorStatistics measureTensor(std::string node, std::string tensor,
                               const Observed &observed, int64_t bins) {
  TensorStatistics statistics;
  statistics.node = std::move(node);
  statistics.tensor = std::move(tensor);
  statistics.histogram = Histogram(bins);
  Extremes extremes = addChannels(statistics, observed);
  statistics.histogram.add(observed.value.values<float>(), extremes);
  statistics.nextMin = infinity;
  statistics.nextMax = -infinity;
  return statistics;
}

/// Adds what a later sample has shown of the same tensor.
void mergeSample(TensorStatistics &total, const TensorStatistics &sample,
                 size_t number) {
  const Histogram &values = sample.histogram;
  if (values.count() > 0) {
    auto low = float(values.min()), high = float(values.max());
    bool isFirst = total.histogram.count() == 0;
    if (isFirst || low < total.histogram.min()) {
      if (!isFirst)
        total.nextMin = float(total.histogram.min());
      total.minSample = number;
    } else {
      total.nextMin = std::min(total.nextMin, low);
    }
    if (isFirst || high > total.histogram.max()) {
      if (!isFirst)
        total.nextMax = float(total.histogram.max());
      total.maxSample = number;
    } else {
      total.nextMax = std::max(total.nextMax, high);
    }
  }
  total.histogram.merge(values);
  for (size_t i = 0; i < sample.channelMin.size(); ++i) {
    total.channelMin[i] = std::min(total.channelMin[i], sample.channelMin[i]);
    total.channelMax[i] = std::max(total.channelMax[i], sample.channelMax[i]);
  }
}

class StatisticsObserver : public Observer {
public:
  StatisticsObserver(NetworkStatistics &statistics, int64_t bins)
      : statistics(statistics), bins(bins) {}

  void onResult(const LayerResult &layer, const Tensor &value) override {
    if (value.dtype() == DType::F32)
      statistics.push_back(
          measureTensor(layer.node, layer.tensor,
                        {value, layer.shape, layer.layout.channelBlock}, bins));
  }

private:
  NetworkStatistics &statistics;
  int64_t bins;
};

} // namespace

NetworkStatistics
collectStatistics(const Executable &executable, size_t samples,
                  const std::function<std::vector<Tensor>(size_t)> &load,
                  const CalibrationOptions &options,
                  const std::function<void()> &progress) {
  // The extremes need no histogram.
  int64_t bins =
      options.method == QuantMethod::MinMax ? 0 : options.histogramBins;
  NetworkStatistics total;
  std::mutex mutex;
  std::map<size_t, NetworkStatistics> running;
  SampleCallbacks callbacks;
  callbacks.load = [&](size_t sample) {
    std::vector<Tensor> inputs = load(sample);
    NetworkStatistics statistics;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].dtype() == DType::F32) {
        const std::string &name = executable.inputs[i].name;
        statistics.push_back(
            measureTensor(name, name, {inputs[i], inputs[i].shape(), 1}, bins));
      }
    std::lock_guard lock(mutex);
    running[sample] = std::move(statistics);
    return inputs;
  };
  callbacks.observe = [&](size_t sample) -> std::unique_ptr<Observer> {
    std::lock_guard lock(mutex);
    return std::make_unique<StatisticsObserver>(running[sample], bins);
  };
  callbacks.consume = [&](size_t sample, std::span<const Tensor>) {
    NetworkStatistics statistics;
    {
      std::lock_guard lock(mutex);
      statistics = std::move(running[sample]);
      running.erase(sample);
    }
    if (total.empty())
      total = std::move(statistics);
    else
      for (size_t i = 0; i < total.size(); ++i)
        mergeSample(total[i], statistics[i], sample);
    if (progress)
      progress();
  };
  // A single sample on several threads would not have the bits of one thread.
  int threads = std::min<int>(options.threads, int(samples));
  runSamples(executable, samples, threads, callbacks);
  return total;
}

Interval chooseRange(const TensorStatistics &tensor,
                     const CalibrationOptions &options, int bits) {
  int64_t levels = int64_t(1) << bits;
  switch (options.method) {
  case QuantMethod::Percentile:
    return percentileRange(tensor.histogram, options.percentile);
  case QuantMethod::Mse:
    return mseRange(tensor.histogram, levels);
  case QuantMethod::Kl:
    return klRange(tensor.histogram, levels);
  case QuantMethod::MinMax:
    break;
  }
  return minMaxRange(tensor.histogram);
}

} // namespace parallax
