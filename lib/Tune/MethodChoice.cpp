//===- MethodChoice.cpp - Which tensor gets which calibration -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One sweep over the calibration set collects what all methods choose from, and
// one attribution for each method says what its ranges cost. Choices of
// different courage then race on the error of the outputs.
//===----------------------------------------------------------------------===//
#include "MethodChoice.h"
#include "OutputError.h"

#include "parallax/Analysis/LossModel.h"
#include "parallax/Config/Enums.h"
#include "parallax/Passes/Analyze/Analyze.h"
#include "parallax/Pipeline/MethodNetworks.h"
#include "parallax/Support/Log.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

/// What gains less of the whole error is not worth an entry.
constexpr double leastPart = 1e-4;
/// A patch that gains less is not worth a trial.
constexpr double leastGainOfMethods = 0.05;
/// Samples that their losses are attributed on, in so many parts.
constexpr size_t methodsAttributedOn = 16, partsOfSamples = 2;

/// Where a tensor has its codes, with each of the methods; equal ones are
/// shared.
using SharedCodes = std::vector<std::tuple<float, int64_t, int64_t, int64_t>>;

SharedCodes codesOf(const std::string &tensor,
                    const std::vector<MethodLosses> &methods) {
  SharedCodes shared;
  for (const MethodLosses &method : methods)
    if (auto it = method.codes.find(tensor); it != method.codes.end())
      shared.emplace_back(it->second.scale, it->second.zeroPoint,
                          it->second.low, it->second.high);
  return shared;
}

double lossIn(const std::map<std::string, double> &losses,
              const std::vector<std::string> &tensors) {
  double sum = 0;
  for (const std::string &tensor : tensors)
    if (auto it = losses.find(tensor); it != losses.end())
      sum += it->second;
  return sum;
}

double lossIn(const MethodLosses &method,
              const std::vector<std::string> &tensors) {
  double sum = 0;
  for (const auto &part : method.losses)
    sum += lossIn(part, tensors);
  return sum;
}

/// Whether what tensors lose falls below a part of it everywhere.
bool helpsEverywhere(const MethodLosses &method, const MethodLosses &own,
                     const std::vector<std::string> &tensors, double mostLeft) {
  for (size_t part = 0; part < own.losses.size(); ++part)
    if (!(lossIn(method.losses[part], tensors) <
          mostLeft * lossIn(own.losses[part], tensors)))
      return false;
  return true;
}

/// What is best for 8 bits must not cut what 16 bits would keep.
std::vector<ConfigEdit> entriesOf(const MethodChoice &choice) {
  std::vector<ConfigEdit> edits;
  for (const auto &[method, tensors] : choice.tensors) {
    nlohmann::ordered_json entry = {{"tensor_names", tensors},
                                    {"calibration_method", method.name},
                                    {"bits", 8}};
    if (method.percentile > 0)
      entry["percentile"] = method.percentile;
    edits.push_back({"quant.tensor_configs", entry.dump(), true});
  }
  return edits;
}

size_t tensorsIn(const MethodChoice &choice) {
  size_t count = 0;
  for (const auto &[method, tensors] : choice.tensors)
    count += tensors.size();
  return count;
}

/// What tensors lose by 8 bits; weights have no method.
std::map<std::string, double> lossesIn(const Attribution &attribution) {
  std::map<std::string, double> losses;
  for (const AttributionRow &row : attribution.rows)
    losses[row.tensor] = squareOfLoss(row.alone) * (1 - row.partOfWeights());
  return losses;
}

/// One of several parts that have as many samples each.
Samples partOf(const Samples &all, size_t part, size_t parts) {
  Samples own = all;
  own.count = all.count / parts;
  own.load = [load = all.load, first = part * own.count](size_t i) {
    return load(first + i);
  };
  return own;
}

/// All methods, that of all tensors first. Percentiles are milder than for
/// all tensors at once: the greatest values of a tensor are rare, but often
/// what the answer is made of, which samples as few as these hardly show.
std::vector<RangeMethod> methodsFrom(const QuantConfig &quant) {
  RangeMethod first{quant.calibrationMethod, quant.percentile};
  std::vector<RangeMethod> methods = {first};
  for (const auto &[method, name] : enumNames<QuantMethod>())
    if (method != QuantMethod::Percentile && method != first.method)
      methods.push_back({method, quant.percentile});
  for (double percentile : {0.99999, 0.999999})
    methods.push_back({QuantMethod::Percentile, percentile});
  return methods;
}

/// The method of all comes first.
std::vector<MethodLosses>
lossesByMethod(Search &search, const std::vector<ConfigEdit> &levers) {
  AnalysisOptions options = search.attributionOn(methodsAttributedOn);
  search.bench.calibrate(levers);
  BuildState &state = search.bench.calibrated();
  const QuantConfig &quant = state.config.quant;
  if (quant.inputConfigs.empty() || !quant.calibrationCache.empty())
    return {};
  BuildConfig config =
      withEdits(search.bench.base(), search.bench.withRequired(levers));
  Samples samples = search.firstSamples(methodsAttributedOn);
  size_t parts = std::min(samples.count, partsOfSamples);
  MethodNetworks networks(state);
  std::vector<MethodLosses> found;
  for (const RangeMethod &method : methodsFrom(quant)) {
    search.checkTime();
    std::optional<NetworkBeside> network = networks.build(method, config);
    bool cuts = method.method == QuantMethod::Percentile;
    MethodLosses losses;
    losses.method = {std::string(configName(method.method)),
                     cuts ? method.percentile : 0};
    for (size_t part = 0; network && part < parts; ++part)
      if (std::optional<Attribution> attribution = attributeLoss(
              {network->network, network->quantized, network->machine},
              partOf(samples, part, parts), options))
        losses.losses.push_back(lossesIn(*attribution));
    if (losses.losses.size() == parts) {
      losses.codes = typesOf(network->quantized).codes;
      found.push_back(std::move(losses));
    } else if (found.empty()) {
      break; // There is nothing to compare with.
    }
  }
  return found;
}

} // namespace

MethodChoice chooseMethods(const std::vector<MethodLosses> &methods,
                           double mostLeft) {
  MethodChoice choice;
  const MethodLosses &own = methods.front();
  std::map<SharedCodes, std::vector<std::string>> classes;
  for (const auto &[tensor, loss] : own.losses.front()) {
    choice.before += lossIn(own, {tensor});
    if (SharedCodes shared = codesOf(tensor, methods); !shared.empty())
      classes[shared].push_back(tensor);
  }
  choice.after = choice.before;
  for (const auto &[shared, tensors] : classes) {
    double before = lossIn(own, tensors);
    const MethodLosses *best = &own;
    double least = before;
    for (const MethodLosses &method : methods)
      if (double loss = lossIn(method, tensors);
          loss < least && helpsEverywhere(method, own, tensors, mostLeft)) {
        best = &method;
        least = loss;
      }
    if (best == &own || before - least < leastPart * choice.before)
      continue;
    choice.after -= before - least;
    std::vector<std::string> &chosen = choice.tensors[best->method];
    chosen.insert(chosen.end(), tensors.begin(), tensors.end());
  }
  for (auto &[method, tensors] : choice.tensors)
    std::ranges::sort(tensors);
  return choice;
}

ChosenLevers chooseTensorMethods(Search &search,
                                 const std::vector<ConfigEdit> &levers) {
  ChosenLevers chosen;
  const std::vector<TuningLever> &allowed = search.config.levers;
  if (std::ranges::find(allowed, TuningLever::Calibration) == allowed.end())
    return chosen;
  std::vector<MethodLosses> methods = lossesByMethod(search, levers);
  if (methods.size() < 2)
    return chosen;
  // On samples that nothing was chosen on.
  OutputError error(search, methodsAttributedOn);
  double before = error.of(levers), least = before * (1 - leastGainOfMethods);
  std::vector<ConfigEdit> last;
  // All that gain something, and those that gain much.
  for (double mostLeft : {0.95, 0.5}) {
    MethodChoice choice = chooseMethods(methods, mostLeft);
    std::vector<ConfigEdit> edits = entriesOf(choice);
    auto isSame = [](const ConfigEdit &a, const ConfigEdit &b) {
      return a.value == b.value;
    };
    if (choice.after > (1 - leastGainOfMethods) * choice.before ||
        std::ranges::equal(edits, last, isSame))
      continue;
    last = edits;
    search.checkTime();
    std::vector<ConfigEdit> tried = levers;
    tried.insert(tried.end(), edits.begin(), edits.end());
    double found = error.of(tried);
    log(LogLevel::Info,
        "lever quant.tensor_configs for {} tensors, predicted to leave {:.1f} "
        "% of what tensors lose: {}",
        tensorsIn(choice), 100 * choice.after / choice.before,
        describeError(found, before));
    if (found < least) {
      least = found;
      chosen.edits = edits;
      chosen.left = before > 0 && std::isfinite(before) ? found / before : 1;
    }
  }
  return chosen;
}

} // namespace parallax
