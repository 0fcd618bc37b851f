//===- Search.cpp - Trials, and the best of them --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A trial that fails is written down as such, and the search goes on.
//===----------------------------------------------------------------------===//
#include "Search.h"
#include "HistoryLine.h"
#include "Present.h"

#include "parallax/Pipeline/Evaluation.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Clock.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Ranks.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace parallax {
namespace {

/// No loss is hopeless: all samples are looked at.
constexpr double whole = std::numeric_limits<double>::infinity();

} // namespace

Search::Search(Workbench &bench, TuneMetric &metric, History &history,
               std::filesystem::path historyFile)
    : bench(bench), metric(metric), split(metric.split),
      config(bench.base().tuning), history(history),
      historyFile(std::move(historyFile)), floats(metric.floats()),
      start(std::chrono::steady_clock::now()) {
  const TuningCriterion &criterion = config.accuracyCriterion;
  if (criterion.higherIsBetter != metric.higherIsBetter())
    throw Error(fmt::format(
        "tuning.accuracy_criterion.higher_is_better: {} is better when it is "
        "{}; set the field to {}",
        metric.title(), metric.higherIsBetter() ? "higher" : "lower",
        metric.higherIsBetter()));
  tolerable = criterion.criterion == LossCriterion::Absolute
                  ? criterion.tolerableLoss
                  : criterion.tolerableLoss * std::abs(floats);
}

void Search::checkBudget() const {
  if (count() >= config.exitPolicy.maxTrials)
    throw SearchEnded{fmt::format("all {} trials are used up (max_trials)",
                                  config.exitPolicy.maxTrials)};
  checkTime();
}

void Search::checkTime() const {
  stopIfCancelled();
  const TuningExit &policy = config.exitPolicy;
  // Clocks differ; that of the first rank counts.
  auto isTimeUp = [&] {
    return std::string(secondsSince(start) > policy.timeout ? "yes" : "");
  };
  if (policy.timeout > 0 && !ranks().fromFirst("the time", isTimeUp).empty())
    throw SearchEnded{
        fmt::format("the time is up (timeout {} s)", policy.timeout)};
}

const TrialRecord *Search::find(const std::vector<ConfigEdit> &edits,
                                bool isWhole) const {
  std::vector<ConfigEdit> all = bench.withRequired(edits);
  // A trial that failed has no samples, and one that was hopeless has few.
  auto most = int64_t(split.tuning.size());
  for (int64_t samples : {most, most / 2, most / 4, int64_t(0)})
    if (!isWhole || samples == most || samples == 0)
      if (const TrialRecord *trial = history.find(all, samples))
        return trial;
  return nullptr;
}

std::vector<ConfigEdit> Search::ownEdits(const TrialRecord &trial) const {
  // A history may have been edited.
  auto shared = std::min(bench.withRequired({}).size(), trial.edits.size());
  return {trial.edits.begin() + int64_t(shared), trial.edits.end()};
}

bool Search::holds(const TrialRecord &trial) const {
  return trial.failure.empty() &&
         trial.samples == int64_t(split.tuning.size()) &&
         carefulLoss(trial.loss) <= tolerable;
}

const TrialRecord *Search::best() const {
  const TrialRecord *best = nullptr;
  for (const TrialRecord &trial : history.trials()) {
    if (!asked.contains(&trial) || !trial.failure.empty() ||
        trial.samples != int64_t(split.tuning.size()))
      continue;
    auto rank = [&](const TrialRecord &one) {
      bool isGood = holds(one);
      double loss = carefulLoss(one.loss);
      return std::tuple(!isGood, isGood ? double(one.cycles) : loss,
                        isGood ? loss : double(one.cycles));
    };
    if (!best || rank(trial) < rank(*best))
      best = &trial;
  }
  return best;
}

Samples Search::firstSamples(size_t most) const {
  std::span<const size_t> chosen(split.tuning);
  chosen = chosen.first(std::min(chosen.size(), most));
  return {chosen.size(),
          [this, chosen](size_t i) { return metric.load(chosen[i]); },
          "the samples to tune on"};
}

AnalysisOptions Search::attributionOn(size_t samples) {
  AnalysisOptions options{bench.calibrated().options.threads};
  options.attributes = true;
  options.attributedSamples = samples;
  options.weigh = [this](auto outputs, auto weights) {
    return metric.weigh(outputs, weights);
  };
  return options;
}

void Search::show(const TrialRecord &trial) const {
  if (!trial.failure.empty()) {
    log(LogLevel::Warning, "Tune {} ({}) failed: {}", trial.number,
        trial.purpose, trial.failure);
    return;
  }
  const TrialRecord *best = this->best();
  TunedNetwork latest = asTuned(trial), kept;
  if (best)
    kept = asTuned(*best);
  std::string line = tuneResultLine(termsOf(*this), latest,
                                    best && holds(*best) ? &kept : nullptr);
  if (trial.samples < int64_t(split.tuning.size()))
    line += fmt::format(" (given up after {} of {} samples)", trial.samples,
                        split.tuning.size());
  log(LogLevel::Info, "{}: {}", trial.purpose, line);
}

/// A loss above which a trial is of no use: it would not become the best.
double Search::hopelessLoss() const {
  const TrialRecord *best = this->best();
  if (!best)
    return whole;
  return holds(*best) ? tolerable : carefulLoss(best->loss);
}

/// Builds and measures, and notes what comes of it.
TrialRecord Search::tryOut(const Question &question, int64_t number,
                           double hopeless) {
  auto begin = std::chrono::steady_clock::now();
  TrialRecord trial;
  trial.number = number;
  trial.purpose = question.purpose;
  trial.edits = bench.withRequired(question.edits);
  if (const std::optional<Prediction> &prediction = question.prediction) {
    trial.predictedMetric =
        floats + (metric.higherIsBetter() ? -1 : 1) * prediction->loss;
    trial.predictedCycles = prediction->cost;
  }
  try {
    bench.build(question.edits);
    trial.cycles = bench.cost();
    trial.digest = bench.digest();
    Measured found = metric.measure(bench.machine(), split.tuning, hopeless);
    trial.metric = found.metric;
    trial.loss = found.loss;
    trial.samples = int64_t(found.samples);
  } catch (const Cancelled &) {
    throw;
  } catch (const DataChanged &) {
    throw;
  } catch (const WriteError &) {
    throw; // A full disk says nothing about the network.
  } catch (const Error &error) {
    // What can't be built as it is has to be mended first.
    if (!first() && trial.digest.empty())
      throw;
    ranks().requireSameFailure(error.what());
    trial.failure = error.what();
  }
  trial.seconds = secondsSince(begin);
  return trial;
}

/// The answer to a question of this run.
const TrialRecord &Search::take(const TrialRecord &trial) {
  asked.insert(&trial);
  if (!firstAsked)
    firstAsked = &trial;
  return trial;
}

const TrialRecord &Search::keep(TrialRecord trial) {
  const TrialRecord &kept = take(history.append(std::move(trial)));
  show(kept);
  return kept;
}

const TrialRecord &Search::ask(const Question &question, double hopeless) {
  const TrialRecord *known = find(question.edits, hopeless == whole);
  if (known && asked.contains(known))
    return *known;
  checkBudget();
  if (known)
    return take(*known);
  return keep(tryOut(question, int64_t(history.trials().size()) + 1, hopeless));
}

const TrialRecord &Search::measure(const std::string &purpose,
                                   const std::vector<ConfigEdit> &edits,
                                   std::optional<Prediction> prediction) {
  return ask({purpose, edits, prediction}, hopelessLoss());
}

void Search::measureAll(const std::vector<Question> &questions) {
  if (!ranks().areSeveral()) {
    for (const Question &question : questions)
      ask(question, whole);
    return;
  }
  std::span<const Question> rest(questions);
  while (!rest.empty()) {
    // The first of all says how good float is.
    size_t most = first() ? size_t(ranks().count()) : 1;
    // Those that are known, or asked for twice, need no rank.
    std::vector<Question> next;
    size_t used = 0;
    for (const Question &question : rest) {
      auto isSame = [&](const Question &other) {
        return trialKey(other.edits, 0) == trialKey(question.edits, 0);
      };
      bool isKnown = find(question.edits, true);
      bool isNew = !isKnown && std::ranges::none_of(next, isSame);
      // What is known is asked for in its turn.
      if ((isNew && next.size() == most) || (isKnown && !next.empty()))
        break;
      if (isKnown)
        ask(question, whole);
      else if (isNew)
        next.push_back(question);
      ++used;
    }
    rest = rest.subspan(used);
    if (!next.empty())
      measureNext(next);
  }
}

/// One trial for each rank.
void Search::measureNext(std::span<const Question> questions) {
  checkBudget();
  int64_t done = int64_t(history.trials().size());
  auto left = size_t(config.exitPolicy.maxTrials - count());
  size_t next = std::min(questions.size(), left);
  auto own = size_t(ranks().number());
  if (next == 1)
    keep(tryOut(questions[0], done + 1, whole));
  else {
    // They differ in types alone, so this is done once, by all together.
    bench.calibrate(questions[0].edits);
    std::string line;
    if (own < next) {
      AloneScope alone;
      line =
          historyLine(tryOut(questions[own], done + 1 + int64_t(own), whole));
    }
    ranks().exchange(
        fmt::format("trials {} to {}", done + 1, done + int64_t(next)), line,
        [&](int, std::string_view bytes) {
          if (!bytes.empty())
            keep(parseHistoryLine(bytes, "a trial of another rank"));
        });
  }
  if (next < questions.size())
    checkBudget();
}

} // namespace parallax
