//===- SampleComparison.h - What one sample adds ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Samples are compared side by side and added up in their order, so each has
// comparisons of its own; their memory goes on to the samples that follow.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_ANALYZE_SAMPLECOMPARISON_H
#define PARALLAX_LIB_PASSES_ANALYZE_SAMPLECOMPARISON_H

#include "Bits/BitComparison.h"
#include "Sweep/Combine.h"
#include "Sweep/Waterfall.h"

#include "parallax/Passes/Analyze/Analyze.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace parallax {

/// None of floats, and of codes whose scale depends on the channel.
std::optional<AffineParams> uniformCodes(mlir::Type type);

/// Whether it is an output of floats with all errors accumulated.
bool isJudged(const analyze::Observation &observation,
              const analyze::FloatTensor &tensor);

/// What one sample adds to every comparison.
class SampleComparison {
public:
  explicit SampleComparison(const analyze::Combination &combination,
                            analyze::Waterfall *waterfall = nullptr,
                            analyze::BitComparison *bits = nullptr);

  void start(size_t sample);
  void take(size_t index, const Tensor &value);

  /// What it has found, for another rank.
  template <typename Archive> void transfer(Archive &archive) {
    for (TensorComparison &comparison : comparisons)
      archive(comparison);
    for (std::optional<TensorComparison> &other : along)
      if (other)
        archive(*other);
  }

  std::vector<TensorComparison> comparisons;
  /// Along the other dimension in which channels may be.
  std::vector<std::optional<TensorComparison>> along;
  std::function<void(const ComparedValues &)> look, lookAtOutputs;

private:
  void show(const analyze::Observation &observation,
            const Tensor &values) const;
  /// The NPU gives codes where others give values.
  Tensor valuesOf(const Tensor &value, size_t index);

  const analyze::Combination &combination;
  analyze::Waterfall *waterfall;
  analyze::BitComparison *bits;
  size_t number = 0;
  std::vector<std::optional<AffineParams>> params;
  /// Views: the executor keeps what they show as long as it is needed.
  std::vector<Tensor> floats;
  /// For the values of codes. A tensor without a shape would be a number.
  Tensor memory{DType::F32, {0}};
};

/// Samples that are done lend their memory to those that follow.
class SamplePool {
public:
  using Sample = std::unique_ptr<SampleComparison>;

  template <typename... Args> Sample take(size_t number, Args &&...args) {
    Sample sample;
    {
      std::lock_guard lock(mutex);
      if (!idle.empty()) {
        sample = std::move(idle.back());
        idle.pop_back();
      }
    }
    if (!sample)
      sample = std::make_unique<SampleComparison>(std::forward<Args>(args)...);
    sample->start(number);
    return sample;
  }
  void giveBack(Sample sample) {
    std::lock_guard lock(mutex);
    idle.push_back(std::move(sample));
  }

private:
  std::mutex mutex;
  std::vector<Sample> idle;
};

} // namespace parallax

#endif // PARALLAX_LIB_PASSES_ANALYZE_SAMPLECOMPARISON_H
