//===- SampleRunner.h - Many samples through one network -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Samples run in parallel, one per thread, and their results are handed out in
// the order of the samples, so that whoever adds them up gets the same bits
// with any number of threads. At most one sample per thread is in memory.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_CORE_SAMPLERUNNER_H
#define PARALLAX_BACKEND_CORE_SAMPLERUNNER_H

#include "parallax/Backend/Core/Executable.h"

namespace parallax {

struct SampleCallbacks {
  /// Provides the inputs of a sample; called from any thread.
  std::function<std::vector<Tensor>(size_t sample)> load;
  /// Takes the outputs; called for one sample at a time, in order, unless
  /// `inOrder` is false: then from any thread, as soon as a sample is done.
  std::function<void(size_t sample, std::span<const Tensor> outputs)> consume;
  /// Makes what observes the layers of a sample; may be empty.
  std::function<std::unique_ptr<Observer>(size_t sample)> observe;
  bool inOrder = true;
};

/// Runs samples 0 to `count` - 1. A single sample, or a single thread, gives
/// all threads to the kernels instead. The first error by sample number is
/// thrown once all threads have stopped.
void runSamples(const Executable &executable, size_t count, int threads,
                const SampleCallbacks &callbacks);

} // namespace parallax

#endif // PARALLAX_BACKEND_CORE_SAMPLERUNNER_H
