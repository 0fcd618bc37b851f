//===- Diagnose.cpp - Why layers are bad ----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A layer is examined if it is bad by itself, if it causes a large part of the
// loss of bad outputs, or if it has dead channels. The cause is looked for in
// its own codes, in those of its weights and in those of its operands.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/LossModel.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace parallax {
namespace {

/// The part of the loss of bad outputs from which on a layer is examined.
constexpr double largePart = 0.05;
/// More saturated values than this are not caused by rounding.
constexpr double manySaturated = 0.001;
/// A channel so far above the one in the middle costs the others 3 bits.
constexpr double farAboveOthers = 8;
/// Weights are smaller than what they make of sums over many inputs.
constexpr double farAboveWeights = 4;
/// Where dead channels don't show in the cosine, only many are reported.
constexpr double manyDead = 0.25;
/// Samples whose deviation differs more than so often, or whose mean lies off
/// by more than such a part of the deviation, were prepared in another way.
constexpr double sameDeviation = 1.5, sameMean = 0.5, otherUnits = 8;
/// How many layers in a row may pass on what weights have made.
constexpr int passedOn = 3;
/// Codes that cover so much more than the values do are not their own.
constexpr double farWider = 4;

std::string percent(double part) {
  return part < 0.1 ? fmt::format("{:.2g} %", 100 * part)
                    : fmt::format("{:.0f} %", 100 * part);
}

double widthOf(const ValueSummary &values) {
  return std::max(values.max, 0.0) - std::min(values.min, 0.0);
}

class Diagnostician {
public:
  Diagnostician(const PrecisionReport &report, const SeenValues &calibrated)
      : report(report), calibrated(calibrated), model(report) {
    for (const PrecisionTable &table : report.tables)
      for (const PrecisionRow &row : table.rows)
        if (!row.groups.empty())
          judged.push_back(&row);
  }

  std::vector<Diagnosis> run() {
    findFaults();
    for (const PrecisionRow &row : report.inputs)
      lookAtInput(row);
    for (const PrecisionRow &row : model.layers())
      lookAtLayer(row);
    if (model.worstLoss > 1 - outputThreshold)
      for (const AttributionRow &part : model.parts)
        lookAtPart(part);
    findUpstream();
    sortByKey(found, [](const Diagnosis &diagnosis) {
      return std::pair(rankOf(diagnosis.cause), -diagnosis.loss);
    });
    return std::move(found);
  }

private:
  /// What makes all else doubtful comes first, what is only a consequence last.
  static int rankOf(Cause cause) {
    switch (cause) {
    case Cause::MachineArithmetic:
    case Cause::ReferenceArithmetic:
      return 0;
    case Cause::InputPreparation:
      return 1;
    case Cause::Upstream:
      return 3;
    default:
      return 2;
    }
  }

  /// A tensor has one diagnosis of a kind, with the facts that came first.
  void add(const PrecisionRow &row, Cause cause, std::string facts) {
    if (known.contains({row.tensor, Cause::InputPreparation}) ||
        !known.emplace(row.tensor, cause).second)
      return;
    found.push_back({row.node, row.tensor, cause, std::move(facts),
                     model.partOf(row.tensor)});
  }

  bool losesNothingVisible(const PrecisionRow &row) const;
  bool hasSeenMore(const PrecisionRow &row) const;

  void findFaults();
  void lookAtInput(const PrecisionRow &row);
  void lookAtLayer(const PrecisionRow &row);
  void lookAtPart(const AttributionRow &part);
  void findUpstream();

  void blameOwner(const PrecisionRow &row, const ErrorParts &error);
  void blameCodes(const PrecisionRow &row, const std::string &effect);
  void blameWeights(const PrecisionRow &row);
  const WeightRow *loudWeights(const PrecisionRow &row,
                               const ChannelPeak &peak) const;

  const PrecisionReport &report;
  const SeenValues &calibrated;
  LossModel model;
  std::vector<Diagnosis> found;
  std::set<std::pair<std::string, Cause>> known;
  /// Outputs of which the verdict knows groups, in all tables.
  std::vector<const PrecisionRow *> judged;
};

void Diagnostician::findFaults() {
  for (const BitDifference &difference : report.differences) {
    DifferenceClass kind = difference.difference;
    const PrecisionRow *row = model.find(difference.tensor);
    if (!row)
      continue;
    bool isBad = row->metrics.similarity() < layerThreshold;
    std::optional<Cause> cause;
    if (isFault(kind))
      cause = Cause::MachineArithmetic;
    else if (isFaultOfReference(kind))
      cause = Cause::ReferenceArithmetic;
    else if (kind == DifferenceClass::TableInterpolation && isBad)
      cause = Cause::TableInterpolation;
    if (cause)
      add(*row, *cause,
          fmt::format("{} of {} codes differ between the engines, by up to {} "
                      "({})",
                      difference.differing, difference.elements,
                      difference.maxCodes, nameOf(kind)));
  }
}

void Diagnostician::lookAtInput(const PrecisionRow &row) {
  auto known = std::ranges::find(report.calibratedInputs, row.tensor,
                                 &CalibratedInput::tensor);
  const ValueSummary &values = row.metrics.reference;
  if (known != report.calibratedInputs.end() && values.count > 0) {
    const ValueSummary &calibrated = known->values;
    double own = values.deviation(), other = calibrated.deviation();
    double scale = own > 0 ? other / own : 1;
    // A set of darker pictures is narrower, but its zero is where it was.
    bool isMoved = std::abs(calibrated.mean - scale * values.mean) >
                   sameMean * std::max(own, other);
    bool isScaled = scale > sameDeviation || scale * otherUnits < 1;
    if (isMoved || isScaled) {
      add(row, Cause::InputPreparation,
          fmt::format("the samples of the calibration have mean {:.3g} and "
                      "standard deviation {:.3g}, those that are analyzed have "
                      "{:.3g} and {:.3g}",
                      calibrated.mean, other, values.mean, own));
      return;
    }
  }
  if (row.metrics.saturated > manySaturated)
    blameCodes(row, "");
}

void Diagnostician::lookAtLayer(const PrecisionRow &row) {
  if (row.metrics.isExact)
    return;
  bool isBad = row.metrics.similarity() < layerThreshold;
  bool isManyDead = double(row.metrics.deadChannels) >
                    manyDead * double(row.metrics.channels);
  const PrecisionRow *moved =
      row.moves && row.inputs.size() == 1 ? model.find(row.inputs[0]) : nullptr;
  // What was dead before it was moved has been named already.
  if (moved && moved->metrics.deadChannels > 0)
    return;
  bool isDead = row.metrics.deadChannels > 0 &&
                (isManyDead || model.readers(row.tensor).isOutput()) &&
                !losesNothingVisible(row);
  if (isDead || (isBad && row.metrics.deadChannels > 0))
    blameCodes(row, "");
  else if (isBad && !row.moves)
    blameOwner(row, model.errorOf(row));
}

/// Most classes are never likely, and nobody misses the thousandth part of a
/// probability. Of what only outputs consist of, the verdict knows which
/// channels hold something.
bool Diagnostician::losesNothingVisible(const PrecisionRow &row) const {
  LossModel::Readers readers = model.readers(row.tensor);
  bool isJudged = false;
  for (const PrecisionRow *output : judged) {
    if (std::ranges::find(readers.outputs, output->tensor) ==
        readers.outputs.end())
      continue;
    isJudged = true;
    for (const ChannelGroup &group : output->groups)
      if (!group.lost.channels.empty())
        return false;
  }
  return row.type == "Softmax" || (isJudged && readers.layers.empty());
}

/// Codes may also be wide because somebody else shares them.
bool Diagnostician::hasSeenMore(const PrecisionRow &row) const {
  auto seen = calibrated.find(row.tensor);
  return seen != calibrated.end() &&
         std::max(seen->second.high, 0.0) - std::min(seen->second.low, 0.0) >
             farWider * widthOf(row.metrics.reference);
}

void Diagnostician::lookAtPart(const AttributionRow &part) {
  const PrecisionRow *row = model.find(part.tensor);
  if (!row || part.total() < largePart * model.loss)
    return;
  if (part.weights > part.activations)
    blameWeights(*row);
  else
    blameCodes(*row, "");
}

void Diagnostician::blameOwner(const PrecisionRow &row,
                               const ErrorParts &error) {
  if (row.metrics.saturated > manySaturated)
    blameCodes(row, "");
  if (error.weights >= std::max(error.own, error.inputs))
    return blameWeights(row);
  if (error.own >= error.inputs)
    return blameCodes(row, "");
  // The coarsest of what it reads, in proportion to its values.
  const PrecisionRow *coarsest = nullptr;
  double most = 0;
  for (const std::string &input : row.inputs) {
    const PrecisionRow *read = model.find(input);
    if (!read || !read->codes)
      continue;
    const OutlierRow *outliers = model.outliers(input);
    double size = outliers ? outliers->peak.median
                           : std::sqrt(meanSquare(read->metrics.reference));
    double steps = size > 0 ? read->codes->scale / size : 0;
    if (steps > most) {
      most = steps;
      coarsest = read;
    }
  }
  if (!coarsest)
    return blameCodes(row, "");
  std::vector<const PrecisionRow *> makers = model.makers(coarsest->tensor);
  blameCodes(coarsest->moves && makers.size() == 1 ? *makers[0] : *coarsest,
             fmt::format("; {}, which reads it, keeps a cosine of {:.5f} by "
                         "itself",
                         row.node, row.metrics.similarity()));
}

/// The weights that make the loud channel of a result, of the layer itself or
/// of one before it that activations and the like only pass on. A channel
/// may be lifted by its bias as well.
const WeightRow *Diagnostician::loudWeights(const PrecisionRow &row,
                                            const ChannelPeak &peak) const {
  const PrecisionRow *maker = &row;
  for (int i = 0; i < passedOn && maker && !model.weights(maker->node); ++i)
    maker = maker->inputs.size() == 1 ? model.find(maker->inputs[0]) : nullptr;
  const WeightRow *weight = maker ? model.weights(maker->node) : nullptr;
  bool isLoud = weight && weight->outputs.channel == peak.channel &&
                weight->outputs.ratio() >= farAboveWeights &&
                model.bias(maker->node) < peak.largest / 2;
  return isLoud ? weight : nullptr;
}

/// The codes of a tensor cause the error: why are they so coarse?
void Diagnostician::blameCodes(const PrecisionRow &row,
                               const std::string &effect) {
  if (!row.codes)
    return;
  const ComparisonResult &metrics = row.metrics;
  const ValueSummary &values = metrics.reference;
  auto [low, high] = rangeOf(*row.codes);
  double step = row.codes->scale;
  bool isWide = high - low > farWider * widthOf(values);
  std::string wide = fmt::format("the codes cover {:.3g} … {:.3g}, the values "
                                 "lie in {:.3g} … {:.3g}",
                                 low, high, values.min, values.max);
  const OutlierRow *outliers = model.outliers(row.tensor);
  // A likely class is meant to be far above the others.
  bool hasPeak = outliers && row.type != "Softmax" &&
                 outliers->peak.ratio() >= farAboveOthers;
  const WeightRow *loud = hasPeak ? loudWeights(row, outliers->peak) : nullptr;
  bool isDead = metrics.deadChannels > 0 && !losesNothingVisible(row);
  std::string dead =
      fmt::format("{} of {} channels vary by less than half a step of {:.3g}",
                  metrics.deadChannels, metrics.channels, step);

  if (metrics.saturated > manySaturated) {
    bool isAbove = values.max - high >= low - values.min;
    add(row, Cause::Saturation,
        fmt::format("{} of the values lie beyond the calibrated range {:.3g} … "
                    "{:.3g}; they reach {:.3g}{}",
                    percent(metrics.saturated), low, high,
                    isAbove ? values.max : values.min, effect));
  } else if (isWide && hasSeenMore(row)) {
    add(row, Cause::WideRange, wide + (isDead ? "; " + dead : "") + effect);
  } else if (isDead && !loud) {
    add(row, Cause::DeadChannels, dead + (isWide ? "; " + wide : "") + effect);
  } else if (hasPeak) {
    const ChannelPeak &peak = outliers->peak;
    std::string facts = fmt::format(
        "channel {} reaches {:.3g}, the median channel {:.3g}, and one step is "
        "{:.3g}",
        peak.channel, peak.largest, peak.median, step);
    if (isDead)
      facts += "; " + dead;
    if (loud)
      add(row, Cause::WeightRange,
          fmt::format(
              "channel {} of the weights {}reaches {:.3g}, the median "
              "channel {:.3g}; of the result, {}{}",
              peak.channel,
              loud->node == row.node ? "" : fmt::format("of {} ", loud->node),
              loud->outputs.largest, loud->outputs.median, facts, effect));
    else
      add(row, Cause::ActivationOutliers, facts + effect);
  } else if (isWide) {
    add(row, Cause::CoarseStep, wide + effect);
  } else {
    double size = std::sqrt(meanSquare(values));
    add(row, Cause::CoarseStep,
        fmt::format("one step of {:.3g} is {} of the root mean square {:.3g} "
                    "of the values{}",
                    step, percent(size > 0 ? step / size : 0), size, effect));
  }
}

void Diagnostician::blameWeights(const PrecisionRow &row) {
  const WeightRow *weight = model.weights(row.node);
  if (!weight)
    return blameCodes(row, "");
  double signal = meanSquare(weight->floats);
  std::string facts = fmt::format(
      "codes of {} change its weights by {} of their size", weight->quantType,
      percent(signal > 0 ? std::sqrt(weight->mse / signal) : 0));
  for (auto [peak, side] : {std::pair(&weight->inputs, "what it reads"),
                            std::pair(&weight->outputs, "its result")})
    if (peak->ratio() >= farAboveWeights) {
      facts += fmt::format("; for channel {} of {} they reach {:.3g}, for the "
                           "median channel {:.3g}",
                           peak->channel, side, peak->largest, peak->median);
      break;
    }
  add(row, Cause::WeightRange, std::move(facts));
}

/// Outputs that are good by themselves suffer from others.
void Diagnostician::findUpstream() {
  for (const PrecisionTable &table : report.tables) {
    if (table.method != AnalysisMethod::EndToEnd)
      continue;
    for (const PrecisionRow &row : table.rows) {
      const PrecisionRow *alone = model.find(row.tensor);
      if (!row.isOutput || row.metrics.similarity() >= outputThreshold ||
          !alone || alone->metrics.similarity() < layerThreshold)
        continue;
      std::string facts =
          fmt::format("by itself it keeps {:.5f}, with what it reads {:.5f}",
                      alone->metrics.similarity(), row.metrics.similarity());
      std::vector<const AttributionRow *> worst;
      for (const AttributionRow &part : model.parts)
        if (part.total() >= largePart * model.loss && part.tensor != row.tensor)
          worst.push_back(&part);
      sortByKey(worst,
                [](const AttributionRow *part) { return -part->total(); });
      worst.resize(std::min<size_t>(worst.size(), 3));
      for (const AttributionRow *part : worst)
        facts += fmt::format("{} {} ({})",
                             part == worst[0] ? "; the most comes from" : ",",
                             part->node, percent(part->total() / model.loss));
      add(row, Cause::Upstream, std::move(facts));
    }
  }
}

} // namespace

std::vector<Diagnosis> diagnose(const PrecisionReport &report,
                                const SeenValues &calibrated) {
  return Diagnostician(report, calibrated).run();
}

} // namespace parallax
