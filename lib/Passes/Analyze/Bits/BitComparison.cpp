//===- BitComparison.cpp - The bits of machine and reference --------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// In the sweep, codes are compared as bytes, and elements are only counted
// where that finds a difference.
//===----------------------------------------------------------------------===//
#include "BitComparison.h"
#include "Examine.h"

#include "parallax/Backend/NPU/Kernels/Elementwise.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Support/QuantizedType.h"

#include <cstring>

using namespace mlir;

namespace parallax::analyze {
namespace {

/// What is looked at closer although nothing is wrong with it.
constexpr size_t worstLayers = 8;

bool isComparable(const Combination &combination, size_t a, size_t b) {
  auto typeOf = [&](size_t observation) {
    return combination.codeTypes[observation];
  };
  return typeOf(a) == typeOf(b) && !(typeOf(a) && isPerAxis(typeOf(a)));
}

/// The observations of the NPU, each with the last of the reference that has
/// the same codes.
std::vector<BitPair> pairsOf(const Combination &combination) {
  std::vector<BitPair> pairs;
  const std::vector<Observation> &observations = combination.observations;
  std::map<std::pair<size_t, AnalysisMethod>, std::vector<size_t>> references;
  for (size_t i = 0; i < observations.size(); ++i) {
    if (!observations[i].comparison)
      continue;
    auto [method, mode] = *observations[i].comparison;
    std::vector<size_t> &candidates =
        references[{observations[i].tensor, method}];
    if (mode == AnalysisMode::Reference) {
      candidates.push_back(i);
      continue;
    }
    auto partner = llvm::find_if(llvm::reverse(candidates), [&](size_t j) {
      return isComparable(combination, i, j);
    });
    if (partner == candidates.rend())
      continue;
    BitPair pair{observations[i].tensor, *partner, i, method};
    if (Type type = combination.codeTypes[i])
      pair.codes = affineParamsOf(type);
    pairs.push_back(pair);
  }
  return pairs;
}

} // namespace

BitComparison::BitComparison(const Combination &combination, size_t sampleCount)
    : combination(combination), pairs(pairsOf(combination)),
      asReference(combination.observations.size(), -1),
      asMachine(combination.observations.size(), -1), samples(sampleCount),
      totals(pairs.size()), firstSample(combination.tensors.size(), -1),
      firstCounts(combination.tensors.size()),
      isCompared(combination.tensors.size()) {
  for (size_t i = 0; i < pairs.size(); ++i) {
    asReference[pairs[i].reference] = int64_t(i);
    asMachine[pairs[i].machine] = int64_t(i);
    if (pairs[i].method == AnalysisMethod::EndToEnd)
      isCompared[pairs[i].tensor] = true;
  }
  for (size_t i = 0; i < combination.tensors.size(); ++i)
    tensorNumbers[combination.tensors[i].name] = i;
}

void BitComparison::addReferences(
    DenseMap<Operation *, SmallVector<Value, 1>> &references) const {
  for (const BitPair &pair : pairs)
    references[combination.values[pair.machine].getDefiningOp()].push_back(
        combination.values[pair.reference]);
}

void BitComparison::take(size_t sample, size_t observation, const Tensor &found,
                         const Tensor &values) {
  int64_t reference = asReference[observation],
          machine = asMachine[observation];
  if (reference < 0 && machine < 0)
    return;
  Sample &current = samples[sample];
  if (current.references.empty()) {
    current.references.resize(pairs.size());
    current.counts.resize(pairs.size());
    current.differs.resize(combination.tensors.size());
  }
  if (reference >= 0) {
    current.references[size_t(reference)] = found;
    return;
  }
  const BitPair &pair = pairs[size_t(machine)];
  const Tensor &expected = current.references[size_t(machine)];
  if (expected.isNull() || expected.dtype() != values.dtype() ||
      expected.shape() != values.shape())
    return;
  BitCounts &counts = current.counts[size_t(machine)];
  counts.elements = values.size();
  // Equal values have equal codes, and nearly all of them are equal.
  bool differs =
      std::memcmp(expected.rawData(), values.rawData(), values.byteSize()) != 0;
  // Floats have other bits by design: they only tell where codes part.
  if (differs && (pair.codes || !isFloat(values.dtype()))) {
    Tensor codes = expected;
    if (pair.codes && expected.dtype() == DType::F32) {
      auto size = int64_t(found.byteSize());
      if (current.memory.size() < size)
        current.memory = Tensor(DType::U8, {size});
      codes = Tensor(found.dtype(), found.shape(), current.memory.rawData());
      npu::quantize(expected, codes, *pair.codes);
    }
    AffineParams noEnds{1, 0, 1, 0};
    counts.add(codes, found, pair.codes.value_or(noEnds), int64_t(sample));
    differs = counts.differing > 0;
  }
  if (pair.method == AnalysisMethod::EndToEnd && differs)
    current.differs[pair.tensor] = true;
}

void BitComparison::findFirst(const Sample &sample, size_t number) {
  // Tensors that have no partner are as equal as what they are made of. A
  // tensor stands behind its inputs.
  std::vector<bool> mayDiffer(sample.differs);
  for (size_t i = 0; i < mayDiffer.size(); ++i) {
    bool isFed = llvm::any_of(
        combination.tensors[i].inputs, [&](const std::string &input) {
          auto it = tensorNumbers.find(input);
          return it != tensorNumbers.end() && mayDiffer[it->second];
        });
    if (sample.differs[i] && firstSample[i] < 0 && !isFed)
      firstSample[i] = int64_t(number);
    if (!isCompared[i])
      mayDiffer[i] = isFed;
  }
}

void BitComparison::finish(size_t sample) {
  Sample done = std::move(samples[sample]);
  samples[sample] = {};
  findFirst(done, sample);
  for (size_t i = 0; i < done.counts.size(); ++i) {
    totals[i].merge(done.counts[i]);
    if (pairs[i].method == AnalysisMethod::EndToEnd &&
        firstSample[pairs[i].tensor] == int64_t(sample))
      firstCounts[pairs[i].tensor] = done.counts[i];
  }
}

void BitComparison::addDifferences(PrecisionReport &report,
                                   func::FuncOp machine,
                                   const Samples &source) const {
  // Of each tensor, the layer by itself; else, where the engines part first.
  std::map<size_t, size_t> chosen;
  for (size_t i = 0; i < pairs.size(); ++i) {
    size_t tensor = pairs[i].tensor;
    if (pairs[i].method == AnalysisMethod::PerLayer) {
      if (totals[i].differing > 0)
        chosen[tensor] = i;
    } else if (firstCounts[tensor].differing > 0) {
      chosen.try_emplace(tensor, i);
    }
  }
  std::vector<BitDifference> result;
  std::vector<ExaminedLayer> layers;
  for (auto [number, index] : chosen) {
    const FloatTensor &tensor = combination.tensors[number];
    const BitPair &pair = pairs[index];
    const BitCounts &counts = pair.method == AnalysisMethod::PerLayer
                                  ? totals[index]
                                  : firstCounts[number];
    ExaminedLayer layer{combination.values[pair.reference],
                        combination.values[pair.machine], pair.codes, counts};
    layer.isFirst = firstSample[number] >= 0;
    BitDifference row;
    row.node = tensor.node;
    row.tensor = tensor.name;
    row.type = tensor.type;
    row.elements = counts.elements;
    row.differing = counts.differing;
    row.maxCodes = counts.maxCodes();
    row.isFirst = layer.isFirst;
    layers.push_back(layer);
    result.push_back(std::move(row));
  }
  npu::TargetAttr target = machine ? npu::targetOf(machine) : nullptr;
  int multiplierBits =
      target ? int(target.getMultiplierBits()) : defaultMultiplierBits;
  examine(combination, layers, source, {worstLayers, multiplierBits});
  for (auto [row, layer] : llvm::zip(result, layers)) {
    row.difference = layer.difference;
    row.examples = std::move(layer.examples);
  }
  // Nobody parts where the operands have parted already.
  for (auto [row, layer] : llvm::zip(result, layers))
    if (layer.hasOtherOperands)
      report.unexamined.push_back(row.tensor);
    else
      report.differences.push_back(std::move(row));
}

} // namespace parallax::analyze
