//===- Search.h - Trials, and the best of them -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What all strategies share: they ask for trials, and this builds and measures
// each of them once, writes it down, and knows when to stop.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_TUNE_SEARCH_H
#define PARALLAX_LIB_TUNE_SEARCH_H

#include "Metric.h"
#include "Workbench.h"
#include "parallax/Tune/History.h"

#include <chrono>
#include <functional>
#include <set>

namespace parallax {

/// Thrown out of a strategy when its time or its number of trials is up.
struct SearchEnded {
  std::string reason;
};

class Search {
public:
  Search(Workbench &bench, TuneMetric &metric, History &history,
         std::filesystem::path historyFile);

  struct Prediction {
    double loss = 0;
    int64_t cost = 0;
  };
  /// Builds and measures a configuration with these changes on the samples to
  /// tune on, or finds it in the history. One that can't become the best any
  /// more is given up early. Throws SearchEnded.
  const TrialRecord &measure(const std::string &purpose,
                             const std::vector<ConfigEdit> &edits,
                             std::optional<Prediction> prediction = {});

  /// A trial that is asked for together with others.
  struct Question {
    std::string purpose;
    std::vector<ConfigEdit> edits;
    std::optional<Prediction> prediction = {};
  };
  /// Measures trials of which none depends on another, and which differ in
  /// types alone, as one by one in this order; none is given up early. The
  /// ranks of a job deal them among themselves.
  void measureAll(const std::vector<Question> &questions);

  /// The changes of a trial without those that all have.
  std::vector<ConfigEdit> ownEdits(const TrialRecord &trial) const;
  /// Whether the careful loss of a trial, on all samples, is tolerable.
  bool holds(const TrialRecord &trial) const;
  /// What may be lost, as a difference.
  double tolerableLoss() const { return tolerable; }
  /// The cheapest trial that holds the criterion, or else the one with the
  /// least careful loss; null before the first. Of those that were asked for so
  /// far: what an earlier run came to later must not lead this one elsewhere.
  const TrialRecord *best() const;
  /// The first that was asked for, which is the configuration as it is.
  const TrialRecord *first() const { return firstAsked; }
  /// How many were.
  int64_t count() const { return int64_t(asked.size()); }
  /// Throws SearchEnded if the time is up.
  void checkTime() const;
  /// The first of the samples to tune on.
  Samples firstSamples(size_t most) const;
  /// How losses are attributed on so many samples: errors of outputs count for
  /// what they do to the task.
  AnalysisOptions attributionOn(size_t samples);

  Workbench &bench;
  TuneMetric &metric;
  const SampleSplit &split;
  const TuningConfig &config;
  History &history;
  const std::filesystem::path historyFile;
  /// The float network on the samples to tune on.
  const double floats;

private:
  void checkBudget() const;
  double hopelessLoss() const;
  const TrialRecord *find(const std::vector<ConfigEdit> &edits,
                          bool isWhole) const;
  const TrialRecord &ask(const Question &question, double hopeless);
  TrialRecord tryOut(const Question &question, int64_t number, double hopeless);
  const TrialRecord &take(const TrialRecord &trial);
  const TrialRecord &keep(TrialRecord trial);
  void measureNext(std::span<const Question> questions);
  void show(const TrialRecord &trial) const;

  std::chrono::steady_clock::time_point start;
  double tolerable = 0;
  std::set<const TrialRecord *> asked;
  const TrialRecord *firstAsked = nullptr;
};

/// Asks for trials until the criterion holds, or nothing better is to be
/// expected.
using Strategy = void (*)(Search &search);
Strategy strategyOf(TuningStrategy strategy);
void searchAutomatically(Search &search);
void searchFront(Search &search);
void searchByCommand(Search &search);
/// Gets the file of the history, and gives changes as JSON or nothing.
using Proposer = std::function<std::string(const std::filesystem::path &)>;
void searchByProposals(Search &search, const Proposer &propose);

} // namespace parallax

#endif // PARALLAX_LIB_TUNE_SEARCH_H
