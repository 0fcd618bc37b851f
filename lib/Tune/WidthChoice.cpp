//===- WidthChoice.cpp - Which layers read 16 bits ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Items of the cut are layers (do they read 16 bits?), their weights, and for
// each tensor: whether some reader wants 16 bits, and whether all do. If some
// do and not all, a conversion is paid, once for all of the others. Layers that
// move elements want what those behind them want.
//===----------------------------------------------------------------------===//
#include "WidthChoice.h"
#include "parallax/Tune/MinimumCut.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parallax {
namespace {

constexpr double forbidden = std::numeric_limits<double>::infinity();

double costIn(const std::map<std::string, double> &costs,
              const std::string &layer) {
  auto it = costs.find(layer);
  return it == costs.end() ? 0 : it->second;
}

class Cut {
public:
  /// The sum that is minimized: losses and costs, each times its factor.
  Cut(const WidthProblem &problem, double ofLosses, double ofCosts)
      : problem(problem), network(*problem.network), ofLosses(ofLosses),
        ofCosts(ofCosts) {
    for (const PrecisionRow &row : network.layers()) {
      rowsOf[row.node].push_back(&row);
      for (const std::string &input : row.inputs) {
        std::vector<std::string> &nodes = readersOf[input];
        if (std::ranges::find(nodes, row.node) == nodes.end())
          nodes.push_back(row.node);
      }
    }
    // Readers come before what they read.
    const std::vector<PrecisionRow> &rows = network.layers();
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      for (const PrecisionRow *result : rowsOf[row->node])
        if (!tensors.contains(result->tensor))
          addReaders(*result);
      addNode(*row);
      for (const PrecisionRow *result : rowsOf[row->node])
        addTensor(*result);
    }
    for (const auto &[tensor, readers] : readersOf)
      if (const PrecisionRow *row = network.find(tensor);
          row && row->type == inputType) {
        addReaders(*row);
        addTensor(*row);
      }
    for (const PrecisionRow &row : rows)
      addCosts(row);
  }

  std::vector<bool> solve() const { return choice.solve(); }
  double costOf(const std::vector<bool> &yes) const {
    return choice.costOf(yes);
  }

  Widening wideningOf(const std::vector<bool> &yes) const {
    Widening wide;
    for (const PrecisionRow &row : network.layers()) {
      const Node *node = nodeOf(row.node);
      if (row.moves || !node || problem.required.contains(row.node) ||
          !yes[node->item])
        continue;
      (node->isFloat ? wide.floats : wide.data).add(row.node);
      if (auto it = weights.find(row.node);
          it != weights.end() && yes[it->second])
        wide.weights.add(row.node);
    }
    for (const auto &[tensor, output] : outputs)
      if (yes[output])
        for (const PrecisionRow *maker : network.makers(tensor))
          wide.results.add(maker->node);
    return wide;
  }

private:
  /// A layer, or one that moves elements.
  struct Node {
    size_t item = 0;
    /// Its yes is float, which makes nothing wide that it reads.
    bool isFloat = false;
  };
  struct Tensor {
    /// Who reads it and has a choice.
    std::vector<Node> readers;
    bool isMoved = false;
    std::optional<size_t> output;
    /// Whether it has 16 bits because some reader wants them, whether all do
    /// that read it directly, and whether all do behind movements, too.
    size_t wide = 0, all = 0, fine = 0;
  };

  const Node *nodeOf(const std::string &name) const {
    auto it = nodes.find(name);
    return it == nodes.end() ? nullptr : &it->second;
  }

  void addReaders(const PrecisionRow &row) {
    Tensor &tensor = tensors[row.tensor];
    if (auto it = readersOf.find(row.tensor); it != readersOf.end())
      for (const std::string &reader : it->second)
        if (const Node *node = nodeOf(reader)) {
          tensor.readers.push_back(*node);
          tensor.isMoved |= rowsOf[reader].front()->moves;
        }
    if (row.isOutput && row.codes)
      addOutput(row, tensor);
  }

  /// Somebody reads the codes outside of the network.
  void addOutput(const PrecisionRow &row, Tensor &tensor) {
    tensor.output = choice.add();
    outputs[row.tensor] = *tensor.output;
    // What has to stay narrow gives narrow results, too; what is float gives
    // float without being asked.
    for (const PrecisionRow *maker : network.makers(row.tensor))
      if (problem.fixed.contains(maker->node) ||
          problem.asFloat.contains(maker->node))
        choice.costIf(*tensor.output, true, forbidden);
  }

  /// Who wants 16 bits of something that moves elements: one reader alone, or
  /// any of several.
  void addMovement(const PrecisionRow &row) {
    std::vector<Node> readers;
    bool isOutput = false;
    for (const PrecisionRow *result : rowsOf[row.node]) {
      const Tensor &tensor = tensors[result->tensor];
      readers.insert(readers.end(), tensor.readers.begin(),
                     tensor.readers.end());
      isOutput |= tensor.output.has_value();
    }
    if (readers.size() == 1 && !isOutput) {
      nodes[row.node] = readers.front();
      return;
    }
    Node node{choice.add()};
    for (const Node &reader : readers)
      if (!reader.isFloat)
        choice.require(reader.item, node.item);
    for (const PrecisionRow *result : rowsOf[row.node])
      if (const Tensor &tensor = tensors[result->tensor]; tensor.output)
        choice.require(*tensor.output, node.item);
    nodes[row.node] = node;
  }

  void addNode(const PrecisionRow &row) {
    if (nodes.contains(row.node) || problem.alwaysFloat.contains(row.node))
      return;
    if (row.moves) {
      addMovement(row);
      return;
    }
    Node node{choice.add(), problem.asFloat.contains(row.node)};
    if (problem.fixed.contains(row.node))
      choice.costIf(node.item, true, forbidden);
    if (problem.required.contains(row.node))
      choice.costIf(node.item, false, forbidden);
    nodes[row.node] = node;
  }

  void addTensor(const PrecisionRow &row) {
    Tensor &tensor = tensors[row.tensor];
    if (!row.codes || done.contains(row.tensor))
      return;
    done.insert(row.tensor);
    const Node *maker = nodeOf(row.node);
    if (row.moves && maker) {
      tensor.wide = maker->item;
    } else {
      tensor.wide = choice.add();
      for (const Node &reader : tensor.readers)
        if (!reader.isFloat)
          choice.require(reader.item, tensor.wide);
      if (tensor.output)
        choice.require(*tensor.output, tensor.wide);
    }
    tensor.all = choice.add();
    requireReaders(tensor.all, tensor);
    tensor.fine = tensor.all;
    if (tensor.isMoved) {
      tensor.fine = choice.add();
      choice.require(tensor.fine, tensor.all);
      for (const std::string &reader : readersOf[row.tensor])
        for (const PrecisionRow *result : rowsOf[reader])
          if (result->moves && done.contains(result->tensor))
            choice.require(tensor.fine, tensors[result->tensor].fine);
    }
    choice.costIf(tensor.fine, false,
                  costIn(problem.losses.codes, row.tensor) * ofLosses);
    addConversions(row, tensor);
  }

  void requireReaders(size_t item, const Tensor &tensor) {
    for (const Node &reader : tensor.readers)
      choice.require(item, reader.item);
    if (tensor.output)
      choice.require(item, *tensor.output);
  }

  void addConversions(const PrecisionRow &row, const Tensor &tensor) {
    if (tensor.readers.empty())
      return;
    if (row.type == inputType) {
      choice.costIf(tensor.wide, true,
                    costIn(problem.costs.wideInputs, row.tensor) * ofCosts);
      choice.costIf(tensor.all, false,
                    costIn(problem.costs.narrowInputs, row.tensor) * ofCosts);
      return;
    }
    double cost = conversionOf(row) * ofCosts;
    choice.costIfYesAndNo(tensor.wide, tensor.all, cost);
    // A float result becomes codes for those who read codes.
    if (const Node *maker = nodeOf(row.node);
        maker && maker->isFloat && !row.moves)
      choice.costIfYesAndNo(maker->item, tensor.all, cost);
  }

  /// What moves elements to several readers must not seem wide to convert less
  /// in front of it than behind it: its readers decide.
  double conversionOf(const PrecisionRow &row) const {
    double own = costIn(problem.costs.conversions, row.tensor);
    auto rows = rowsOf.find(row.node);
    if (!row.moves || rows == rowsOf.end())
      return own;
    double before = 0, behind = 0;
    for (const std::string &input : row.inputs)
      before += costIn(problem.costs.conversions, input) +
                costIn(problem.costs.narrowInputs, input);
    for (const PrecisionRow *result : rows->second)
      behind += costIn(problem.costs.conversions, result->tensor);
    return behind < before && behind > 0 ? own * before / behind : own;
  }

  double moreThanNarrow(const std::map<std::string, double> &costs,
                        const std::string &layer) const {
    return std::max(0.0,
                    costIn(costs, layer) - costIn(problem.costs.narrow, layer));
  }

  void addCosts(const PrecisionRow &row) {
    const Node *node = nodeOf(row.node);
    if (!node)
      return;
    bool isNew = &row == rowsOf[row.node].front();
    if (node->isFloat && !row.moves) {
      if (isNew)
        addFloatCosts(row, *node);
      return;
    }
    double more = moreThanNarrow(problem.costs.wide, row.node);
    if (row.moves) {
      if (isNew && !node->isFloat)
        choice.costIf(node->item, true, more * ofCosts);
      return;
    }
    // Products only care for what they read; all else is as wide as the widest
    // of what it reads and gives.
    bool multiplies = network.weights(row.node) != nullptr;
    size_t paying = node->item;
    if (!multiplies && isNew && more > 0) {
      paying = choice.add();
      choice.require(node->item, paying);
      for (const PrecisionRow *result : rowsOf[row.node])
        if (done.contains(result->tensor))
          choice.require(tensors[result->tensor].wide, paying);
    }
    if (isNew) {
      choice.costIf(paying, true, more * ofCosts);
      if (multiplies)
        addWeights(row, *node);
    }
  }

  void addWeights(const PrecisionRow &row, const Node &node) {
    double loss = costIn(problem.losses.weights, row.node) * ofLosses;
    if (costIn(problem.losses.weights, row.node) <= 0)
      return;
    double muchMore =
        std::max(0.0, costIn(problem.costs.wideWeights, row.node) -
                          costIn(problem.costs.wide, row.node)) *
        ofCosts;
    size_t weight = weights[row.node] = choice.add();
    choice.require(weight, node.item);
    choice.costIf(weight, false, loss);
    choice.costIf(weight, true, muchMore);
  }

  /// Weights are float, too. What it reads becomes float, unless it is float
  /// already.
  void addFloatCosts(const PrecisionRow &row, const Node &node) {
    choice.costIf(node.item, true,
                  moreThanNarrow(problem.costs.floats, row.node) * ofCosts);
    choice.costIf(node.item, false,
                  costIn(problem.losses.weights, row.node) * ofLosses);
    for (const std::string &input : row.inputs) {
      const PrecisionRow *read = network.find(input);
      if (!read || read->type == inputType)
        continue;
      double cost = costIn(problem.costs.conversions, input) * ofCosts;
      const Node *maker = nodeOf(read->node);
      if (maker && maker->isFloat)
        choice.costIfYesAndNo(node.item, maker->item, cost);
      else
        choice.costIf(node.item, true, cost);
    }
  }

  const WidthProblem &problem;
  const LossModel &network;
  double ofLosses, ofCosts;
  BinaryChoice choice;
  /// By node, and by tensor.
  std::map<std::string, std::vector<const PrecisionRow *>> rowsOf;
  std::map<std::string, std::vector<std::string>> readersOf;
  std::map<std::string, Node> nodes;
  std::map<std::string, Tensor> tensors;
  /// Tensors with codes that have their items.
  std::set<std::string> done;
  std::map<std::string, size_t> weights, outputs;
};

bool areEqual(const Widening &a, const Widening &b) {
  return a.data.names == b.data.names && a.floats.names == b.floats.names &&
         a.weights.names == b.weights.names &&
         a.results.names == b.results.names;
}

/// All corners of the hull, by the price at which two neighbors are alike: what
/// is better than both at that price lies between them.
class Hull {
public:
  explicit Hull(const WidthProblem &problem)
      : problem(problem), losses(problem, 1, 0), costs(problem, 0, 1) {}

  WidthPoint at(double price) const {
    Cut cut(problem, 1, price);
    std::vector<bool> yes = cut.solve();
    return {cut.wideningOf(yes), losses.costOf(yes), costs.costOf(yes)};
  }

  /// 8 bits wherever there is a choice.
  WidthPoint nothing() const {
    WidthProblem narrow = problem;
    for (const PrecisionRow &row : problem.network->layers())
      if (!problem.required.contains(row.node))
        narrow.fixed.insert(row.node);
    std::vector<bool> none = Cut(narrow, 1, 1).solve();
    return {{}, losses.costOf(none), costs.costOf(none)};
  }

  /// Those between two corners, in their order.
  void addBetween(const WidthPoint &cheap, const WidthPoint &good,
                  std::vector<WidthPoint> &found) const {
    double more = good.cost - cheap.cost, gain = cheap.loss - good.loss;
    if (!(more > 0) || !(gain > 0))
      return;
    double price = gain / more;
    WidthPoint between = at(price);
    // Costs have become integers, so equal ones may differ a little.
    constexpr double almost = 1 - 1e-7;
    if (between.loss + price * between.cost >=
        almost * (cheap.loss + price * cheap.cost))
      return;
    addBetween(cheap, between, found);
    found.push_back(between);
    addBetween(between, good, found);
  }

private:
  const WidthProblem &problem;
  Cut losses, costs;
};

} // namespace

double TensorLosses::total() const {
  double sum = 0;
  for (const auto *losses : {&codes, &weights})
    for (const auto &[name, loss] : *losses)
      sum += loss;
  return sum;
}

Widening chooseWidths(const WidthProblem &problem, double price) {
  Cut cut(problem, 1, price);
  return cut.wideningOf(cut.solve());
}

std::vector<WidthPoint> chooseFront(const WidthProblem &problem) {
  double extra = 0;
  for (const auto *costs : {&problem.costs.wideWeights, &problem.costs.floats})
    for (const auto &[layer, cost] : *costs)
      extra += std::max(0.0, cost - costIn(problem.costs.narrow, layer));
  double losses = problem.losses.total();
  Hull hull(problem);
  // Nothing at all is bought at any price if nothing can be gained.
  WidthPoint none = hull.nothing();
  std::vector<WidthPoint> front = {none};
  if (!(losses > 0) || !(extra > 0))
    return front;
  // From a price at which nothing is bought but what is free to one at which
  // all is that anything is lost in.
  constexpr double mostOverMean = 1e7, leastOverMean = 1e-6;
  WidthPoint first = hull.at(losses / extra * mostOverMean),
             last = hull.at(losses / extra * leastOverMean);
  std::vector<WidthPoint> corners = {first};
  hull.addBetween(first, last, corners);
  corners.push_back(last);
  for (const WidthPoint &corner : corners)
    if (!areEqual(corner.choice, front.back().choice))
      front.push_back(corner);
  return front;
}

} // namespace parallax
