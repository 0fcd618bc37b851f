//===- FloatRows.cpp - Rows of what a float network computes --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// An observer copies the rows that are asked for out of each sample.
//===----------------------------------------------------------------------===//
#include "FloatRows.h"

#include "parallax/Analysis/Extremes.h"
#include "parallax/Backend/Core/Prepare.h"
#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Backend/Reference/Reference.h"
#include "parallax/Support/LayerName.h"

#include <cmath>
#include <set>

using namespace mlir;

namespace parallax::quantize {
namespace {

/// Twice the rows of a sample say enough about a layer with many, and keep the
/// cost of measuring it near that of running it twice.
constexpr int64_t fewestRows = 32, mostRows = 256;
/// Half a megabyte for one layer, unless its rows are very long.
constexpr int64_t mostNumbers = 1 << 17, rowsInAnyCase = 32;

int64_t rowBudget(int64_t rows, int64_t length) {
  int64_t wanted = std::clamp(2 * rows, fewestRows, mostRows);
  return std::min(wanted, std::max(rowsInAnyCase,
                                   mostNumbers / std::max<int64_t>(length, 1)));
}

} // namespace

void multiplyColumns(Tensor &matrix, const std::vector<float> &factors) {
  float *data = matrix.data<float>();
  auto columns = int64_t(factors.size());
  for (int64_t row = 0; row < matrix.dim(0); ++row, data += columns)
    for (int64_t i = 0; i < columns; ++i)
      data[i] *= factors[size_t(i)];
}

FloatRows::Watched &FloatRows::watched(Value tensor) {
  Watched &result = tensors[getTensorName(tensor)];
  result.shape = cast<RankedTensorType>(tensor.getType()).getShape().vec();
  return result;
}

const FloatRows::Watched *FloatRows::find(Value tensor) const {
  auto it = tensors.find(getTensorName(tensor));
  return it == tensors.end() ? nullptr : &it->second;
}

void FloatRows::want(Value tensor, const RowGeometry &geometry) {
  watched(tensor).entries[geometry];
}

void FloatRows::wantExtremes(Value tensor, int64_t axis) {
  watched(tensor).extremes[axis];
}

size_t FloatRows::samplesNeeded(size_t count, size_t fewestSamples) const {
  int64_t fewest = mostRows;
  for (const auto &[name, tensor] : tensors)
    for (const auto &[geometry, entry] : tensor.entries)
      fewest = std::min(fewest, geometry.rows(tensor.shape));
  auto wanted = size_t((mostRows + fewest - 1) / std::max<int64_t>(fewest, 1));
  return std::min({count, mostSamples, std::max(wanted, fewestSamples)});
}

void FloatRows::allocate(size_t samples) {
  for (auto &[name, tensor] : tensors) {
    for (auto &[geometry, entry] : tensor.entries) {
      int64_t rows = geometry.rows(tensor.shape);
      int64_t length = geometry.length(tensor.shape);
      auto count = int64_t(samples);
      entry.perSample =
          std::min(rows, (rowBudget(rows, length) + count - 1) / count);
      entry.rows = Tensor(DType::F32, {count * entry.perSample, length});
    }
    for (auto &[axis, perSample] : tensor.extremes) {
      auto channels = size_t(tensor.shape[size_t(axis)]);
      perSample.assign(samples, {std::vector<float>(channels, INFINITY),
                                 std::vector<float>(channels, -INFINITY)});
    }
  }
}

void FloatRows::take(Watched &tensor, size_t sample, const Tensor &value) {
  const float *data = value.data<float>();
  const Shape &shape = tensor.shape;
  for (auto &[geometry, entry] : tensor.entries) {
    int64_t length = geometry.length(shape), rows = geometry.rows(shape);
    // Other places in each sample: multiples of the golden ratio are spread.
    double phase = std::fmod(double(sample) * 0.6180339887498949, 1.0);
    float *to =
        entry.rows.data<float>() + int64_t(sample) * entry.perSample * length;
    for (int64_t i = 0; i < entry.perSample; ++i)
      geometry.copyRow(
          data, shape,
          int64_t((double(i) + phase) * double(rows) / double(entry.perSample)),
          to + i * length);
  }
  for (auto &[axis, perSample] : tensor.extremes) {
    std::span dims(shape);
    auto at = size_t(axis);
    ChannelLayout layout{size_t(elementCount(dims.first(at))),
                         size_t(shape[at]),
                         size_t(elementCount(dims.subspan(at + 1)))};
    widenChannels(value.values<float>(), layout, perSample[sample].low,
                  perSample[sample].high);
  }
}

/// Each sample has places of its own, so that samples may run side by side.
class FloatRows::Watcher : public Observer {
public:
  Watcher(FloatRows &rows, size_t sample) : rows(rows), sample(sample) {}

  void onResult(const LayerResult &layer, const Tensor &value) override {
    look(layer.tensor, value);
  }

  void look(const std::string &name, const Tensor &value) {
    auto it = rows.tensors.find(name);
    if (it != rows.tensors.end() && value.dtype() == DType::F32 &&
        value.shape() == it->second.shape)
      take(it->second, sample, value);
  }

private:
  FloatRows &rows;
  size_t sample;
};

void FloatRows::collect(func::FuncOp network, const Samples &source,
                        int threads, size_t fewestSamples) {
  size_t used = samplesNeeded(source.count, fewestSamples);
  if (tensors.empty() || used == 0)
    return tensors.clear();
  PrepareOptions options;
  options.observe = true;
  Executable executable = prepare(network, referenceKernels(), options);
  // What the network does not have must not look as if it were all zeros.
  std::set<std::string> known;
  for (const Executable::Probe &probe : executable.probes)
    known.insert(probe.layer.tensor);
  for (const PortInfo &input : executable.inputs)
    known.insert(input.name);
  std::erase_if(
      tensors, [&](const auto &entry) { return !known.contains(entry.first); });
  allocate(used);

  SampleCallbacks callbacks;
  callbacks.inOrder = false;
  callbacks.load = [&](size_t sample) {
    std::vector<Tensor> inputs = source.load(sample * source.count / used);
    Watcher watcher(*this, sample);
    for (size_t i = 0; i < inputs.size(); ++i)
      watcher.look(executable.inputs[i].name, inputs[i]);
    return inputs;
  };
  callbacks.observe = [&](size_t sample) {
    return std::make_unique<Watcher>(*this, sample);
  };
  callbacks.consume = [](size_t, std::span<const Tensor>) {};
  runSamples(executable, used, threads, callbacks);
}

const Tensor *FloatRows::rows(Value tensor, const RowGeometry &geometry) const {
  const Watched *found = find(tensor);
  if (!found)
    return nullptr;
  auto it = found->entries.find(geometry);
  return it == found->entries.end() ? nullptr : &it->second.rows;
}

int64_t FloatRows::rowsPerSample(Value tensor,
                                 const RowGeometry &geometry) const {
  return find(tensor)->entries.at(geometry).perSample;
}

ChannelExtremes FloatRows::extremes(Value tensor, int64_t axis) const {
  ChannelExtremes result;
  const Watched *found = find(tensor);
  if (!found || !found->extremes.contains(axis))
    return result;
  for (const ChannelExtremes &sample : found->extremes.at(axis)) {
    if (result.low.empty())
      result = sample;
    for (size_t i = 0; i < sample.low.size(); ++i) {
      result.low[i] = std::min(result.low[i], sample.low[i]);
      result.high[i] = std::max(result.high[i], sample.high[i]);
    }
  }
  return result;
}

void FloatRows::scale(Value tensor, const std::vector<float> &factors) {
  auto it = tensors.find(getTensorName(tensor));
  if (it == tensors.end())
    return;
  for (auto &[geometry, entry] : it->second.entries)
    multiplyColumns(entry.rows, geometry.perElement(factors));
}

} // namespace parallax::quantize
