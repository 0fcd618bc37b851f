//===- Precision.cpp - Which layer computes in which type -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every rule is matched first, then the strongest one decides, and only what
// it asks for is judged: a weak rule may cover layers that could not have its
// types, if stronger ones look after these.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Quantize/Precision.h"
#include "PrecisionReaders.h"
#include "PrecisionRules.h"
#include "TypePlan.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

using namespace mlir;

namespace parallax {
namespace {

using quantize::LayerSelector;
using quantize::RuleKind;
using quantize::Selection;

constexpr std::pair<DataType LayerPrecision::*, std::string_view> parts[] = {
    {&LayerPrecision::data, "data_type"},
    {&LayerPrecision::weight, "weight_data_type"},
    {&LayerPrecision::output, "output_data_type"}};
constexpr LayerPrecision nothing = {DataType::Default, DataType::Default,
                                    DataType::Default};

bool hasFloat(TypeRange types) {
  return llvm::any_of(types, [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(withoutRange(type)));
  });
}

//===----------------------------------------------------------------------===//
// What a layer can have
//===----------------------------------------------------------------------===//

enum class Severity {
  /// Nothing is lost.
  Remark,
  /// An error in a rule that names the layer; others may cover it.
  Mild
};

struct Refusal {
  Severity severity;
  /// Continues a sentence about the layer.
  std::string reason;
  std::string advice;
};

std::optional<Refusal> refusalOf(Operation *op, DataType LayerPrecision::*part,
                                 DataType type) {
  if (nn::sharesScale(op))
    return Refusal{Severity::Remark,
                   "moves data only: " + quantize::describeFollowed(op), ""};
  nn::QuantRule rule = nn::ruleOf(op);
  bool isCpu = rule == nn::QuantRule::Cpu;
  if (part == &LayerPrecision::weight) {
    if (nn::weightOf(op))
      return std::nullopt;
    return Refusal{Severity::Mild,
                   rule == nn::QuantRule::Mac ? "has no constant weights"
                                              : "has no weights",
                   "leave weight_data_type out"};
  }
  bool isOutput = part == &LayerPrecision::output;
  if (!isCpu && !hasFloat(isOutput ? TypeRange(op->getResultTypes())
                                   : TypeRange(op->getOperandTypes())))
    return Refusal{Severity::Mild,
                   fmt::format("{} integers or truth values of the model, "
                               "which are not quantized",
                               isOutput ? "results in" : "computes on"),
                   "leave it out"};
  if (type != DataType::FP32 && isCpu)
    return Refusal{Severity::Mild, "runs on the CPU in float",
                   "leave it out, or ask for FP32"};
  return std::nullopt;
}

/// What all rules stand upon.
LayerPrecision basisOf(Operation *op) {
  LayerPrecision basis;
  if (nn::ruleOf(op) == nn::QuantRule::Cpu ||
      (!nn::sharesScale(op) && !hasFloat(op->getOperandTypes())))
    basis.data = DataType::FP32;
  return basis;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

struct Rule {
  AuditedRule audited;
  Selection selection;

  /// What it asks of a layer.
  LayerPrecision requestFor(Operation *op) const {
    LayerPrecision request = audited.requested;
    // Nobody has asked for weights here.
    if (selection.kind == RuleKind::Base && !nn::weightOf(op))
      request.weight = DataType::Default;
    return request;
  }

  /// "rule 3: layer_name Conv_5".
  std::string title() const {
    return audited.number == 0
               ? audited.words()
               : fmt::format("rule {}: {}", audited.number, audited.words());
  }
};

std::string listNames(const std::vector<std::string> &names) {
  constexpr size_t shown = 3;
  if (names.size() <= shown)
    return fmt::format("'{}'", fmt::join(names, "', '"));
  return fmt::format(
      "'{}' and {} more",
      fmt::join(names.begin(), names.begin() + long(shown), "', '"),
      names.size() - shown);
}

class PrecisionAssigner {
public:
  PrecisionAssigner(func::FuncOp network, const PrecisionOptions &options)
      : network(network), selector(network, options),
        allowUnmatched(options.allowUnmatched) {}

  void addHighest() {
    Rule rule;
    rule.audited.config = "quant.highest_mix_precision";
    rule.audited.selector = rule.selection.selector = "highest_mix_precision";
    rule.audited.requested = {DataType::U16, DataType::S16, DataType::Default};
    for (Operation *op : selector.layers())
      rule.selection.layers.insert({op, ""});
    rules.push_back(std::move(rule));
  }

  void addRule(size_t index, const LayerConfig &config) {
    Rule rule;
    rule.selection = selector.select(config);
    AuditedRule &audited = rule.audited;
    audited.number = index + 1;
    audited.config = fmt::format("quant.layer_configs[{}]", index);
    audited.selector = rule.selection.selector;
    audited.subject = rule.selection.subject;
    audited.requested = {config.dataType, config.weightDataType,
                         config.outputDataType};
    for (const std::string &error : rule.selection.errors)
      fail(rule, error);
    for (const std::string &sentence : rule.selection.unmatched) {
      if (!allowUnmatched) {
        fail(rule, sentence);
        continue;
      }
      audited.note += (audited.note.empty() ? "" : "; ") + sentence;
    }
    if (audited.requested == nothing)
      fail(rule, "asks for nothing: give data_type, weight_data_type or "
                 "output_data_type; what no rule asks for is U8 with weights "
                 "S8");
    rules.push_back(std::move(rule));
  }

  FailureOr<std::vector<AuditedRule>> run() {
    chooseWinners();
    for (Operation *op : selector.layers())
      assigned[op] = basisOf(op);
    for (size_t i = 0; i < rules.size(); ++i)
      judge(i);
    if (!errors.empty())
      return emitError(
          network.getLoc(),
          fmt::format("the precision that quant.layer_configs asks for can't "
                      "be given:\n  {}",
                      fmt::join(errors, "\n  ")));
    for (auto [op, precision] : assigned)
      setPrecision(op, precision, askedForData.contains(op));
    std::vector<AuditedRule> audits;
    for (size_t i = 0; i < rules.size(); ++i)
      audits.push_back(audit(i));
    return audits;
  }

private:
  /// The rule that decides a part of a layer's precision, for each part.
  using Winners = std::array<std::optional<size_t>, std::size(parts)>;

  void fail(const Rule &rule, std::string_view sentence) {
    errors.push_back(fmt::format("'{}' ({}): {}", rule.audited.config,
                                 rule.audited.words(), sentence));
  }

  void chooseWinners() {
    for (size_t i = 0; i < rules.size(); ++i)
      for (const auto &[op, node] : rules[i].selection.layers) {
        LayerPrecision request = rules[i].requestFor(op);
        for (auto [part, winner] : llvm::zip(parts, winners[op])) {
          int strength = strengthOf(rules[i].selection.kind);
          if (request.*part.first != DataType::Default &&
              (!winner ||
               strength >= strengthOf(rules[*winner].selection.kind)))
            winner = i;
        }
      }
  }

  /// Grants what the rule asks for where it has won, or notes why not.
  void judge(size_t index) {
    const Rule &rule = rules[index];
    RuleKind kind = rule.selection.kind;
    struct Refused {
      std::string advice;
      std::vector<std::string> layers;
      std::set<std::string> types;
    };
    // One sentence tells of all layers that have the same trouble.
    std::map<std::string, Refused> refused;
    for (const auto &[op, node] : rule.selection.layers) {
      LayerPrecision request = rule.requestFor(op);
      for (auto [part, winner] : llvm::zip(parts, winners[op])) {
        DataType type = request.*part.first;
        if (type == DataType::Default || winner != index)
          continue;
        std::optional<Refusal> refusal = refusalOf(op, part.first, type);
        if (!refusal) {
          assigned[op].*part.first = type;
          if (part.first == &LayerPrecision::data)
            askedForData.insert(op);
          continue;
        }
        addReason(reasons[{index, op}], refusal->reason);
        if (refusal->severity != Severity::Mild || kind != RuleKind::Name)
          continue;
        Refused &entry = refused[refusal->reason];
        entry.advice = refusal->advice;
        std::string name = getLayerName(op).node;
        if (entry.layers.empty() || entry.layers.back() != name)
          entry.layers.push_back(name);
        entry.types.insert(typeNameOf(op));
      }
    }
    for (const auto &[reason, entry] : refused)
      fail(rule, fmt::format(
                     "{} {} ({}) {}; {}",
                     entry.layers.size() == 1 ? "layer" : "each of the layers",
                     listNames(entry.layers), fmt::join(entry.types, ", "),
                     reason, entry.advice));
    // Rules that name layers have complained about each of them.
    if (rule.audited.requested.weight != DataType::Default &&
        kind != RuleKind::Name && kind != RuleKind::Base &&
        !rule.selection.layers.empty() &&
        llvm::none_of(rule.selection.layers, [](const auto &layer) {
          return nn::weightOf(layer.first);
        }))
      fail(rule, "none of the layers has weights; leave weight_data_type out");
  }

  static void addReason(std::string &reasons, const std::string &reason) {
    if (reasons.find(reason) == std::string::npos)
      reasons += (reasons.empty() ? "" : "; ") + reason;
  }

  AuditedRule audit(size_t index) const {
    const Rule &rule = rules[index];
    AuditedRule audited = rule.audited;
    for (const auto &[op, node] : rule.selection.layers) {
      AuditedLayer layer;
      layer.layer = getLayerName(op).node;
      layer.opType = typeNameOf(op);
      layer.node = node;
      layer.requested = rule.requestFor(op);
      layer.granted = nn::sharesScale(op) ? nothing : assigned.lookup(op);
      if (!nn::weightOf(op))
        layer.granted.weight = DataType::Default;
      if (auto it = reasons.find({index, op}); it != reasons.end())
        layer.reason = it->second;
      describeOverriding(index, op, layer);
      audited.layers.push_back(std::move(layer));
    }
    return audited;
  }

  /// Which rules have won over this one, and in what.
  void describeOverriding(size_t index, Operation *op,
                          AuditedLayer &layer) const {
    std::map<size_t, std::vector<std::string_view>> lost;
    size_t asked = 0;
    const Winners &deciding = winners.find(op)->second;
    for (auto [part, winner] : llvm::zip(parts, deciding)) {
      if (layer.requested.*part.first == DataType::Default)
        continue;
      ++asked;
      if (winner != index)
        lost[*winner].push_back(part.second);
    }
    size_t lostParts = 0;
    for (const auto &[winner, names] : lost) {
      lostParts += names.size();
      bool isAll = names.size() == asked;
      addReason(
          layer.reason,
          fmt::format("{}overridden by {}",
                      isAll ? "" : fmt::format("{} ", fmt::join(names, ", ")),
                      rules[winner].title()));
    }
    layer.overridden = asked > 0 && lostParts == asked;
  }

  func::FuncOp network;
  LayerSelector selector;
  bool allowUnmatched;
  llvm::DenseMap<Operation *, LayerPrecision> assigned;
  llvm::DenseSet<Operation *> askedForData;
  std::vector<Rule> rules;
  llvm::DenseMap<Operation *, Winners> winners;
  std::map<std::pair<size_t, Operation *>, std::string> reasons;
  std::vector<std::string> errors;
};

} // namespace

FailureOr<std::vector<AuditedRule>>
assignPrecision(func::FuncOp network, const QuantConfig &config,
                const PrecisionOptions &options) {
  PrecisionAssigner assigner(network, options);
  if (config.highestMixPrecision)
    assigner.addHighest();
  for (auto [i, layerConfig] : llvm::enumerate(config.layerConfigs))
    assigner.addRule(i, layerConfig);
  return assigner.run();
}

} // namespace parallax
