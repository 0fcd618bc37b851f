//===- PrecisionRules.cpp - Which layers a rule selects -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Finds the layers that an entry of layer_configs names: by name, by type, by
// regular expression, or as the part between two sets of tensors.
//===----------------------------------------------------------------------===//
#include "PrecisionRules.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/NamePattern.h"
#include "parallax/Support/NearestNames.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

using namespace mlir;

namespace parallax::quantize {
namespace {

constexpr std::string_view allPorts = "DEFAULT";

/// The operations that values flow into, at any distance.
llvm::DenseSet<Operation *> readersOf(ArrayRef<Value> values) {
  llvm::DenseSet<Operation *> found;
  SmallVector<Value> open(values);
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers())
      if (found.insert(user).second)
        llvm::append_range(open, user->getResults());
  return found;
}

/// The operations that values are made by, at any distance.
llvm::DenseSet<Operation *> makersOf(ArrayRef<Value> values) {
  llvm::DenseSet<Operation *> found;
  SmallVector<Value> open(values);
  while (!open.empty())
    if (Operation *op = open.pop_back_val().getDefiningOp())
      if (found.insert(op).second)
        llvm::append_range(open, op->getOperands());
  return found;
}

} // namespace

LayerSelector::LayerSelector(func::FuncOp network,
                             const PrecisionOptions &options)
    : network(network), options(options) {
  auto addTensor = [&](Value value, StringRef name) {
    if (name.empty())
      return;
    tensors.insert({strings.try_emplace(name, 0).first->first(), value});
    tensorNames.push_back(name.str());
  };
  for (BlockArgument argument : network.getArguments())
    addTensor(argument, getTensorName(argument));
  std::set<std::string> types;
  for (Operation &op : network.front().without_terminator()) {
    for (Value result : op.getResults())
      addTensor(result, getTensorName(result));
    if (isa<nn::ConstantOp>(op))
      continue;
    std::string name = getLayerName(&op).node;
    ordered.push_back(&op);
    byName.try_emplace(name, &op);
    layerNames.push_back(name);
    types.insert(typeNameOf(&op));
  }
  // A value may be several outputs and can bear the name of one only.
  Operation *terminator = network.front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands()))
    if (auto name =
            network.getResultAttrOfType<StringAttr>(unsigned(i), "nn.name"))
      addTensor(value, name.getValue());
  for (const NodeFate &fate : options.nodes) {
    fates[fate.node] = fate.layer;
    layerNames.push_back(fate.node);
  }
  for (Operation *op : ordered) {
    std::string name = getLayerName(op).node;
    if (!fates.contains(name))
      steps[StringRef(name).rsplit('/').first].push_back(op);
  }
  typeNames.assign(types.begin(), types.end());
}

Selection LayerSelector::select(const LayerConfig &config) {
  Selection selection;
  auto begin = [&](RuleKind kind, std::string selector, std::string subject) {
    selection.kind = kind;
    selection.selector = std::move(selector);
    selection.subject = std::move(subject);
  };
  auto list = [](const std::vector<std::string> &names) {
    return fmt::format("{}", fmt::join(names, ", "));
  };
  if (!config.layerName.empty()) {
    begin(RuleKind::Name, "layer_name", config.layerName);
    selectName(config.layerName, selection);
  } else if (!config.layerNames.empty()) {
    begin(RuleKind::Name, "layer_names", list(config.layerNames));
    for (const std::string &name : config.layerNames)
      selectName(name, selection);
  } else if (!config.layerNameRegex.empty()) {
    begin(RuleKind::Pattern, "layer_name_regex", config.layerNameRegex);
    selectPattern(config.layerNameRegex, selection);
  } else if (!config.opType.empty()) {
    begin(RuleKind::Type, "op_type", config.opType);
    selectType(config.opType, selection);
  } else if (!config.opTypes.empty()) {
    begin(RuleKind::Type, "op_types", list(config.opTypes));
    for (const std::string &type : config.opTypes)
      selectType(type, selection);
  } else {
    begin(RuleKind::SubGraph, "from",
          fmt::format("{} to {}", list(config.startTensorNames),
                      list(config.endTensorNames)));
    selectPaths(config, selection);
  }
  return selection;
}

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

void LayerSelector::addNode(const std::string &node, Selection &selection) {
  std::string layer = fates.lookup(node);
  if (Operation *op = byName.lookup(layer))
    selection.layers.insert({op, layer == node ? "" : node});
  // A node that became several steps is known by the first one.
  if (StringRef(layer).rsplit('/').first == node && !fates.contains(layer))
    for (Operation *op : steps.lookup(node))
      selection.layers.insert({op, node});
}

void LayerSelector::selectName(const std::string &name, Selection &selection) {
  if (Operation *op = byName.lookup(name)) {
    selection.layers.insert({op, ""});
    return;
  }
  auto fate = fates.find(name);
  if (fate == fates.end()) {
    auto tensor = tensors.find(name);
    Operation *maker =
        tensor == tensors.end() ? nullptr : tensor->second.getDefiningOp();
    selection.unmatched.push_back(
        maker && !isa<nn::ConstantOp>(maker)
            ? fmt::format("'{}' is a tensor; the layer that makes it is '{}'",
                          name, getLayerName(maker).node)
            : fmt::format("no layer is called '{}'{}", name,
                          didYouMean(name, layerNames)));
  } else if (fate->second.empty()) {
    selection.unmatched.push_back(fmt::format(
        "node '{}' has been folded away: no layer of the optimized network "
        "computes it any more, so it has no precision; leave it out",
        name));
  } else {
    addNode(name, selection);
  }
}

void LayerSelector::selectPattern(const std::string &pattern,
                                  Selection &selection) {
  try {
    NamePattern names(pattern);
    for (Operation *op : ordered)
      if (names.matches(getLayerName(op).node))
        selection.layers.insert({op, ""});
    for (const NodeFate &fate : options.nodes)
      if (!fate.layer.empty() && !byName.contains(fate.node) &&
          names.matches(fate.node))
        addNode(fate.node, selection);
    if (selection.layers.empty())
      selection.unmatched.push_back(fmt::format(
          "no layer has a name that matches '{}' as a whole; to match a part "
          "of names put '.*' around it",
          pattern));
  } catch (const Error &error) {
    selection.errors.push_back(
        fmt::format("'layer_name_regex' {}", error.what()));
  }
}

//===----------------------------------------------------------------------===//
// By type
//===----------------------------------------------------------------------===//

void LayerSelector::selectType(const std::string &type, Selection &selection) {
  bool found = false;
  for (Operation *op : ordered)
    if (typeNameOf(op) == type) {
      selection.layers.insert({op, ""});
      found = true;
    }
  if (found)
    return;
  bool isKnown = false;
  for (const NodeFate &fate : options.nodes) {
    auto nodeType = options.nodeTypes.find(fate.node);
    if (nodeType == options.nodeTypes.end() || nodeType->second != type)
      continue;
    isKnown = true;
    if (fate.layer.empty())
      continue;
    addNode(fate.node, selection);
    found = true;
  }
  if (found)
    return;
  std::string near = didYouMean(type, typeNames);
  selection.unmatched.push_back(
      isKnown ? fmt::format("all nodes of type '{}' have been folded away: no "
                            "layer of the optimized network computes them any "
                            "more; leave the type out",
                            type)
              : fmt::format("no layer has the type '{}'{} The types of this "
                            "network are {}",
                            type, near.empty() ? "." : near,
                            fmt::join(typeNames, ", ")));
}

//===----------------------------------------------------------------------===//
// By place
//===----------------------------------------------------------------------===//

std::string LayerSelector::unknownTensor(const std::string &name) const {
  Operation *op = byName.lookup(name);
  if (!op)
    op = byName.lookup(fates.lookup(name));
  if (!op)
    return fmt::format("no tensor is called '{}'{}", name,
                       didYouMean(name, tensorNames));
  std::vector<std::string> results;
  for (Value result : op->getResults())
    results.push_back(fmt::format("'{}'", getTensorName(result)));
  return fmt::format("'{}' is a layer, and a part of the network begins and "
                     "ends at tensors; the layer makes the tensor {}",
                     name, fmt::join(results, ", "));
}

SmallVector<Value> LayerSelector::findTensors(ArrayRef<std::string> names,
                                              ValueRange defaults,
                                              Selection &selection) {
  SmallVector<Value> found;
  for (const std::string &name : names) {
    auto it = tensors.find(name);
    if (it != tensors.end())
      found.push_back(it->second);
    else if (name == allPorts)
      llvm::append_range(found, defaults);
    else
      selection.unmatched.push_back(unknownTensor(name));
  }
  return found;
}

void LayerSelector::selectPaths(const LayerConfig &config,
                                Selection &selection) {
  auto starts =
      findTensors(config.startTensorNames, network.getArguments(), selection);
  auto ends =
      findTensors(config.endTensorNames,
                  network.front().getTerminator()->getOperands(), selection);
  if (!selection.unmatched.empty())
    return;
  llvm::DenseSet<Operation *> readers = readersOf(starts);
  llvm::DenseSet<Operation *> makers = makersOf(ends);
  for (Operation *op : ordered)
    if (readers.contains(op) && makers.contains(op))
      selection.layers.insert({op, ""});

  // Inputs and outputs that are meant by DEFAULT need not all be connected.
  auto report = [&](ArrayRef<std::string> names, std::string_view sentence,
                    auto isConnected, const std::vector<std::string> &others) {
    for (const std::string &name : names)
      if (auto it = tensors.find(name);
          it != tensors.end() && !isConnected(it->second))
        selection.unmatched.push_back(fmt::format(fmt::runtime(sentence), name,
                                                  fmt::join(others, "', '")));
  };
  report(
      config.startTensorNames,
      "no path leads from tensor '{}' to '{}'; are start and end exchanged?",
      [&](Value value) {
        return llvm::any_of(value.getUsers(), [&](Operation *user) {
          return makers.contains(user);
        });
      },
      config.endTensorNames);
  if (selection.unmatched.empty())
    report(
        config.endTensorNames,
        "no path leads to tensor '{}' from '{}'; are start and end exchanged?",
        [&](Value value) {
          return value.getDefiningOp() &&
                 readers.contains(value.getDefiningOp());
        },
        config.startTensorNames);
  if (selection.unmatched.empty() && selection.layers.empty())
    selection.unmatched.push_back("no layer lies between these tensors");
}

} // namespace parallax::quantize
