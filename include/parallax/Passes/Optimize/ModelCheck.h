//===- ModelCheck.h - The network before and after -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What `onnx_opt.model_check` does: the imported and the optimized network run
// on the same samples, and every output is compared.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PASSES_OPTIMIZE_MODELCHECK_H
#define PARALLAX_PASSES_OPTIMIZE_MODELCHECK_H

#include "parallax/Backend/Core/Executable.h"
#include "parallax/Support/Samples.h"

namespace parallax {

/// How well one output has been kept, at its worst over all samples.
struct OutputCheck {
  std::string name;
  double error = 0; ///< The greatest difference, as a part of the range.
  double cosine = 1;
  size_t worstSample = 0;
  /// The error that the imported network itself makes of a change in the last
  /// bit of its inputs: some networks amplify rounding beyond any fixed bound.
  double sensitivity = 0;

  static constexpr double tolerance = 1e-5;
  /// Every rewritten layer rounds, not only the inputs.
  static constexpr double roundings = 4;
  bool passes() const {
    return error <= tolerance || error <= roundings * sensitivity;
  }
};

class ModelCheck {
public:
  ModelCheck(Samples samples, int threads)
      : samples(std::move(samples)), threads(threads) {}

  size_t sampleCount() const { return samples.count; }
  const std::string &sampleSource() const { return samples.source; }

  /// Runs the network as it was imported. Only its outputs are kept, so that
  /// both networks need not be in memory at once.
  void record(const Executable &imported);

  /// Runs the optimized network.
  std::vector<OutputCheck> compare(const Executable &optimized);

private:
  Samples samples;
  int threads;
  /// By sample and output.
  std::vector<std::vector<Tensor>> expected;
  std::vector<double> sensitivities;
};

} // namespace parallax

#endif // PARALLAX_PASSES_OPTIMIZE_MODELCHECK_H
