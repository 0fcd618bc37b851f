//===- ReduceSteps.cpp - How a case is made small -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// First the layers around the problem, with the tensors of the whole network at
// their borders; then fewer of them, in halves, quarters and so on; then
// smaller tensors; then simpler values; then what need not be told.
//===----------------------------------------------------------------------===//
#include "Reducer.h"

#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Views.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace parallax {

static constexpr uint64_t seed = 20221118;

/// The sample in which a layer is worst comes first.
void Reducer::takeOneSample() {
  if (current.samples.size() < 2)
    return;
  std::vector<size_t> order;
  if (const PrecisionRow *row = badRow();
      row && row->metrics.worstSample >= 0 &&
      size_t(row->metrics.worstSample) < current.samples.size())
    order.push_back(size_t(row->metrics.worstSample));
  for (size_t i = 0; i < current.samples.size(); ++i)
    order.push_back(i);
  std::vector<Sample> all = current.samples;
  for (size_t i : order) {
    if (!hasTime())
      return;
    Candidate candidate = copy();
    candidate.samples = {all[i]};
    if (accept(candidate, fmt::format("sample {} alone", i))) {
      wholeSamples = {wholeSamples[i]};
      return;
    }
  }
}

/// The layers of the whole network that are so near to the bad one.
std::vector<Operation *> Reducer::around(size_t distance) {
  const PrecisionRow *row = badRow();
  std::vector<Operation *> all = layersOf(whole);
  std::set<Operation *> chosen;
  for (Operation *op : all) {
    LayerName name = getLayerName(op);
    bool isBad = name.node == predicate.layer ||
                 llvm::is_contained(name.tensors, predicate.layer);
    if (row)
      isBad |= name.node == row->node ||
               llvm::is_contained(name.tensors, row->tensor);
    if (isBad)
      chosen.insert(op);
  }
  for (size_t i = 0; i < distance; ++i) {
    std::set<Operation *> wider = chosen;
    for (Operation *op : chosen)
      for (Value operand : op->getOperands())
        if (Operation *maker = operand.getDefiningOp();
            maker && maker->getNumOperands() > 0)
          wider.insert(maker);
    chosen = std::move(wider);
  }
  std::vector<Operation *> result;
  for (Operation *op : all)
    if (chosen.contains(op))
      result.push_back(op);
  return result;
}

/// The current candidate with other layers of the whole network.
Candidate Reducer::withLayers(const std::vector<Operation *> &layers) {
  Candidate result = current;
  std::set<std::string> outputs;
  if (const PrecisionRow *row = badRow())
    outputs.insert(row->tensor);
  result.network = cutNetwork(
      whole, llvm::DenseSet<Operation *>(layers.begin(), layers.end()), outputs,
      "candidate");
  std::vector<std::string> inputs = inputNames(result.network);
  result.samples.clear();
  for (const Sample &sample : wholeSamples)
    result.samples.push_back(orThrow(
        whole.getContext(), [&] { return valuesOf(whole, inputs, sample); }));
  return result;
}

bool Reducer::cutAround() {
  if (predicate.layer.empty())
    return false;
  size_t before = 0;
  for (size_t distance : {0, 1, 2, 4, 8, 16, 32}) {
    std::vector<Operation *> layers = around(distance);
    if (layers.empty() || layers.size() == before || !hasTime())
      continue;
    before = layers.size();
    // Steps tell no names, which may be private.
    if (accept(withLayers(layers),
               distance == 0 ? "the layer itself"
                             : fmt::format("{} deep around the layer",
                                           counted(distance, "layer"))))
      return true;
  }
  return false;
}

/// Removes layers in halves, then in quarters and so on, until no single one
/// can be spared.
void Reducer::removeLayers() {
  std::set<std::string> names;
  for (Operation *op : layersOf(current.network))
    names.insert(getTensorName(op->getResult(0)));
  std::vector<Operation *> layers;
  for (Operation *op : layersOf(whole))
    if (names.contains(getTensorName(op->getResult(0))))
      layers.push_back(op);
  for (size_t parts = 2; layers.size() > 1;) {
    parts = std::min(parts, layers.size());
    bool isSmaller = false;
    for (size_t i = parts; i > 0 && hasTime(); --i) {
      size_t from = layers.size() * (i - 1) / parts;
      size_t to = layers.size() * i / parts;
      std::vector<Operation *> rest(layers.begin(),
                                    layers.begin() + long(from));
      rest.insert(rest.end(), layers.begin() + long(to), layers.end());
      if (rest.empty() || rest.size() == layers.size())
        continue;
      if (accept(withLayers(rest), "without " + counted(to - from, "layer"))) {
        layers = std::move(rest);
        isSmaller = true;
        break;
      }
    }
    if (!hasTime() || (!isSmaller && parts == layers.size()))
      return;
    parts = isSmaller ? std::max<size_t>(2, parts - 1) : parts * 2;
  }
}

void Reducer::shrinkTensors() {
  for (bool isSmaller = true; isSmaller && hasTime();) {
    isSmaller = false;
    for (int64_t extent : extentsOf(current.network)) {
      std::vector<Shrink> ways;
      for (int64_t to : {int64_t(1), extent / 2, extent - extent / 4})
        if (to < extent && to > 0)
          for (bool keepsLast : {false, true})
            ways.push_back({extent, to, keepsLast});
      for (const Shrink &way : ways) {
        if (!hasTime())
          return;
        Candidate candidate = copy();
        bool fits =
            succeeded(shrinkNetwork(candidate.network, candidate.samples, way));
        // A window that shrinks can leave more places for it.
        if (!fits ||
            tensorBytes(candidate.network) >= tensorBytes(current.network)) {
          candidate.network.erase();
          continue;
        }
        if (accept(candidate, fmt::format("{} for {}", way.to, way.from))) {
          isSmaller = true;
          break;
        }
      }
    }
  }
}

/// Zeros, or one value, in place of what varies.
void Reducer::simplifyValues() {
  for (const std::string &name : variedConstants(current.network))
    for (Fill fill : {Fill::Zero, Fill::Largest}) {
      if (!hasTime())
        return;
      Candidate candidate = copy();
      fillConstant(candidate.network, name, fill);
      if (accept(candidate, fill == Fill::Zero ? "zeros in a constant"
                                               : "one value in a constant"))
        break;
    }
}

/// Goes on from a candidate with something else in place of what is private, if
/// one of these ways shows the problem.
bool Reducer::replace(const std::string &what,
                      const std::function<bool(Candidate &)> &change) {
  // Ranges may not fit what is new.
  for (bool calibrates : {false, true}) {
    Candidate candidate = copy();
    if (!change(candidate)) {
      candidate.network.erase();
      break;
    }
    if (calibrates)
      candidate.ranges.reset();
    if (accept(candidate, what + " replaced")) {
      replaced.push_back(what);
      return true;
    }
  }
  kept.push_back(what +
                 " are the user's own: with others the problem goes away");
  return false;
}

/// Before tensors get small: few elements rarely show the same by chance.
void Reducer::concealValues() {
  if (request.conceal.weights)
    replace("weights", [](Candidate &candidate) {
      return replaceWeights(candidate.network, seed);
    });
  if (!request.conceal.samples)
    return;
  replace("samples", [](Candidate &candidate) {
    uint64_t number = seed;
    bool isChanged = false;
    for (Sample &sample : candidate.samples)
      for (Tensor &tensor : sample) {
        Tensor other = randomLike(tensor, ++number);
        isChanged |= std::memcmp(other.rawData(), tensor.rawData(),
                                 tensor.byteSize()) != 0;
        tensor = other;
      }
    return isChanged;
  });
}

void Reducer::concealNames() {
  if (!request.conceal.names)
    return;
  // The problem itself gets a new name as well.
  Predicate before = predicate;
  bool isStripped = replace("names", [&](Candidate &candidate) {
    NewNames names = stripNames(candidate.network);
    rename(candidate, names);
    auto newName = [&](const std::string &name) {
      for (const auto *by : {&names.layers, &names.tensors})
        if (auto it = by->find(name); it != by->end())
          return it->second;
      return name;
    };
    predicate.layer = newName(before.layer);
    return true;
  });
  if (!isStripped)
    predicate = before;
}

} // namespace parallax
