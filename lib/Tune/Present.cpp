//===- Present.cpp - What a tuning shows ----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Tables first, then the outcome in one paragraph.
//===----------------------------------------------------------------------===//
#include "Present.h"

#include "parallax/Dialect/NN/NNOps.h"
#include "parallax/Dialect/NN/TypeName.h"
#include "parallax/Pipeline/OutputFiles.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/QuantizedType.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

/// The layers that rules of types name, by the types that they get. What a rule
/// says of many layers at once is in `others`.
struct TypeChanges {
  std::map<std::string, std::set<std::string>> layers;
  std::vector<std::string> others;
};

std::string typeIn(const Json &rule, const char *field) {
  auto it = rule.find(field);
  std::string type = it != rule.end() && it->is_string()
                         ? it->get<std::string>()
                         : std::string();
  if (type == "FP32")
    return "float";
  if (type.ends_with("16"))
    return "16 bits";
  return type.ends_with("8") ? "8 bits" : "";
}

/// What a rule asks for; weights follow, unless they are all that changes.
std::string typeOf(const Json &rule) {
  for (const char *field : {"data_type", "output_data_type"})
    if (std::string type = typeIn(rule, field); !type.empty())
      return type;
  return "weights of " + typeIn(rule, "weight_data_type");
}

/// The texts of a field that has one or several.
std::vector<std::string> textsIn(const Json &rule, const char *field) {
  std::vector<std::string> texts;
  auto it = rule.find(field);
  if (it != rule.end())
    for (const Json &text : it->is_array() ? *it : Json::array({*it}))
      if (text.is_string())
        texts.push_back(text.get<std::string>());
  return texts;
}

/// Where a rule holds that names no layers.
std::string placeOf(const Json &rule) {
  for (const char *field : {"op_type", "op_types", "layer_name_regex"})
    if (std::vector<std::string> texts = textsIn(rule, field); !texts.empty())
      return fmt::format("for {}", fmt::join(texts, ", "));
  std::vector<std::string> from = textsIn(rule, "start_tensor_names"),
                           to = textsIn(rule, "end_tensor_names");
  std::vector<std::string> all = {"DEFAULT"};
  if (from == all && to == all)
    return "everywhere";
  return fmt::format("from {} to {}", fmt::join(from, ", "),
                     fmt::join(to, ", "));
}

TypeChanges typeChangesOf(std::span<const ConfigEdit> edits) {
  TypeChanges changes;
  for (const ConfigEdit &edit : edits) {
    Json rule = Json::parse(edit.value, nullptr, false);
    if (edit.field != "quant.layer_configs" || !rule.is_object())
      continue;
    std::string type = typeOf(rule);
    bool namesLayers = false;
    for (const char *field : {"layer_name", "layer_names"})
      for (const std::string &name : textsIn(rule, field)) {
        // What an earlier rule wanted to compute them in is overridden.
        if (rule.contains("data_type"))
          for (auto &[other, layers] : changes.layers)
            layers.erase(name);
        changes.layers[type].insert(name);
        namesLayers = true;
      }
    if (!namesLayers)
      changes.others.push_back(type + " " + placeOf(rule));
  }
  return changes;
}

std::string counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// "KL for the 8 bits of 10 tensors"; networks have hundreds of names.
std::string describeEdit(const ConfigEdit &edit) {
  Json entry = Json::parse(edit.value, nullptr, false);
  size_t tensors = edit.field == "quant.tensor_configs" && entry.is_object()
                       ? textsIn(entry, "tensor_names").size()
                       : 0;
  if (tensors == 0)
    return fmt::format("{} = {}", edit.field, edit.value);
  int64_t bits = entry.value("bits", int64_t(0));
  double percentile = entry.value("percentile", 0.0);
  return fmt::format("{}{} for {}{}",
                     fmt::join(textsIn(entry, "calibration_method"), ""),
                     percentile > 0 ? fmt::format(" {}", percentile) : "",
                     bits > 0 ? fmt::format("the {} bits of ", bits) : "",
                     counted(tensors, "tensor"));
}

/// Everything that is not about types, and how many layers have which.
std::string describeChanges(std::span<const ConfigEdit> edits) {
  std::vector<std::string> changes;
  for (const ConfigEdit &edit : edits)
    if (edit.field != "quant.layer_configs")
      changes.push_back(describeEdit(edit));
  TypeChanges types = typeChangesOf(edits);
  changes.insert(changes.end(), types.others.begin(), types.others.end());
  for (const auto &[words, layers] : types.layers)
    if (!layers.empty())
      changes.push_back(
          fmt::format("{} for {}", words, counted(layers.size(), "layer")));
  return changes.empty() ? "nothing was changed"
                         : fmt::format("changed: {}", fmt::join(changes, ", "));
}

/// "0.0123 worse than float (95 %: 0.0100 to 0.0150)".
std::string describeLoss(const Estimate &loss) {
  bool isGain = loss.value < 0;
  double sign = isGain ? -1 : 1;
  std::string text = fmt::format("{:.4f} {} than float", sign * loss.value,
                                 isGain ? "better" : "worse");
  auto [low, high] = std::minmax({sign * loss.low, sign * loss.high});
  // A command gives numbers only.
  if (low < high)
    text += fmt::format(" (95 %: {:.4f} to {:.4f})", low, high);
  return text;
}

/// What decides whether a loss is tolerable, where that is another number.
std::string describeCare(const Estimate &loss) {
  double careful = carefulLoss(loss);
  return careful > loss.value
             ? fmt::format(", {:.4f} with one standard error for safety",
                           careful)
             : std::string();
}

std::string describeMetric(const std::string &title,
                           const ValidatedMetric &value) {
  return fmt::format("{} {:.4f}, {} on {} other samples", title,
                     value.metric.value, describeLoss(value.loss),
                     value.samples);
}

std::vector<TunedNetwork> frontOf(const std::vector<TunedNetwork> &trials,
                                  bool higherIsBetter) {
  std::vector<TunedNetwork> sorted = trials, front;
  std::ranges::sort(sorted, [&](const TunedNetwork &a, const TunedNetwork &b) {
    double sign = higherIsBetter ? -1 : 1;
    return std::tuple(a.cycles, sign * a.metric.value, a.trial) <
           std::tuple(b.cycles, sign * b.metric.value, b.trial);
  });
  for (TunedNetwork &network : sorted)
    if (front.empty() ||
        (higherIsBetter ? network.metric.value > front.back().metric.value
                        : network.metric.value < front.back().metric.value))
      front.push_back(std::move(network));
  return front;
}

} // namespace

TuningTerms termsOf(const Search &search) {
  TuningTerms terms;
  terms.metric = search.metric.title();
  terms.objective =
      search.config.objective == TuningObjective::Cycles ? "Cycles" : "Bytes";
  terms.floatMetric = search.floats;
  if (const TrialRecord *first = search.first()) {
    terms.u8Cycles = first->cycles;
    terms.hasIntervals = first->metric.low < first->metric.high;
  }
  return terms;
}

TunedNetwork asTuned(const TrialRecord &trial) {
  TypeChanges changes = typeChangesOf(trial.edits);
  return {trial.number,
          trial.purpose,
          trial.metric,
          trial.cycles,
          trial.predictedMetric,
          trial.predictedCycles,
          int64_t(changes.layers["16 bits"].size())};
}

std::vector<TypeCounts> countTypes(mlir::func::FuncOp quantized) {
  std::vector<TypeCounts> counts;
  for (Operation &op : quantized.front().without_terminator()) {
    if (op.getNumOperands() == 0 || isa<nn::RequantizeOp>(op))
      continue;
    std::string name = typeNameOf(&op);
    auto it = std::ranges::find(counts, name, &TypeCounts::opType);
    if (it == counts.end())
      it = counts.insert(it, TypeCounts{name});
    ++it->total;
    Type type = getElementTypeOrSelf(op.getOperand(0).getType());
    if (!isQuantized(type))
      it->fp32 += isa<mlir::FloatType>(type);
    else if (storageOf(type) == DType::U8)
      ++it->u8;
    else if (storageOf(type) == DType::U16)
      ++it->u16;
  }
  return counts;
}

void presentResult(const Search &search, const TuneResult &result,
                   bool isFront) {
  TextStyle style = currentListener().style();
  TuningTerms terms = termsOf(search);
  std::vector<TunedNetwork> trials;
  for (const TrialRecord &trial : result.trials)
    if (trial.failure.empty() &&
        trial.samples == int64_t(search.split.tuning.size()))
      trials.push_back(asTuned(trial));
  TunedNetwork best = asTuned(result.best);
  if (isFront) {
    std::vector<TunedNetwork> front =
        frontOf(trials, search.metric.higherIsBetter());
    showResult(renderFront(terms, front, style));
    OutputFiles files(search.historyFile.parent_path().parent_path());
    writeFileAtomically(files.tuningFrontTable(), frontCsv(terms, front));
    writeFileAtomically(files.tuningFront(), frontJson(terms, front));
  }
  if (std::string text = renderPredictions(terms, trials, style); !text.empty())
    showResult(text);
  showResult(renderTuneResult(terms, trials.back(), &best, style));
}

std::string describeResult(const TuneResult &result) {
  double factor = result.base.cycles > 0
                      ? double(result.best.cycles) / double(result.base.cycles)
                      : 1;
  // The best of several trials is so by chance, too.
  bool isConfirmed = !result.bestValidated ||
                     result.bestValidated->loss.value <= result.tolerableLoss;
  std::string text = fmt::format(
      "{}: {}. It takes {:.3f} times the cost of the configuration as it was. "
      "On the samples that it was tuned on, its {} is {}{}, where {:.4f} worse "
      "is tolerable.",
      !result.isMet ? "No trial keeps to the criterion"
      : isConfirmed ? "The criterion holds"
                    : "The criterion holds on the samples that were tuned on, "
                      "but the others do not confirm it",
      describeChanges(result.best.edits), factor, result.metric,
      describeLoss(result.best.loss), describeCare(result.best.loss),
      result.tolerableLoss);
  if (result.bestValidated)
    text += fmt::format(" The final figure: {}.",
                        describeMetric(result.metric, *result.bestValidated));
  if (result.baseValidated && result.best.number != result.base.number)
    text += fmt::format(" As configured: {}.",
                        describeMetric(result.metric, *result.baseValidated));
  if (!result.ended.empty())
    text += fmt::format(" The search ended early, because {}.", result.ended);
  std::vector<std::string> vain;
  for (const TrialRecord &trial : result.trials)
    if (trial.number != result.best.number &&
        trial.number != result.base.number)
      vain.push_back(trial.purpose);
  if (!vain.empty())
    text += fmt::format(" Tried besides: {}.", fmt::join(vain, "; "));
  return text + "\n";
}

} // namespace parallax
