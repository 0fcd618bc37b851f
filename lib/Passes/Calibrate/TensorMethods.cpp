//===- TensorMethods.cpp - Tensors with a method of their own -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Names are those of the optimized network, so a misspelled one is answered
// with what it could have been.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Calibrate/TensorMethods.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NN/QuantRule.h"
#include "parallax/Dialect/NN/TypeName.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/NamePattern.h"
#include "parallax/Support/NearestNames.h"

#include <algorithm>
#include <fmt/format.h>

using namespace mlir;

namespace parallax {
namespace {

struct Candidate {
  Value value;
  std::string tensor, layer, type;
};

std::vector<Candidate> candidatesIn(func::FuncOp network) {
  std::vector<Candidate> found;
  for (BlockArgument input : network.getArguments())
    found.push_back({input, getTensorName(input), {}, {}});
  for (Operation &op : network.front().without_terminator())
    if (!isa<nn::ConstantOp>(op))
      for (Value result : op.getResults())
        found.push_back({result, getTensorName(result), getLayerName(&op).node,
                         typeNameOf(&op)});
  return found;
}

class Selector {
public:
  Selector(func::FuncOp network, double percentile)
      : candidates(candidatesIn(network)), percentile(percentile) {}

  void add(size_t index, const TensorConfig &config) {
    entry = fmt::format("quant.tensor_configs[{}]", index);
    method = {config.calibrationMethod,
              config.percentile > 0 ? config.percentile : percentile};
    bits = config.bits;
    for (const std::string &name : config.tensorNames)
      select("tensor", name, &Candidate::tensor);
    for (const std::string &name : config.layerNames)
      select("layer", name, &Candidate::layer);
    for (const std::string &name : config.opTypes)
      select("layer of type", name, &Candidate::type);
    if (!config.tensorNameRegex.empty())
      selectPattern(config.tensorNameRegex);
  }

  TensorMethods result;

private:
  void select(std::string_view what, const std::string &name,
              std::string Candidate::*key) {
    bool isFound = false;
    for (const Candidate &candidate : candidates)
      if (candidate.*key == name) {
        isFound = true;
        assign(candidate.value);
      }
    if (isFound)
      return;
    std::vector<std::string> names;
    for (const Candidate &candidate : candidates)
      if (!(candidate.*key).empty())
        names.push_back(candidate.*key);
    result.unmatched.push_back(fmt::format("'{}': the network has no {} '{}'{}",
                                           entry, what, name,
                                           didYouMean(name, names)));
  }

  void selectPattern(const std::string &text) {
    NamePattern pattern(text);
    bool isFound = false;
    for (const Candidate &candidate : candidates)
      if (pattern.matches(candidate.tensor)) {
        isFound = true;
        assign(candidate.value);
      }
    if (!isFound)
      result.unmatched.push_back(fmt::format(
          "'{}': no tensor has a name that matches '{}' as a whole; to match a "
          "part of names put '.*' around it",
          entry, text));
  }

  /// Of several clamps in a row, the last one is observed.
  void assign(Value value) {
    while (value.getDefiningOp() && value.hasOneUse() &&
           nn::isSingleClamp(*value.user_begin()))
      value = value.user_begin()->getResult(0);
    CalibrationOptions::Own &own = result.byName[getTensorName(value)];
    if (bits != 16)
      own.for8 = method;
    if (bits != 8)
      own.for16 = method;
  }

  std::vector<Candidate> candidates;
  /// Of all tensors.
  double percentile;
  /// What is being looked at.
  std::string entry;
  RangeMethod method;
  int64_t bits = 0;
};

} // namespace

TensorMethods methodsOfTensors(func::FuncOp network,
                               std::span<const TensorConfig> configs,
                               double percentile) {
  if (configs.empty())
    return {};
  Selector selector(network, percentile);
  for (size_t i = 0; i < configs.size(); ++i)
    selector.add(i, configs[i]);
  return std::move(selector.result);
}

} // namespace parallax
