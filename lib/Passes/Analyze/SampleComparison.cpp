//===- SampleComparison.cpp - What one sample adds ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A float tensor stays where it is until everybody who is compared with it has
// come; they follow at once, so few tensors stay at a time.
//===----------------------------------------------------------------------===//
#include "SampleComparison.h"

#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "parallax/Support/QuantizedType.h"

namespace parallax {

using analyze::FloatTensor;
using analyze::Observation;

std::optional<AffineParams> uniformCodes(mlir::Type type) {
  if (!type || isPerAxis(type))
    return std::nullopt;
  return affineParamsOf(type);
}

bool isJudged(const Observation &observation, const FloatTensor &tensor) {
  return observation.comparison && tensor.isOutput && isFloat(tensor.dtype) &&
         observation.comparison->method == AnalysisMethod::EndToEnd;
}

SampleComparison::SampleComparison(const analyze::Combination &combination,
                                   analyze::Waterfall *waterfall,
                                   analyze::BitComparison *bits)
    : combination(combination), waterfall(waterfall), bits(bits),
      floats(combination.tensors.size()) {
  comparisons.reserve(combination.observations.size());
  along.resize(combination.observations.size());
  for (auto [observation, type] :
       llvm::zip(combination.observations, combination.codeTypes)) {
    std::optional<AffineParams> codes = uniformCodes(type);
    bool summarizes =
        observation.comparison &&
        observation.comparison->method == AnalysisMethod::PerLayer;
    const FloatTensor &tensor = combination.tensors[observation.tensor];
    if (isJudged(observation, tensor) && tensor.otherAxis)
      along[comparisons.size()].emplace(*tensor.otherAxis);
    comparisons.emplace_back(tensor.channelAxis, codes, tensor.choosesClasses,
                             summarizes);
    params.push_back(codes);
  }
}

void SampleComparison::start(size_t sample) {
  number = sample;
  for (TensorComparison &comparison : comparisons)
    comparison.clear();
  for (std::optional<TensorComparison> &other : along)
    if (other)
      other->clear();
}

void SampleComparison::take(size_t index, const Tensor &value) {
  const Observation &observation = combination.observations[index];
  if (!observation.comparison) {
    waterfall->take(number, observation, value);
    show(observation, value);
    floats[observation.tensor] = value;
    return;
  }
  Tensor values = valuesOf(value, index);
  waterfall->take(number, observation, values);
  show(observation, values);
  bits->take(number, index, value, values);
  comparisons[index].add(values, floats[observation.tensor]);
  if (along[index])
    along[index]->add(values, floats[observation.tensor]);
}

void SampleComparison::show(const Observation &observation,
                            const Tensor &values) const {
  const FloatTensor &tensor = combination.tensors[observation.tensor];
  ComparedValues compared{number, tensor.name, observation.comparison, values};
  if (look)
    look(compared);
  bool isPerLayer = observation.comparison &&
                    observation.comparison->method == AnalysisMethod::PerLayer;
  if (lookAtOutputs && tensor.isOutput && !isPerLayer)
    lookAtOutputs(compared);
}

Tensor SampleComparison::valuesOf(const Tensor &value, size_t index) {
  if (!params[index] || value.dtype() == DType::F32)
    return value;
  if (memory.size() < value.size())
    memory = Tensor(DType::F32, {value.size()});
  Tensor values(DType::F32, value.shape(), memory.rawData());
  npu::dequantize(value, values, *params[index]);
  return values;
}

} // namespace parallax
