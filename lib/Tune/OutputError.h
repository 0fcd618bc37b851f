//===- OutputError.h - How far outputs are from float ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A metric of few samples says too little about small changes. The error of the
// outputs, weighed by what it does to the task, says more.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_TUNE_OUTPUTERROR_H
#define PARALLAX_LIB_TUNE_OUTPUTERROR_H

#include "Search.h"

namespace parallax {

/// Measures the weighed squared error of outputs on a few samples.
class OutputError {
public:
  /// On the first samples to tune on but `skipped`, if there are as many.
  explicit OutputError(Search &search, size_t skipped = 0);

  /// Infinite if it can't be built.
  double of(const std::vector<ConfigEdit> &edits);

private:
  template <typename Consume>
  void run(const Executable &network, const Consume &consume);
  std::vector<std::vector<float>>
  weightsOf(const std::vector<Tensor> &outputs) const;
  double errorOf(size_t sample, std::span<const Tensor> outputs) const;

  Search &search;
  std::span<const size_t> samples;
  std::vector<std::vector<Tensor>> floats;
  std::vector<std::vector<std::vector<float>>> weights;
};

/// "error of outputs 0.0123 (-45.6 %)".
std::string describeError(double found, double before);

} // namespace parallax

#endif // PARALLAX_LIB_TUNE_OUTPUTERROR_H
