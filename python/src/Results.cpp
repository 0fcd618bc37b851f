//===- Results.cpp - Results of the library for Python --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Tables are long: a row for each layer, method and mode, whose cells are plain
// numbers and texts.
//===----------------------------------------------------------------------===//
#include "Results.h"

#include <pybind11/stl.h>

namespace parallax::python {
namespace {

using namespace py::literals;

template <typename Range, typename Fn>
py::list listOf(const Range &range, Fn record) {
  py::list list;
  for (const auto &each : range)
    list.append(record(each));
  return list;
}

py::object pathOf(const std::filesystem::path &path) {
  return path.empty() ? py::object(py::none()) : py::str(path.string());
}

py::list editsOf(const std::vector<ConfigEdit> &edits) {
  return listOf(edits, [](const ConfigEdit &edit) {
    return py::dict("field"_a = edit.field, "value"_a = edit.value,
                    "appends"_a = edit.appends);
  });
}

py::dict filesOf(const CompileFiles &files) {
  return py::dict("log"_a = pathOf(files.log),
                  "optimized_model"_a = pathOf(files.optimizedModel),
                  "calibration"_a = pathOf(files.calibration),
                  "quantized_model"_a = pathOf(files.quantizedModel),
                  "compiled_model"_a = pathOf(files.compiledModel),
                  "analysis_text"_a = pathOf(files.analysisText),
                  "analysis_json"_a = pathOf(files.analysisJson),
                  "suggestions"_a = pathOf(files.suggestions),
                  "suggested_config"_a = pathOf(files.suggestedConfig),
                  "report"_a = pathOf(files.report));
}

py::list layersOf(const std::vector<LayerScores> &layers) {
  py::list list;
  for (const LayerScores &layer : layers)
    for (const PrecisionScore &score : layer.scores)
      list.append(py::dict("layer"_a = layer.layer, "tensor"_a = layer.tensor,
                           "op"_a = layer.op, "type"_a = layer.type,
                           "cycles"_a = layer.cycles, "method"_a = score.method,
                           "mode"_a = score.mode, "cosine"_a = score.cosine,
                           "mse"_a = score.mse));
  return list;
}

py::list metricsOf(const Accuracy &accuracy) {
  py::list list;
  for (const NetworkAccuracy &network : accuracy.networks)
    for (const MetricResult &metric : network.metrics)
      list.append(py::dict(
          "network"_a = network.network, "metric"_a = metric.name,
          "value"_a = metric.value.value, "low"_a = metric.value.low,
          "high"_a = metric.value.high, "loss"_a = metric.loss.value,
          "loss_low"_a = metric.loss.low, "loss_high"_a = metric.loss.high,
          "higher_is_better"_a = metric.higherIsBetter));
  return list;
}

py::dict trialOf(const TrialRecord &trial) {
  return py::dict(
      "number"_a = trial.number, "purpose"_a = trial.purpose,
      "metric"_a = trial.metric.value, "metric_low"_a = trial.metric.low,
      "metric_high"_a = trial.metric.high, "loss"_a = trial.loss.value,
      "cycles"_a = trial.cycles, "samples"_a = trial.samples,
      "seconds"_a = trial.seconds, "failure"_a = trial.failure,
      "digest"_a = trial.digest, "edits"_a = editsOf(trial.edits));
}

py::object validatedOf(const std::optional<ValidatedMetric> &found) {
  if (!found)
    return py::none();
  return py::dict("float"_a = found->floats, "metric"_a = found->metric.value,
                  "loss"_a = found->loss.value, "loss_low"_a = found->loss.low,
                  "loss_high"_a = found->loss.high,
                  "samples"_a = found->samples);
}

} // namespace

py::dict recordOf(const Accuracy &accuracy) {
  return py::dict(
      "task"_a = accuracy.task, "samples"_a = accuracy.samples,
      "metrics"_a = metricsOf(accuracy),
      "has_intervals"_a = accuracy.hasIntervals,
      "classes"_a = listOf(accuracy.classes,
                           [](const ClassAccuracy &each) {
                             return py::dict("name"_a = each.name,
                                             "count"_a = each.count,
                                             "values"_a = each.values);
                           }),
      "changed"_a = listOf(accuracy.changed,
                           [](const ChangedAnswer &each) {
                             return py::dict("sample"_a = each.sample,
                                             "expected"_a = each.expected,
                                             "before"_a = each.before,
                                             "after"_a = each.after,
                                             "loss"_a = each.loss);
                           }),
      "changed_count"_a = accuracy.changedCount,
      "tolerable_loss"_a = accuracy.tolerableLoss,
      "verdict"_a = accuracy.isCompared()
                        ? py::object(py::str(nameOf(accuracy.verdict)))
                        : py::object(py::none()),
      "sentence"_a = accuracy.sentence);
}

py::dict recordOf(const CompileResult &result) {
  return py::dict(
      "outputs"_a = listOf(
          result.outputs,
          [](const OutputPrecision &output) {
            return py::dict("name"_a = output.name, "cosine"_a = output.cosine,
                            "worst_sample"_a = output.worstSample,
                            "worst_sample_cosine"_a = output.worstSampleCosine,
                            "verdict"_a = output.verdict,
                            "reason"_a = output.reason);
          }),
      "layers"_a = layersOf(result.layers),
      "diagnoses"_a = listOf(
          result.diagnoses,
          [](const Diagnosis &found) {
            return py::dict("layer"_a = found.node, "tensor"_a = found.tensor,
                            "cause"_a = std::string(nameOf(found.cause)),
                            "facts"_a = found.facts, "loss"_a = found.loss);
          }),
      "suggestions"_a = listOf(
          result.suggestions,
          [](const Suggestion &each) {
            return py::dict("title"_a = each.title, "layers"_a = each.layers,
                            "edits"_a = editsOf(each.edits),
                            "predicted_gain"_a = each.predictedGain,
                            "extra_cycles"_a = each.extraCycles);
          }),
      "accuracy"_a = result.accuracy ? py::object(recordOf(*result.accuracy))
                                     : py::object(py::none()),
      "cycles"_a = result.cycles,
      "is_precise_enough"_a = result.isPreciseEnough,
      "files"_a = filesOf(result.files));
}

py::dict recordOf(const TuneResult &result) {
  return py::dict(
      "metric"_a = result.metric, "tolerable_loss"_a = result.tolerableLoss,
      "is_met"_a = result.isMet, "ended"_a = result.ended,
      "trials"_a = listOf(result.trials, trialOf),
      "base"_a = trialOf(result.base), "best"_a = trialOf(result.best),
      "base_validated"_a = validatedOf(result.baseValidated),
      "best_validated"_a = validatedOf(result.bestValidated),
      "history"_a = pathOf(result.history),
      "tuned_config"_a = pathOf(result.tunedConfig),
      "compiled_model"_a = pathOf(result.compiledModel),
      "report_file"_a = pathOf(result.report));
}

} // namespace parallax::python
