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
#include <nlohmann/json.hpp>
#include <set>

namespace parallax {
namespace {

/// Layers that changes of a configuration name.
int64_t countLayers(std::span<const ConfigEdit> edits) {
  std::set<std::string> layers;
  for (const ConfigEdit &edit : edits) {
    auto rule = nlohmann::json::parse(edit.value, nullptr, false);
    if (edit.field == "quant.layer_configs" && rule.is_object())
      for (const auto &name :
           rule.value("layer_names", nlohmann::json::array()))
        if (name.is_string())
          layers.insert(name.get<std::string>());
  }
  return int64_t(layers.size());
}

/// Everything that is not about types, and how many layers are.
std::string describeChanges(std::span<const ConfigEdit> edits) {
  std::vector<std::string> changes;
  for (const ConfigEdit &edit : edits)
    if (edit.field != "quant.layer_configs")
      changes.push_back(fmt::format("{} = {}", edit.field, edit.value));
  bool isAll = std::ranges::any_of(edits, [](const ConfigEdit &edit) {
    return edit.value.find("start_tensor_names") != std::string::npos;
  });
  if (isAll)
    changes.push_back("16 bits everywhere");
  else if (int64_t count = countLayers(edits); count > 0)
    changes.push_back(
        fmt::format("16 bits for {} layer{}", count, count == 1 ? "" : "s"));
  return changes.empty() ? "nothing was changed"
                         : fmt::format("changed: {}", fmt::join(changes, ", "));
}

std::string describeMetric(const std::string &title,
                           const ValidatedMetric &value) {
  return fmt::format("{} {:.4f}, {:.4f} less than float (95 %: {:.4f} to "
                     "{:.4f}) on {} other samples",
                     title, value.metric.value, value.loss.value,
                     value.loss.low, value.loss.high, value.samples);
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
  if (!search.history.trials().empty())
    terms.u8Cycles = search.history.trials().front().cycles;
  return terms;
}

TunedNetwork asTuned(const TrialRecord &trial) {
  return {trial.number,
          trial.purpose,
          trial.metric,
          trial.cycles,
          trial.predictedMetric,
          trial.predictedCycles,
          countLayers(trial.edits)};
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
  showResult(
      renderTuneResult(terms, asTuned(result.trials.back()), &best, style));
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
      "On the samples it was tuned on it loses {:.4f} of {}, where {:.4f} is "
      "tolerable.",
      !result.isMet ? "No trial keeps to the criterion"
      : isConfirmed ? "The criterion holds"
                    : "The criterion holds on the samples that were tuned on, "
                      "but the others do not confirm it",
      describeChanges(result.best.edits), factor, result.best.loss.value,
      result.metric, result.tolerableLoss);
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
