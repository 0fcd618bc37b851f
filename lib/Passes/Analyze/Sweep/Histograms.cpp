//===- Histograms.cpp - How values lie around their clip lines ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Which channels are worth a picture is known only after all samples. So the
// float network runs once more, on the first sample alone: the shape of a
// distribution needs no more, and the sweep is not slowed down.
//===----------------------------------------------------------------------===//
#include "Rows.h"

#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/Reference/Kernels/Quantize.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace parallax::analyze {
namespace {

/// Enough to see a shape; widths are powers of two, so at least half of them
/// are used.
constexpr int64_t histogramBins = 128;
/// More channels than that nobody looks at.
constexpr size_t channelsPerTensor = 3, channelsInAll = 32;

using Clip = std::optional<std::pair<double, double>>;

Clip clipOf(const AffineParams &codes) {
  return std::pair((double(codes.low) - double(codes.zeroPoint)) * codes.scale,
                   (double(codes.high) - double(codes.zeroPoint)) *
                       codes.scale);
}

/// Of one channel, or that of the widest; none of a tensor without channels.
Clip clipOf(Type type, int64_t channel) {
  if (!isPerAxis(type))
    return clipOf(affineParamsOf(type));
  ChannelParams params = channelParamsOf(type);
  if (params.scales.empty())
    return std::nullopt;
  // Codes of weights are symmetric.
  double high = double(codeLimitsOf(storageOf(type)).high);
  double scale = channel < 0 ? *llvm::max_element(params.scales)
                             : params.scales[size_t(channel)];
  return std::pair(-high * scale, high * scale);
}

Histogram histogramOf(const Tensor &values) {
  Histogram histogram(histogramBins);
  histogram.add(values.values<float>());
  return histogram;
}

Histogram histogramOf(const Tensor &values, int64_t axis, int64_t channel) {
  int64_t inner = 1, channels = values.dim(axis);
  for (int64_t i = axis + 1; i < values.rank(); ++i)
    inner *= values.dim(i);
  std::vector<float> picked;
  std::span<const float> all = values.values<float>();
  for (size_t at = size_t(channel * inner); at < all.size();
       at += size_t(channels * inner))
    picked.insert(picked.end(), all.begin() + int64_t(at),
                  all.begin() + int64_t(at) + inner);
  Histogram histogram(histogramBins);
  histogram.add(picked);
  return histogram;
}

/// Counts floats and what codes make of them.
void count(HistogramRow &row, const Tensor &floats, const Tensor *rounded,
           int64_t axis) {
  auto of = [&](const Tensor &values) {
    return row.channel < 0 ? histogramOf(values)
                           : histogramOf(values, axis, row.channel);
  };
  row.values = of(floats);
  if (rounded)
    row.quantized = of(*rounded);
}

/// The channels that the tables name as the worst of a tensor.
class WorstChannels {
public:
  explicit WorstChannels(const PrecisionReport &report) {
    std::vector<Candidate> candidates;
    for (const PrecisionTable &table : report.tables)
      for (const PrecisionRow &row : table.rows) {
        const ComparisonResult &metrics = row.metrics;
        if (!metrics.isExact && metrics.channels > 1 &&
            metrics.worstChannelCosine < layerThreshold)
          candidates.push_back({metrics.worstChannelCosine, candidates.size(),
                                &row.tensor, metrics.worstChannel});
      }
    llvm::sort(candidates, [](const Candidate &a, const Candidate &b) {
      return std::pair(a.cosine, a.place) < std::pair(b.cosine, b.place);
    });
    size_t count = 0;
    for (const Candidate &candidate : candidates) {
      std::vector<int64_t> &list = channels[*candidate.tensor];
      if (count == channelsInAll || list.size() == channelsPerTensor ||
          llvm::is_contained(list, candidate.channel))
        continue;
      list.push_back(candidate.channel);
      ++count;
    }
  }

  std::vector<int64_t> of(StringRef tensor) const {
    return channels.lookup(tensor);
  }

private:
  struct Candidate {
    double cosine = 1;
    size_t place = 0;
    const std::string *tensor = nullptr;
    int64_t channel = -1;
  };
  llvm::StringMap<std::vector<int64_t>> channels;
};

/// Counts the values of the tensors that were asked for.
class Counter : public Observer {
public:
  Counter(const std::vector<FloatTensor> &tensors,
          const PrecisionReport &report)
      : tensors(tensors), worst(report), rows(tensors.size()) {
    for (auto [i, tensor] : llvm::enumerate(tensors))
      numbers[tensor.name] = i;
    for (const PrecisionTable &table : report.tables)
      for (const PrecisionRow &row : table.rows)
        compared.try_emplace(row.tensor, &row);
  }

  void onResult(const LayerResult &layer, const Tensor &value) override {
    const PrecisionRow *row = compared.lookup(layer.tensor);
    if (!row || value.dtype() != DType::F32)
      return;
    size_t number = numbers.lookup(layer.tensor);
    HistogramRow whole{.node = row->node, .tensor = row->tensor, .samples = 1};
    std::optional<Tensor> rounded;
    if (row->codes) {
      whole.clip = clipOf(*row->codes);
      rounded.emplace(DType::F32, value.shape());
      kernels::fakeQuantize(value, *rounded, *row->codes);
    }
    std::vector<HistogramRow> &made = rows[number];
    made.assign(1, whole);
    for (int64_t channel : worst.of(row->tensor)) {
      made.push_back(whole);
      made.back().channel = channel;
    }
    for (HistogramRow &own : made)
      count(own, value, rounded ? &*rounded : nullptr,
            tensors[number].channelAxis);
  }

  bool looksAt(StringRef tensor) const { return compared.contains(tensor); }
  /// By tensor.
  const std::vector<std::vector<HistogramRow>> &results() const { return rows; }

private:
  const std::vector<FloatTensor> &tensors;
  WorstChannels worst;
  std::vector<std::vector<HistogramRow>> rows;
  llvm::StringMap<size_t> numbers;
  llvm::StringMap<const PrecisionRow *> compared;
};

void addWeights(AnalyzedNetwork views, const PrecisionReport &report,
                std::vector<HistogramRow> &rows) {
  llvm::StringSet<> badLayers;
  for (const PrecisionTable &table : report.tables)
    for (const PrecisionRow &row : table.rows)
      if (table.method == AnalysisMethod::PerLayer &&
          row.metrics.cosine < layerThreshold)
        badLayers.insert(row.node);
  forEachWeight(views, [&](Operation *layer, nn::ConstantOp floats,
                           nn::QuantizedConstantOp codes) {
    Tensor values = toTensor(floats.getValue());
    if (values.dtype() != DType::F32)
      return;
    Type type = getElementTypeOrSelf(codes.getY().getType());
    HistogramRow row{.node = getLayerName(layer).node,
                     .tensor = getTensorName(floats.getResult()),
                     .isWeight = true};
    Tensor rounded = evaluate(codes, {}, referenceKernels())[0];
    count(row, values, &rounded, 0);
    row.clip = clipOf(type, -1);
    rows.push_back(row);
    if (!badLayers.contains(row.node) || !isPerAxis(type) || values.rank() < 2)
      return;
    int64_t axis = channelParamsOf(type).axis;
    TensorComparison comparison(axis);
    comparison.add(rounded, values);
    row.channel = comparison.result().worstChannel;
    if (row.channel < 0)
      return;
    count(row, values, &rounded, axis);
    row.clip = clipOf(type, row.channel);
    rows.push_back(std::move(row));
  });
}

} // namespace

std::vector<HistogramRow> histogramsOf(AnalyzedNetwork views,
                                       const std::vector<FloatTensor> &tensors,
                                       const PrecisionReport &report,
                                       const Samples &samples) {
  std::vector<HistogramRow> rows;
  addWeights(views, report, rows);
  if (samples.count == 0)
    return rows;
  Counter counter(tensors, report);
  PrepareOptions options;
  options.observe = true;
  options.isObserved = [&](Operation *op) {
    return llvm::any_of(getLayerName(op).tensors, [&](const std::string &name) {
      return counter.looksAt(name);
    });
  };
  Executable executable = prepare(views.network, referenceKernels(), options);
  ExecutionState(executable).run(samples.load(0), &counter);
  for (const std::vector<HistogramRow> &made : counter.results())
    llvm::append_range(rows, made);
  return rows;
}

} // namespace parallax::analyze
