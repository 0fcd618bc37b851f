//===- Outcome.cpp - What a tuning came to --------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Whatever is odd about the file only means that the search is run again.
//===----------------------------------------------------------------------===//
#include "Outcome.h"

#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/MappedFile.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

using OutcomeJson = nlohmann::ordered_json;

OutcomeJson estimateJson(const Estimate &estimate) {
  return {estimate.value, estimate.low, estimate.high};
}

Estimate estimateOf(const OutcomeJson &json) {
  return {json.at(0).get<double>(), json.at(1).get<double>(),
          json.at(2).get<double>()};
}

OutcomeJson validatedJson(const std::optional<ValidatedMetric> &validated) {
  if (!validated)
    return nullptr;
  return {{"float", validated->floats},
          {"metric", estimateJson(validated->metric)},
          {"loss", estimateJson(validated->loss)},
          {"samples", validated->samples}};
}

std::optional<ValidatedMetric> validatedOf(const OutcomeJson &json) {
  if (json.is_null())
    return std::nullopt;
  return ValidatedMetric{
      json.at("float").get<double>(), estimateOf(json.at("metric")),
      estimateOf(json.at("loss")), json.at("samples").get<int64_t>()};
}

/// Of all that stands in the file beside it: a flipped bit may be another
/// figure.
std::string digestOf(OutcomeJson json) {
  json.erase("digest");
  return sha256Of(
      json.dump(-1, ' ', false, OutcomeJson::error_handler_t::replace));
}

/// Throws an exception of the JSON library for what is not as it was written.
std::optional<TuneResult> resultOf(const OutcomeJson &json,
                                   const TuningRun &run,
                                   std::vector<TrialRecord> trials) {
  if (json.at("digest") != digestOf(json))
    return std::nullopt;
  auto count = json.at("trials").get<size_t>();
  TuneResult result;
  result.ended = json.at("ended").get<std::string>();
  // What ended early for want of time or of trials may go on.
  bool isThrough =
      result.ended.empty() || json.at("asked").get<int64_t>() >= run.maxTrials;
  if (json.at("identity") != run.identity || json.at("front") != run.isFront ||
      count != trials.size() || !isThrough)
    return std::nullopt;
  auto best = std::ranges::find(trials, json.at("best").get<int64_t>(),
                                &TrialRecord::number);
  if (best == trials.end())
    return std::nullopt;
  result.base = trials.front();
  result.best = *best;
  result.metric = json.at("metric").get<std::string>();
  result.tolerableLoss = json.at("tolerable_loss").get<double>();
  result.isMet = json.at("is_met").get<bool>();
  result.baseValidated = validatedOf(json.at("base_validated"));
  result.bestValidated = validatedOf(json.at("best_validated"));
  result.trials = std::move(trials);
  return result;
}

} // namespace

void writeOutcome(const std::filesystem::path &file, const TuningRun &run,
                  const TuneResult &result) {
  OutcomeJson json{{"identity", run.identity},
                   {"front", run.isFront},
                   {"trials", result.trials.size()},
                   {"asked", run.asked},
                   {"best", result.best.number},
                   {"ended", result.ended},
                   {"metric", result.metric},
                   {"tolerable_loss", result.tolerableLoss},
                   {"is_met", result.isMet},
                   {"base_validated", validatedJson(result.baseValidated)},
                   {"best_validated", validatedJson(result.bestValidated)}};
  json["digest"] = digestOf(json);
  writeFileAtomically(
      file,
      json.dump(1, ' ', false, OutcomeJson::error_handler_t::replace) + "\n");
}

std::optional<TuneResult> readOutcome(const std::filesystem::path &file,
                                      const TuningRun &run,
                                      std::vector<TrialRecord> trials) {
  if (!std::filesystem::exists(file) || trials.empty())
    return std::nullopt;
  try {
    return resultOf(OutcomeJson::parse(readText(file)), run, std::move(trials));
  } catch (const nlohmann::json::exception &) {
    return std::nullopt;
  } catch (const Error &) {
    return std::nullopt;
  }
}

} // namespace parallax
