//===- Suggest.cpp - What to change in the configuration ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Candidates come from diagnoses and from the largest parts of the loss. Types
// are tried out in memory, so a prediction includes the layers whose types
// change as well.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Suggest.h"
#include "parallax/Analysis/LossModel.h"

#include "parallax/Analysis/OutputVerdict.h"
#include "parallax/Analysis/Widening.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace parallax {
namespace {

constexpr size_t mostSuggestions = 5;
/// The loss to aim at for outputs below the threshold, and the loss that is
/// good enough; for other outputs, the same as parts of their loss. Dead
/// channels are handled apart from the loss.
constexpr double aimedLoss = 0.01, goodLoss = 0.015;
constexpr double aimedPart = 0.3, goodPart = 0.5;
/// Changes with a smaller gain are not listed.
constexpr double smallGain = 0.05, leastGain = 1e-4;
constexpr int mostAttempts = 4;
/// Codes that are finer by this factor give a dead channel its life back.
constexpr double muchFiner = 16;
/// What costs nothing and was seen to leave no more than this part of the loss
/// is tried before anything that is paid for.
constexpr double cheaplyLeft = 0.25;
/// SmoothQuant is suggested for channels this far above the median one.
constexpr double worthSmoothing = 8;

/// The mean squared error of `levels` codes over a range.
double errorOf(const Histogram &values, Interval range, int64_t levels) {
  double step = (range.high - range.low) / double(levels - 1);
  double sum = 0;
  for (size_t i = 0; i < values.counts().size(); ++i) {
    double center = values.binStart(i) + values.binWidth() / 2;
    double beyond = std::max({center - range.high, range.low - center, 0.0});
    sum += double(values.counts()[i]) * beyond * beyond;
  }
  double count = double(std::max<int64_t>(values.count(), 1));
  return sum / count + step * step / 12;
}

class Suggester {
public:
  Suggester(const PrecisionReport &report, const SuggestOptions &options)
      : report(report), options(options), model(report),
        hasBadOutput(std::ranges::any_of(
            judgeFinalOutputs(report), [](const JudgedOutput &output) {
              return output.verdict.quality == OutputQuality::Bad;
            })) {
    for (const Diagnosis &diagnosis : report.diagnoses)
      if (diagnosis.cause == Cause::DeadChannels)
        dead.push_back(diagnosis.tensor);
    // Where outputs lose something and none is bad, nobody misses the channels:
    // what reduces the loss comes first.
    if (!hasBadOutput && model.worstLoss > aimedLoss)
      dead.clear();
    bool isBad = model.worstLoss > 1 - outputThreshold;
    aim = good = model.loss;
    if (isBad || dead.empty()) {
      aim *= isBad ? aimedLoss / model.worstLoss : aimedPart;
      good *= isBad ? goodLoss / model.worstLoss : goodPart;
    }
  }

  std::vector<Suggestion> run() {
    if (report.diagnoses.empty() || areOutputsGood(report))
      return {};
    suggestCalibration();
    suggestSmoothing();
    suggestWidening();
    suggestHighest();
    sortByKey(found, [this](const Candidate &candidate) {
      const Suggestion &suggestion = candidate.suggestion;
      bool isFree = suggestion.executedOn > 0 && suggestion.extraCycles <= 0 &&
                    suggestion.predictedGain >= (1 - cheaplyLeft) * model.loss;
      return std::tuple(!candidate.isRemedy, !isFree, !candidate.repairs,
                        candidate.repairs ? suggestion.extraCycles : 0,
                        -suggestion.predictedGain);
    });
    std::vector<Suggestion> result;
    for (size_t i = 0; i < std::min(found.size(), mostSuggestions); ++i)
      result.push_back(std::move(found[i].suggestion));
    return result;
  }

private:
  struct Candidate {
    Suggestion suggestion;
    /// It removes the cause, where all else would only hide it.
    bool isRemedy = false;
    /// All outputs get what they need, and all channels come to life.
    bool repairs = false;
  };

  bool has(Cause cause) const {
    return std::ranges::find(report.diagnoses, cause, &Diagnosis::cause) !=
           report.diagnoses.end();
  }

  void add(std::string title, std::vector<std::string> layers,
           std::vector<ConfigEdit> edits, double left, int64_t extraCycles,
           bool revives, bool isRemedy = false) {
    double gain = model.loss - left;
    bool helps = gain >= std::max(smallGain * model.loss, leastGain);
    if (!helps && !(revives && !dead.empty()))
      return;
    // Dead channels inside of a network that works are not a reason alone.
    bool isNeeded = helps || hasBadOutput;
    found.push_back({{std::move(title), std::move(layers), std::move(edits),
                      gain, extraCycles},
                     isRemedy,
                     isNeeded && left <= good && (dead.empty() || revives)});
  }

  void suggestCalibration();
  void suggestMethod();
  void suggestSmoothing();
  void suggestWidening();
  void suggestHighest();

  bool hasForeignSamples() const;
  bool revivesRecalibrated() const;
  bool revives(const Trial &trial) const;
  /// Whether all who read the result of a layer get finer codes.
  bool isFiner(const std::string &node, const Trial &trial) const;
  void widen(const AttributionRow &part, bool isWeight, Widening &wide) const;
  void widenTensor(const std::string &tensor, Widening &wide) const;
  double predictMse() const;
  double predictMinMax() const;

  const PrecisionReport &report;
  const SuggestOptions &options;
  LossModel model;
  bool hasBadOutput;
  double aim = 0, good = 0;
  std::vector<std::string> dead;
  std::vector<Candidate> found;
};

void Suggester::suggestCalibration() {
  constexpr const char *field = "quant.calibration_method";
  if (!options.inputConfigs.empty()) {
    add("calibrate on the analyzed samples", {},
        {{"quant.input_configs", options.inputConfigs, false}},
        model.predictRecalibrated(), 0, revivesRecalibrated(),
        hasForeignSamples());
    return;
  }
  if (options.partLeft)
    return suggestMethod();
  if (options.calibrationMethod != QuantMethod::MinMax) {
    if (has(Cause::Saturation))
      add("let ranges cover all values of the calibration", {},
          {{field, "\"MinMax\"", false}}, predictMinMax(), 0,
          /*revives=*/false);
    return;
  }
  add("let ranges leave out rare values", {}, {{field, "\"MSE\"", false}},
      predictMse(), 0, /*revives=*/false);
}

/// The best of the methods that were executed.
void Suggester::suggestMethod() {
  std::optional<QuantMethod> best;
  double least = 1;
  for (const auto &[method, name] : enumNames<QuantMethod>())
    if (method != options.calibrationMethod)
      if (std::optional<double> left = options.partLeft(method);
          left && *left < least) {
        least = *left;
        best = method;
      }
  if (!best)
    return;
  add(*best == QuantMethod::MinMax
          ? "let ranges cover all values of the calibration"
          : "let ranges leave out rare values",
      {},
      {{"quant.calibration_method", fmt::format("\"{}\"", configName(*best)),
        false}},
      least * model.loss, 0, /*revives=*/false);
  if (!found.empty())
    found.back().suggestion.executedOn = options.executedOn;
}

/// Errors of cut values all point in one direction, so that not all of what a
/// smaller square promises arrives.
double Suggester::predictMse() const {
  constexpr int64_t levels = 256;
  std::map<std::string, double> kept;
  for (const HistogramRow &row : report.histograms) {
    const PrecisionRow *tensor = model.find(row.tensor);
    if (row.isWeight || row.channel >= 0 || !tensor || !tensor->codes ||
        tensor->codes->high - tensor->codes->low >= levels ||
        row.values.count() == 0)
      continue;
    auto [low, high] = rangeOf(*tensor->codes);
    double now = errorOf(row.values, {low, high}, levels);
    double best = errorOf(row.values, mseRange(row.values, levels), levels);
    if (now > 0 && best < now)
      kept[row.tensor] = (1 + best / now) / 2;
  }
  return model.predictScaled(kept);
}

/// A range of all values that the calibration has seen may be much wider than
/// what the analyzed samples hold.
double Suggester::predictMinMax() const {
  return model.predictSteps([&](const PrecisionRow &row) {
    auto seen = options.calibrated.find(row.tensor);
    return seen == options.calibrated.end()
               ? model.recalibratedStep(row)
               : stepOver(seen->second.low, seen->second.high, *row.codes);
  });
}

/// Only what is read by products alone can be scaled, because their weights
/// take it back, and only where a layer that makes it has factors to change.
void Suggester::suggestSmoothing() {
  if (options.smoothQuant)
    return;
  std::map<std::string, double> kept;
  LayerList layers;
  for (const OutlierRow &row : report.outliers) {
    LossModel::Readers readers = model.readers(row.tensor);
    bool isScalable =
        !readers.isOutput() && !readers.layers.empty() &&
        std::ranges::all_of(readers.layers, [&](const PrecisionRow *reader) {
          return model.weights(reader->node);
        });
    std::vector<const PrecisionRow *> makers = model.makers(row.tensor);
    isScalable &= !makers.empty() &&
                  std::ranges::all_of(makers, [&](const PrecisionRow *maker) {
                    return model.weights(maker->node) ||
                           maker->type.ends_with("Normalization");
                  });
    double ratio = row.peak.ratio();
    if (!isScalable || ratio < worthSmoothing)
      continue;
    // With a strength of 0.6, magnitudes keep a power of 0.4.
    kept[row.tensor] = std::pow(ratio, -1.2);
    for (const PrecisionRow *reader : readers.layers)
      layers.add(reader->node);
  }
  if (!kept.empty())
    add("move outliers of activations into weights (SmoothQuant)", layers.names,
        {{"quant.enable_smooth_quant", "true", false}},
        model.predictScaled(kept), 0, /*revives=*/false);
}

/// A tensor has the type that its readers want; where only the user of the
/// network reads it, that of the layer which makes it.
void Suggester::widenTensor(const std::string &tensor, Widening &wide) const {
  LossModel::Readers readers = model.readers(tensor);
  for (const PrecisionRow *reader : readers.layers)
    wide.data.add(reader->node);
  if (readers.isOutput())
    for (const PrecisionRow *maker : model.makers(tensor))
      wide.results.add(maker->node);
}

void Suggester::widen(const AttributionRow &part, bool isWeight,
                      Widening &wide) const {
  if (isWeight)
    wide.weights.add(part.node);
  else
    widenTensor(part.tensor, wide);
}

/// Whether the inputs themselves don't fit the calibration.
bool Suggester::hasForeignSamples() const {
  return std::ranges::any_of(report.diagnoses, [&](const Diagnosis &diagnosis) {
    const PrecisionRow *row = model.find(diagnosis.tensor);
    return diagnosis.cause == Cause::InputPreparation ||
           (diagnosis.cause == Cause::Saturation && row &&
            row->type == inputType);
  });
}

bool Suggester::revivesRecalibrated() const {
  return std::ranges::all_of(dead, [&](const std::string &tensor) {
    const PrecisionRow *row = model.find(tensor);
    return row && row->codes &&
           model.recalibratedStep(*row) * muchFiner <= row->codes->scale;
  });
}

bool Suggester::revives(const Trial &trial) const {
  return std::ranges::all_of(dead, [&](const std::string &tensor) {
    const PrecisionRow *row = model.find(tensor);
    auto codes = trial.codes.find(tensor);
    return !row || !row->codes || codes == trial.codes.end() ||
           codes->second.scale * muchFiner <= row->codes->scale;
  });
}

bool Suggester::isFiner(const std::string &node, const Trial &trial) const {
  return std::ranges::any_of(model.layers(), [&](const PrecisionRow &row) {
    auto codes = trial.codes.find(row.tensor);
    return row.node == node && (!row.codes || codes == trial.codes.end() ||
                                codes->second.scale < row.codes->scale);
  });
}

void Suggester::suggestWidening() {
  if (!options.attempt)
    return;
  struct Part {
    double loss;
    const AttributionRow *row;
    bool isWeight;
  };
  std::vector<Part> parts;
  for (const AttributionRow &row : model.parts) {
    parts.push_back({row.activations, &row, false});
    parts.push_back({row.weights, &row, true});
  }
  // Small ones come last: they are only taken if the goal needs them.
  std::erase_if(parts, [](const Part &part) { return part.loss <= 0; });
  sortByKey(parts, [](const Part &part) { return -part.loss; });

  Widening wide;
  for (const std::string &tensor : dead)
    widenTensor(tensor, wide);
  double remaining = 0, wanted = aim;
  for (const AttributionRow &row : model.parts)
    remaining += row.total();
  size_t next = 0;
  // Sums of parts have rounding errors.
  constexpr double slightly = 1 + 1e-9;
  for (int i = 0; i < mostAttempts; ++i, wanted /= 2) {
    size_t before = next;
    for (; next < parts.size() &&
           model.lossOfParts(remaining) > wanted * slightly;
         ++next) {
      widen(*parts[next].row, parts[next].isWeight, wide);
      remaining -= parts[next].loss;
    }
    std::vector<ConfigEdit> edits = wide.edits();
    if (edits.empty() || (i > 0 && next == before))
      return;
    // What is needed nearly everywhere is better said so.
    if (2 * wide.size() > model.layers().size() && wide.size() > 4)
      return;
    std::optional<Trial> trial = options.attempt(edits);
    // What is read in 8 bits all the same is not worth its cycles.
    if (trial && std::erase_if(wide.results.names, [&](const auto &node) {
                   return !isFiner(node, *trial);
                 }) > 0) {
      edits = wide.edits();
      trial = edits.empty() ? std::nullopt : options.attempt(edits);
    }
    if (!trial)
      continue;
    double left = model.predict(*trial);
    std::vector<std::string> layers = wide.layers();
    add(fmt::format("16 bits for {} layer{}", layers.size(),
                    layers.size() == 1 ? "" : "s"),
        layers, std::move(edits), left, trial->cycles - options.cycles,
        revives(*trial));
    if (left <= good)
      return;
  }
}

void Suggester::suggestHighest() {
  if (options.highestMixPrecision || !options.attempt || !hasBadOutput)
    return;
  std::vector<ConfigEdit> edits = {
      {"quant.highest_mix_precision", "true", false}};
  if (std::optional<Trial> trial = options.attempt(edits))
    add("16 bits everywhere", {}, edits, model.predict(*trial),
        trial->cycles - options.cycles, revives(*trial));
}

} // namespace

std::vector<Suggestion> suggest(const PrecisionReport &report,
                                const SuggestOptions &options) {
  return Suggester(report, options).run();
}

} // namespace parallax
