//===- SampleRunner.h - Many samples through one network -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Samples run in parallel, one per thread, and their results are handed out in
// the order of the samples, so that whoever adds them up gets the same bits
// with any number of threads. At most one sample per thread is in memory. The
// ranks of a job (Support/Ranks.h) deal the samples among themselves, block by
// block, and then each of them hands out the results of all.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_CORE_SAMPLERUNNER_H
#define PARALLAX_BACKEND_CORE_SAMPLERUNNER_H

#include "parallax/Backend/Core/Executable.h"
#include "parallax/Support/Bytes.h"

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
  /// How many samples there are in all, where only some of them are run. Float
  /// kernels may have other bits on several threads, so one of many gets the
  /// same threads alone as it gets among the others.
  size_t total = 0;

  /// Whether ranks deal the samples among themselves. Then `consume` is called
  /// for all samples on all of them, in order.
  bool isDealt = false;
  /// What goes from the rank that has run a sample to the others, if that is
  /// not its outputs: `pack` is called from any thread in place of `consume`,
  /// and `unpack` in order, on all ranks.
  std::function<void(size_t sample, std::span<const Tensor> outputs,
                     ByteWriter &)>
      pack = nullptr;
  std::function<void(size_t sample, ByteReader &)> unpack = nullptr;
};

/// Samples `begin` to `end` - 1 of `count`.
struct SampleRange {
  size_t begin = 0, end = 0, count = 0;
};

/// What this rank runs where all of them run something, each one block.
SampleRange ownSamples(size_t count);

/// Runs samples 0 to `count` - 1. A single sample, or a single thread, gives
/// all threads to the kernels instead. The first error by sample number is
/// thrown once all threads have stopped.
void runSamples(const Executable &executable, size_t count, int threads,
                const SampleCallbacks &callbacks);

/// Runs a part of the samples on this rank, with the same bits.
void runSamples(const Executable &executable, const SampleRange &range,
                int threads, const SampleCallbacks &callbacks);

} // namespace parallax

#endif // PARALLAX_BACKEND_CORE_SAMPLERUNNER_H
