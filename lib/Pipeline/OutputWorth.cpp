//===- OutputWorth.cpp - What errors of outputs are worth -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The task knows best, if there is one.
//===----------------------------------------------------------------------===//
#include "OutputWorth.h"

#include "parallax/Analysis/ChannelGroups.h"
#include "parallax/Pipeline/Evaluation.h"

namespace parallax {

decltype(AnalysisOptions::weigh) worthOfErrors(BuildState &state) {
  if (!state.config.evaluation.isGiven())
    return weighByGroups;
  auto evaluator = std::make_shared<const Evaluator>(state.config, 1);
  std::shared_ptr<const Task> task =
      evaluator->taskFor(state.network->inputs(), state.network->outputs());
  // The task reads labels that the evaluator has.
  return [evaluator, task](std::span<const Tensor> outputs,
                           std::span<const std::span<float>> weights) {
    return (task && task->weighErrors(outputs, weights)) ||
           weighByGroups(outputs, weights);
  };
}

} // namespace parallax
