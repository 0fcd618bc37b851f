//===- Evaluation.cpp - Accuracy on labelled samples ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The largest score of the first output is the class.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/Evaluation.h"

#include "parallax/Backend/Core/SampleRunner.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/NumPy.h"
#include "parallax/Support/Progress.h"

#include <algorithm>
#include <fmt/format.h>

namespace parallax {
namespace {

struct EvaluationSet {
  Tensor images, labels;
};

EvaluationSet readEvaluation(const BuildConfig &config, const PortInfo &input) {
  EvaluationSet set{readNpy(config.evaluation.images),
                    readNpy(config.evaluation.labels)};
  Shape sample = set.images.shape();
  if (sample.empty() || sample[0] == 0)
    throw Error(fmt::format("{} holds no samples", config.evaluation.images));
  sample[0] = 1;
  if (set.images.dtype() != input.dtype || sample != input.shape)
    throw Error(
        fmt::format("{} holds {} {}, but input '{}' takes {} {} at a time",
                    config.evaluation.images, nameOf(set.images.dtype()),
                    toString(set.images.shape()), input.name,
                    nameOf(input.dtype), toString(input.shape)));
  if (set.labels.dtype() != DType::I64 ||
      set.labels.shape() != Shape{set.images.dim(0)})
    throw Error(fmt::format("{} must hold one int64 label for each of the {} "
                            "images",
                            config.evaluation.labels, set.images.dim(0)));
  return set;
}

/// One image of the set, as a view.
Tensor sampleOf(EvaluationSet &set, size_t index, const PortInfo &input) {
  size_t bytes = set.images.byteSize() / size_t(set.images.dim(0));
  auto *first = static_cast<std::byte *>(set.images.rawData()) + index * bytes;
  return Tensor(set.images.dtype(), input.shape, first);
}

} // namespace

Accuracy measureAccuracy(const Executable &executable, std::string_view what,
                         const BuildConfig &config, int threads) {
  if (executable.inputs.size() != 1 || executable.outputs.empty() ||
      executable.outputs[0].dtype != DType::F32)
    throw Error("accuracy is measured on networks with one input and a "
                "float32 output of class scores");
  EvaluationSet set = readEvaluation(config, executable.inputs[0]);
  auto count = size_t(set.images.dim(0));
  int64_t correct = 0;
  {
    Progress progress(fmt::format("Evaluating {} network", what),
                      int64_t(count));
    SampleCallbacks callbacks;
    callbacks.load = [&](size_t i) {
      return std::vector{sampleOf(set, i, executable.inputs[0])};
    };
    callbacks.consume = [&](size_t i, std::span<const Tensor> outputs) {
      std::span<const float> scores = outputs[0].values<float>();
      auto best = std::max_element(scores.begin(), scores.end());
      correct += best - scores.begin() == set.labels.data<int64_t>()[i];
      progress.advance();
    };
    runSamples(executable, count, threads, callbacks);
  }
  std::string title(what);
  title[0] = char(std::toupper(static_cast<unsigned char>(title[0])));
  showResult(fmt::format("{} accuracy (top-1): {:.4f} ({} of {} samples)\n",
                         title, double(correct) / double(count), correct,
                         count));
  return {std::string(what), correct, int64_t(count)};
}

Samples evaluationSamples(const BuildConfig &config,
                          std::span<const PortInfo> inputs) {
  if (config.evaluation.images.empty() || inputs.size() != 1)
    return randomSamples(inputs);
  EvaluationSet set = readEvaluation(config, inputs[0]);
  std::vector<std::vector<Tensor>> result;
  constexpr int64_t count = 8;
  for (int64_t i = 0; i < std::min(count, set.images.dim(0)); ++i)
    result.push_back({sampleOf(set, size_t(i), inputs[0]).clone()});
  return samplesInMemory(std::move(result), config.evaluation.images);
}

} // namespace parallax
