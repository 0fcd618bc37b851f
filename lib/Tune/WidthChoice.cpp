//===- WidthChoice.cpp - Which layers read 16 bits ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Items of the cut are layers (do they read 16 bits?), their weights, and
// tensors: whether some reader wants 16 bits, and whether all do. Tensors that
// only move into each other have the same codes and are one item.
//===----------------------------------------------------------------------===//
#include "WidthChoice.h"
#include "parallax/Tune/MinimumCut.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parallax {
namespace {

/// Sets of tensors that share their codes.
class SharedCodes {
public:
  explicit SharedCodes(const LossModel &network) {
    for (const PrecisionRow &row : network.layers())
      if (row.moves)
        for (const std::string &input : row.inputs)
          join(numberOf(row.tensor), numberOf(input));
  }

  size_t numberOf(const std::string &tensor) {
    auto [it, isNew] = numbers.try_emplace(tensor, parents.size());
    if (isNew)
      parents.push_back(parents.size());
    return it->second;
  }
  size_t setOf(const std::string &tensor) { return root(numberOf(tensor)); }

private:
  size_t root(size_t i) {
    while (parents[i] != i)
      i = parents[i] = parents[parents[i]];
    return i;
  }
  void join(size_t a, size_t b) { parents[root(a)] = root(b); }

  std::map<std::string, size_t> numbers;
  std::vector<size_t> parents;
};

double costIn(const std::map<std::string, double> &costs,
              const std::string &layer) {
  auto it = costs.find(layer);
  return it == costs.end() ? 0 : it->second;
}

class Cut {
public:
  Cut(const WidthProblem &problem, double price)
      : problem(problem), network(*problem.network), price(price),
        shared(network) {
    addTensors();
    for (const PrecisionRow &row : network.layers())
      if (!row.moves)
        addLayer(row);
  }

  Widening solve() const {
    std::vector<bool> yes = choice.solve();
    Widening wide;
    for (const PrecisionRow &row : network.layers()) {
      if (auto it = layers.find(row.node);
          it != layers.end() && yes[it->second])
        wide.data.add(row.node);
      if (auto it = weights.find(row.node);
          it != weights.end() && yes[it->second])
        wide.weights.add(row.node);
    }
    for (const auto &[set, tensor] : tensors)
      if (tensor.output && yes[*tensor.output])
        for (const std::string &maker : tensor.makers)
          wide.results.add(maker);
    return wide;
  }

private:
  struct Tensor {
    /// Whether any reader wants 16 bits, and whether all do.
    size_t any = 0, all = 0;
    /// Who reads it outside of the network, in codes.
    std::optional<size_t> output;
    std::vector<std::string> makers;
  };

  void addTensors() {
    for (const auto &[tensor, loss] : problem.losses.codes) {
      const PrecisionRow *row = network.find(tensor);
      if (!row || !row->codes)
        continue;
      size_t set = shared.setOf(tensor);
      auto [it, isNew] = tensors.try_emplace(set);
      if (isNew) {
        it->second.any = choice.add();
        it->second.all = choice.add();
        choice.require(it->second.all, it->second.any);
      }
      choice.costIf(it->second.all, false, loss);
    }
    for (const PrecisionRow &row : network.layers()) {
      auto it = tensors.find(shared.setOf(row.tensor));
      if (it == tensors.end())
        continue;
      if (!row.moves)
        it->second.makers.push_back(row.node);
      if (row.isOutput && row.codes && !it->second.output) {
        it->second.output = choice.add();
        choice.require(*it->second.output, it->second.any);
        choice.require(it->second.all, *it->second.output);
      }
    }
    // What has to stay narrow gives narrow results, too.
    for (const auto &[set, tensor] : tensors)
      if (tensor.output &&
          std::ranges::any_of(tensor.makers, [&](const std::string &maker) {
            return problem.fixed.contains(maker);
          }))
        choice.costIf(*tensor.output, true,
                      std::numeric_limits<double>::infinity());
  }

  void addLayer(const PrecisionRow &row) {
    bool isNew = !layers.contains(row.node);
    if (isNew) {
      layers[row.node] = choice.add();
      if (problem.fixed.contains(row.node))
        choice.costIf(layers[row.node], true,
                      std::numeric_limits<double>::infinity());
    }
    size_t layer = layers[row.node];
    for (const std::string &input : row.inputs)
      if (auto it = tensors.find(shared.setOf(input)); it != tensors.end()) {
        choice.require(layer, it->second.any);
        choice.require(it->second.all, layer);
      }
    double narrow = costIn(problem.costs.narrow, row.node);
    double more =
        std::max(0.0, costIn(problem.costs.wide, row.node) - narrow) * price;
    bool multiplies = network.weights(row.node) != nullptr;
    double loss = 0;
    if (auto it = problem.losses.weights.find(row.node);
        multiplies && it != problem.losses.weights.end())
      loss = it->second;
    // Products only care for what they read; all else is as wide as the widest
    // of what it reads and gives.
    size_t paying = layer;
    if (auto it = tensors.find(shared.setOf(row.tensor));
        it != tensors.end() && !multiplies) {
      paying = choice.add();
      choice.require(layer, paying);
      choice.require(it->second.any, paying);
    }
    if (isNew)
      choice.costIf(paying, true, more);
    if (!isNew || loss <= 0)
      return;
    double muchMore =
        std::max(0.0, costIn(problem.costs.wideWeights, row.node) -
                          costIn(problem.costs.wide, row.node)) *
        price;
    size_t weight = weights[row.node] = choice.add();
    choice.require(weight, layer);
    choice.costIf(weight, false, loss);
    choice.costIf(weight, true, muchMore);
  }

  const WidthProblem &problem;
  const LossModel &network;
  double price;
  SharedCodes shared;
  BinaryChoice choice;
  std::map<size_t, Tensor> tensors;
  std::map<std::string, size_t> layers, weights;
};

bool areEqual(const Widening &a, const Widening &b) {
  return a.data.names == b.data.names && a.weights.names == b.weights.names &&
         a.results.names == b.results.names;
}

} // namespace

double TensorLosses::total() const {
  double sum = 0;
  for (const auto *losses : {&codes, &weights})
    for (const auto &[name, loss] : *losses)
      sum += loss;
  return sum;
}

Widening chooseWidths(const WidthProblem &problem, double price) {
  return Cut(problem, price).solve();
}

std::vector<Widening> chooseFront(const WidthProblem &problem) {
  // From a price at which nothing is bought to one at which all is.
  double extra = 0;
  for (const auto &[layer, cost] : problem.costs.wideWeights)
    extra += std::max(0.0, cost - costIn(problem.costs.narrow, layer));
  double losses = problem.losses.total();
  std::vector<Widening> front = {{}};
  if (!(losses > 0) || !(extra > 0))
    return front;
  constexpr double mostOverMean = 1e5, leastOverMean = 1e-6;
  constexpr int steps = 80;
  for (int i = 0; i <= steps; ++i) {
    double part = double(i) / steps;
    double price = losses / extra * std::pow(mostOverMean, 1 - part) *
                   std::pow(leastOverMean, part);
    Widening found = chooseWidths(problem, price);
    if (!areEqual(found, front.back()))
      front.push_back(std::move(found));
  }
  return front;
}

} // namespace parallax
