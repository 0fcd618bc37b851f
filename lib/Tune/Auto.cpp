//===- Auto.cpp - The strategy 'auto' -------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Levers without cost first. Then what every layer loses is attributed once,
// the predicted front is cut out, and a few of its points are measured, each of
// which tells how far predictions can be trusted. At the best point losses are
// attributed again: what was hidden behind large errors appears there.
//===----------------------------------------------------------------------===//
#include "Allowed.h"
#include "Levers.h"
#include "MethodChoice.h"
#include "WidthChoice.h"

#include "parallax/Support/Log.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace parallax {
namespace {

/// Samples that losses are attributed on.
constexpr size_t attributedOn = 8;
/// Measured points of one front, and fronts.
constexpr int mostPoints = 4, mostRounds = 2;
/// A point that is clearly better than another has less than this part of its
/// errors.
constexpr double clearly = 1.5;
/// Cheaper points that are looked for below one that holds, and what one of
/// them has to save.
constexpr int mostDescents = 3;
constexpr double leastSaving = 0.01;
/// Trials in all. Each looks at all samples to tune on.
constexpr int64_t mostTrials = 12;

/// A point of the predicted front.
struct Point {
  std::vector<ConfigEdit> edits;
  /// The part of the squared errors that is left.
  double left = 1;
  int64_t cost = 0;
};

ConfigEdit everythingWide(bool isWeights) {
  std::string entry = R"({"start_tensor_names":["DEFAULT"],)"
                      R"("end_tensor_names":["DEFAULT"],"data_type":"U16")";
  if (isWeights)
    entry += R"(,"weight_data_type":"S16")";
  return {"quant.layer_configs", entry + "}", true};
}

class AutoSearch {
public:
  explicit AutoSearch(Search &search) : search(search), bench(search.bench) {}

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
      measureFront(predictFront(round), round);
    }
    search.measureAll({{"16 bits everywhere", widest()}});
  }

private:
  /// Points evenly over a front, its ends included.
  void measureFront(const std::vector<Point> &front, int round) {
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
    losses = {};
    for (int round = 0; round < mostRounds; ++round) {
      // Only a point of this front says what else there is to gain on it.
      if (round > 0 && (!search.best() || !hasTheseLevers(*search.best())))
        break;
      std::vector<Point> front = predictFront(round);
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

  /// Single tensors have other methods, beside the levers that helped.
  void pullTensorMethods() {
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
    }
  }

  /// The analysis of what was built last.
  PrecisionReport analyze() {
    AnalysisOptions options{bench.calibrated().options.threads};
    options.attributes = true;
    options.attributedSamples = attributedOn;
    options.weigh = [this](auto outputs, auto weights) {
      return search.metric.weigh(outputs, weights);
    };
    return bench.analyze(search.firstSamples(attributedOn), options);
  }

  /// What tensors lose alone. Those that have 16 bits already keep what they
  /// lost with 8.
  void addLosses(const PrecisionReport &report) {
    if (!report.attribution)
      return;
    LossModel now(report);
    for (const AttributionRow &row : report.attribution->rows) {
      double weights = row.alone > 0 ? row.aloneWeights / row.alone : 0;
      double square = squareOfLoss(row.alone);
      const PrecisionRow *tensor = now.find(row.tensor);
      bool isWide = tensor && tensor->codes && tensor->codes->high > 255;
      if (!isWide || !losses.codes.contains(row.tensor))
        losses.codes[row.tensor] = square * (1 - weights);
      if (square * weights > 0 || !losses.weights.contains(row.node))
        losses.weights[row.node] = square * weights;
    }
  }

  /// The first analysis is that of 8 bits; later ones are of the best point.
  std::vector<Point> predictFront(int round) {
    bench.build(round == 0 ? withLevers({}) : search.ownEdits(*search.best()));
    PrecisionReport report = analyze();
    addLosses(report);
    if (round == 0) {
      narrow = std::move(report);
      network.emplace(narrow);
    }
    bench.calibrate(levers);
    WidthProblem problem;
    problem.network = &*network;
    problem.losses = losses;
    limitTypes(problem);
    if (!addCosts(problem))
      return {};
    std::vector<Point> points;
    for (const WidthPoint &corner : farApart(chooseFront(problem))) {
      std::vector<ConfigEdit> types = corner.choice.edits();
      std::optional<Trial> trial = bench.attempt(types);
      if (trial)
        points.push_back(
            {withLevers(types), leftOf(*trial), bench.costOf(*trial)});
    }
    points = withoutDominated(std::move(points));
    for (const Point &point : points)
      log(LogLevel::Debug, "predicted: {} cycles, {:.4f} of the error",
          point.cost, point.left);
    return points;
  }

  /// Of many corners, those that can be told from each other by what is
  /// measured: to price one is to quantize and lower the network.
  static std::vector<WidthPoint> farApart(std::vector<WidthPoint> corners) {
    constexpr double alike = 0.85, asGoodAsNothing = 1e-3;
    double enough = corners.front().loss * asGoodAsNothing;
    std::vector<WidthPoint> kept;
    for (WidthPoint &corner : corners)
      if (kept.empty() || (corner.loss <= kept.back().loss * alike &&
                           kept.back().loss > enough))
        kept.push_back(std::move(corner));
    return kept;
  }

  /// What layers have to be, and which are float where they may not have 16
  /// bits.
  void limitTypes(WidthProblem &problem) const {
    for (const PrecisionRow &row : network->layers()) {
      if (row.moves)
        continue;
      auto may = [&](DataType type) {
        return isAllowed(search.config, row.node, row.type, type);
      };
      bool isNarrow = may(DataType::U8), isWide = may(DataType::U16),
           isFloat = may(DataType::FP32);
      if (isWide) {
        if (!isNarrow)
          problem.required.insert(row.node);
      } else {
        (!isNarrow ? problem.alwaysFloat
         : isFloat ? problem.asFloat
                   : problem.fixed)
            .insert(row.node);
      }
    }
  }

  /// The rules for all that can be had: float where 16 bits are not allowed.
  std::vector<ConfigEdit> everything(const WidthProblem &problem,
                                     bool isWeights) const {
    std::vector<ConfigEdit> edits = {everythingWide(isWeights)};
    Widening floats;
    for (const std::string &layer : problem.asFloat)
      floats.floats.add(layer);
    for (ConfigEdit &edit : floats.edits())
      edits.push_back(std::move(edit));
    return edits;
  }

  /// False if the network can't be built with 16 bits.
  bool addCosts(WidthProblem &problem) {
    std::optional<Trial> asIs = bench.attempt({}),
                         wide = bench.attempt(everything(problem, false)),
                         all = bench.attempt(everything(problem, true));
    if (!asIs || !wide)
      return false;
    LayerCosts &costs = problem.costs;
    costs.narrow = bench.layerCosts(*asIs);
    costs.wide = bench.layerCosts(*wide);
    costs.wideWeights = bench.layerCosts(all ? *all : *wide);
    // What becomes codes is a layer of its own behind a float one.
    for (const std::string &layer : problem.asFloat)
      costs.floats[layer] = costs.wide[layer] + costs.wide[layer + "_float"];
    for (const PrecisionRow &row : network->layers()) {
      costs.conversions[row.tensor] = bench.conversionCost(row);
      for (const std::string &input : row.inputs)
        if (const PrecisionRow *read = network->find(input);
            read && read->type == inputType) {
          costs.narrowInputs[input] = costs.narrow[input + "_U8"];
          costs.wideInputs[input] = costs.wide[input + "_U16"];
        }
    }
    return true;
  }

  double leftOf(const Trial &trial) const {
    double left = 0;
    for (const auto &[tensor, loss] : losses.codes)
      left += loss * network->kept(tensor, trial);
    for (const auto &[layer, loss] : losses.weights)
      left += trial.wideWeights.contains(layer) ? 0 : loss;
    double all = losses.total();
    return all > 0 ? left / all : 0;
  }

  static std::vector<Point> withoutDominated(std::vector<Point> points) {
    std::ranges::sort(points, {}, [](const Point &point) {
      return std::pair(point.cost, point.left);
    });
    std::vector<Point> front;
    for (Point &point : points)
      if (front.empty() || point.left < front.back().left)
        front.push_back(std::move(point));
    return front;
  }

  Search::Prediction predictionOf(const Point &point) const {
    return {lossOf(*from) * point.left, point.cost};
  }

  const TrialRecord &measure(const Point &point, const std::string &purpose) {
    return search.measure(purpose, point.edits, predictionOf(point));
  }

  /// What 8 bits lose, beside the part of the errors that is left: by the same
  /// rule by which trials hold.
  double steepest() const {
    return from->failure.empty() ? carefulLoss(from->loss) : lossOf(*from);
  }

  /// Looks for the cheapest point that is predicted to hold, and does. False if
  /// no other front can be expected to have a cheaper one.
  bool climb(const std::vector<Point> &front, int round) {
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
  void descend(const std::vector<Point> &front, const Point &start,
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
          front, [&](const Point &point) { return point.left <= reach; });
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
      search.measure("16 bits everywhere", widest());
  }

  /// Float where 16 bits are not allowed.
  std::vector<ConfigEdit> widest() const {
    WidthProblem problem;
    if (network) {
      problem.network = &*network;
      limitTypes(problem);
    }
    return withLevers(everything(problem, true));
  }

  Search &search;
  Workbench &bench;
  std::vector<ConfigEdit> levers;
  /// What 8 bits lose with these levers.
  const TrialRecord *from = nullptr;
  TensorLosses losses;
  PrecisionReport narrow;
  std::optional<LossModel> network;
};

} // namespace

void searchAutomatically(Search &search) { AutoSearch(search).run(); }
void searchFront(Search &search) { AutoSearch(search).runFront(); }

} // namespace parallax
