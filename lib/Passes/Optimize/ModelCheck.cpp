//===- ModelCheck.cpp - The network before and after ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Runs both networks on the same samples. The imported one also runs on inputs
// that are changed in the last bit, which gives the bound.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Optimize/ModelCheck.h"
#include "parallax/Analysis/Metrics.h"
#include "parallax/Backend/Core/SampleRunner.h"

#include <cmath>
#include <limits>

namespace parallax {

/// NaN on one side only is beyond any error.
static double errorOf(const Metrics &metrics) {
  return metrics.unordered > 0
             ? std::numeric_limits<double>::infinity()
             : errorOfRange(metrics.maxAbs, metrics.minB, metrics.maxB);
}

/// The sample with every other number moved to the next one in float.
static std::vector<Tensor> nudged(const std::vector<Tensor> &sample) {
  std::vector<Tensor> result;
  for (const Tensor &tensor : sample) {
    result.push_back(tensor.clone());
    if (tensor.dtype() != DType::F32)
      continue;
    float *data = result.back().data<float>();
    for (int64_t i = 0, size = tensor.size(); i < size; i += 2)
      data[i] = std::nextafter(data[i], i % 4 == 0 ? INFINITY : -INFINITY);
  }
  return result;
}

void ModelCheck::record(const Executable &imported) {
  SampleCallbacks callbacks;
  callbacks.load = samples.load;
  callbacks.consume = [&](size_t, std::span<const Tensor> outputs) {
    std::vector<Tensor> &copy = expected.emplace_back();
    for (const Tensor &output : outputs)
      copy.push_back(output.clone());
  };
  runSamples(imported, samples.count, threads, callbacks);

  sensitivities.assign(imported.outputs.size(), 0);
  callbacks.load = [&](size_t i) { return nudged(samples.load(i)); };
  callbacks.consume = [&](size_t sample, std::span<const Tensor> outputs) {
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].shape() == expected[sample][i].shape())
        sensitivities[i] =
            std::max(sensitivities[i],
                     errorOf(measure(outputs[i], expected[sample][i])));
  };
  runSamples(imported, samples.count, threads, callbacks);
}

std::vector<OutputCheck> ModelCheck::compare(const Executable &optimized) {
  std::vector<OutputCheck> checks;
  for (size_t i = 0; i < optimized.outputs.size(); ++i) {
    checks.push_back({optimized.outputs[i].name});
    checks.back().sensitivity = sensitivities[i];
  }
  SampleCallbacks callbacks;
  callbacks.load = samples.load;
  callbacks.consume = [&](size_t sample, std::span<const Tensor> outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      OutputCheck &check = checks[i];
      const Tensor &reference = expected[sample][i];
      if (outputs[i].shape() != reference.shape()) {
        check.error = std::numeric_limits<double>::infinity();
        check.cosine = 0;
        check.worstSample = sample;
        continue;
      }
      Metrics metrics = measure(outputs[i], reference);
      check.cosine = std::min(check.cosine, metrics.cosine);
      if (double error = errorOf(metrics); error > check.error) {
        check.error = error;
        check.worstSample = sample;
      }
    }
  };
  runSamples(optimized, samples.count, threads, callbacks);
  return checks;
}

} // namespace parallax
