//===- Auto.cpp - The strategy 'auto' -------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Levers without cost first. Then what every layer loses is attributed once,
// the predicted front is cut out, and a few of its points are measured, each of
// which tells how far predictions can be trusted. At the best point losses are
// attributed again: what was hidden behind large errors appears there.
//===----------------------------------------------------------------------===//
#include "FrontPrediction.h"
#include "Levers.h"
#include "MethodChoice.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace parallax {
namespace {

/// Measured points of one front, and fronts.
constexpr int mostPoints = 4, mostRounds = 2;
/// A point that is clearly better than another has less than this part of its
/// errors.
constexpr double clearly = 1.5;
/// Cheaper points that are looked for below one that holds, and what one of
/// them has to save.
constexpr int mostDescents = 3;
constexpr double leastSaving = 0.01;
/// What widths may cost that spare the search for other levers.
constexpr double nearlyFree = 1.05;
/// Trials in all. Each looks at all samples to tune on.
constexpr int64_t mostTrials = 12;

class AutoSearch {
public:
  explicit AutoSearch(Search &search) : search(search), prediction(search) {}

  void run() {
    from = &search.measure("as configured", {});
    if (search.holds(*from))
      return;
    pullLevers();
    if (search.holds(*from))
      return;
    pullTensorMethods();
    if (search.holds(*from))
      return;
    climbFronts();
    if (!isMet() && cutsValues()) {
      // No width brings back what a range has cut.
      levers.clear();
      from = &search.measure("as configured", {});
      climbFronts();
    }
    lastResort();
  }

  void runFront() {
    from = &search.measure("as configured", {});
    if (!search.holds(*from))
      pullLevers();
    if (!search.holds(*from))
      pullTensorMethods();
    // At a good point, losses are attributed again.
    for (int round = 0; round < mostRounds; ++round) {
      if (round > 0 && (!search.best() || !hasTheseLevers(*search.best())))
        break;
      measureFront(predict(round), round);
    }
    search.measureAll(
        {{"16 bits everywhere", withLevers(prediction.widest())}});
  }

private:
  /// Points evenly over a front, its ends included.
  void measureFront(const std::vector<FrontPoint> &front, int round) {
    constexpr size_t shown = 8;
    size_t count = std::min(front.size(), shown);
    std::vector<Search::Question> questions;
    for (size_t i = 0; i < count; ++i) {
      size_t at = count > 1 ? i * (front.size() - 1) / (count - 1) : 0;
      questions.push_back({fmt::format("front {}, point {} of {}", round + 1,
                                       at + 1, front.size()),
                           front[at].edits, predictionOf(front[at])});
    }
    search.measureAll(questions);
  }

  std::vector<ConfigEdit> withLevers(std::vector<ConfigEdit> types) const {
    std::vector<ConfigEdit> edits = levers;
    edits.insert(edits.end(), types.begin(), types.end());
    return edits;
  }

  /// Fronts from the 8 bits with these levers up.
  void climbFronts() {
    if (!predicted)
      prediction.forget();
    for (int round = 0; round < mostRounds; ++round) {
      // Only a point of this front says what else there is to gain on it.
      if (round > 0 && (!search.best() || !hasTheseLevers(*search.best())))
        break;
      std::vector<FrontPoint> front =
          predicted ? std::move(*predicted) : predict(round);
      predicted.reset();
      if (!climb(front, round))
        break;
    }
  }

  bool hasTheseLevers(const TrialRecord &trial) const {
    std::vector<ConfigEdit> own = search.ownEdits(trial);
    std::erase_if(own, [](const ConfigEdit &edit) {
      return edit.field == "quant.layer_configs";
    });
    return std::ranges::equal(own, levers, {}, &ConfigEdit::value,
                              &ConfigEdit::value);
  }

  bool isMet() const {
    const TrialRecord *best = search.best();
    return best && search.holds(*best);
  }

  /// The last trial is that of 16 bits everywhere, if nothing holds.
  bool hasTrialsLeft() const {
    return search.count() < mostTrials - (isMet() ? 0 : 1);
  }

  /// What a trial loses. One without a result may have lost all that there is.
  double lossOf(const TrialRecord &trial) const {
    return trial.failure.empty()
               ? trial.loss.value
               : std::max(std::abs(search.floats), search.tolerableLoss());
  }

  bool cutsValues() const {
    return std::ranges::any_of(levers, [](const ConfigEdit &edit) {
      return edit.field == "quant.calibration_method" ||
             edit.field == "quant.tensor_configs";
    });
  }

  void pullLevers() {
    if (search.config.levers.empty())
      return;
    pull("levers", chooseLevers(search));
  }

  /// Whether widths that cost next to nothing are predicted to be enough.
  bool isNearlyFree(const std::vector<FrontPoint> &front) const {
    auto enough = std::ranges::find_if(front, [&](const FrontPoint &point) {
      return point.left * steepest() <= search.tolerableLoss();
    });
    return enough != front.end() &&
           double(enough->cost) <= nearlyFree * double(from->cycles);
  }

  /// Single tensors have other methods, beside the levers that helped. To find
  /// them takes longer than a front, which may make them needless.
  void pullTensorMethods() {
    predicted = predict(0);
    if (isNearlyFree(*predicted))
      return;
    pull("tensor methods", chooseTensorMethods(search, levers));
  }

  /// Keeps more levers if the task says that they help.
  void pull(const std::string &purpose, const ChosenLevers &chosen) {
    if (chosen.edits.empty())
      return;
    std::vector<ConfigEdit> all = withLevers(chosen.edits);
    // The loss follows the squared error of the outputs.
    std::optional<Search::Prediction> prediction;
    if (from->failure.empty())
      prediction = {from->loss.value * chosen.left, from->cycles};
    const TrialRecord &pulled = search.measure(purpose, all, prediction);
    if (lossOf(pulled) < lossOf(*from)) {
      levers = std::move(all);
      from = &pulled;
      predicted.reset();
    }
  }

  /// The first front is that of 8 bits; later ones are seen from the best
  /// point.
  std::vector<FrontPoint> predict(int round) {
    return prediction.predict(levers, round == 0 ? nullptr : search.best());
  }

  Search::Prediction predictionOf(const FrontPoint &point) const {
    return {lossOf(*from) * point.left, point.cost};
  }

  const TrialRecord &measure(const FrontPoint &point,
                             const std::string &purpose) {
    return search.measure(purpose, point.edits, predictionOf(point));
  }

  /// What 8 bits lose, beside the part of the errors that is left: by the same
  /// rule by which trials hold.
  double steepest() const {
    return from->failure.empty() ? carefulLoss(from->loss) : lossOf(*from);
  }

  /// Looks for the cheapest point that is predicted to hold, and does. False if
  /// no other front can be expected to have a cheaper one.
  bool climb(const std::vector<FrontPoint> &front, int round) {
    double slope = steepest(), allowed = search.tolerableLoss();
    int64_t most =
        isMet() ? search.best()->cycles : std::numeric_limits<int64_t>::max();
    int tried = 0;
    for (size_t at = 0;
         at < front.size() && tried < mostPoints && hasTrialsLeft(); ++at) {
      if (front[at].cost >= most)
        break;
      // 8 bits are a point of the front, too.
      if (front[at].edits.size() == levers.size() ||
          (front[at].left * slope > allowed && at + 1 < front.size()))
        continue;
      ++tried;
      const TrialRecord &trial =
          measure(front[at], fmt::format("round {}, point {} of {}", round + 1,
                                         at + 1, front.size()));
      if (search.holds(trial)) {
        descend(front, front[at], trial, round);
        return true;
      }
      // The next one has to be clearly better.
      if (front[at].left > 0 && trial.failure.empty())
        slope = std::max(slope * clearly, trial.loss.value / front[at].left);
    }
    return round == 0;
  }

  /// Predictions may have been too careful. What points lose that lie between
  /// 8 bits and one that holds is interpolated, at the upper ends of the
  /// intervals, and the cheapest that should hold is measured. Not where even
  /// these are not tolerable: samples that happen to lose little would lead
  /// further and further away.
  void descend(const std::vector<FrontPoint> &front, const FrontPoint &start,
               const TrialRecord &held, int round) {
    double allowed = search.tolerableLoss();
    double good = start.left, high = held.loss.high;
    double bad = 1, tooHigh = std::max(from->loss.high, lossOf(*from));
    int64_t cost = held.cycles;
    for (int i = 0; i < mostDescents && high < allowed && tooHigh > allowed &&
                    hasTrialsLeft();
         ++i) {
      double reach = good + (bad - good) * (allowed - high) / (tooHigh - high);
      auto next = std::ranges::find_if(
          front, [&](const FrontPoint &point) { return point.left <= reach; });
      if (next == front.end() || next->left >= bad ||
          double(next->cost) > (1 - leastSaving) * double(cost))
        return;
      const TrialRecord &trial =
          measure(*next, fmt::format("round {}, cheaper {}", round + 1, i + 1));
      if (!trial.failure.empty())
        return;
      if (search.holds(trial) && trial.loss.high <= allowed) {
        good = next->left;
        high = trial.loss.high;
        cost = trial.cycles;
      } else {
        bad = next->left;
        tooHigh = trial.loss.high;
      }
    }
  }

  /// If nothing holds, 16 bits everywhere is the best that can be had.
  void lastResort() {
    if (!isMet())
      search.measure("16 bits everywhere", withLevers(prediction.widest()));
  }

  Search &search;
  std::vector<ConfigEdit> levers;
  /// What 8 bits lose with these levers.
  const TrialRecord *from = nullptr;
  FrontPrediction prediction;
  /// The first front with these levers, if it is known already.
  std::optional<std::vector<FrontPoint>> predicted;
};

} // namespace

void searchAutomatically(Search &search) { AutoSearch(search).run(); }
void searchFront(Search &search) { AutoSearch(search).runFront(); }

} // namespace parallax
