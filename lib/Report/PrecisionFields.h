//===- PrecisionFields.h - The fields of the analysis file -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One list of fields per struct, which the writer and the reader both go
// through, so that neither knows a field that the other does not.
//
// An archive has these members:
//   archive(name, value)            a field that is always there;
//   archive.optional(name, value)   one that may be absent;
//   archive.unless(c, name, value)  one that is null if c holds;
//   archive.derived(name, value)    one that follows from others: it is only
//                                   written;
//   archive.embedded(name, value)   a text that is JSON itself;
//   archive.column(column, show)    a column of the printed table, and a
//                                   function that gives its text.
//
// A field of ComparisonResult is a column of the CSV file, too.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_REPORT_PRECISIONFIELDS_H
#define PARALLAX_LIB_REPORT_PRECISIONFIELDS_H

#include "PrecisionText.h"
#include "parallax/Analysis/OutputVerdict.h"

#include <cmath>
#include <concepts>
#include <fmt/format.h>
#include <type_traits>

namespace parallax {

/// Of the JSON file; grows if a field changes its meaning or goes away.
inline constexpr int precisionSchema = 1;

/// What is written from a constant, and read into a variable.
template <typename T, typename Of>
concept Like = std::same_as<std::remove_const_t<T>, Of>;

/// How many names an enumeration has.
template <typename Enum> inline constexpr int nameCount = 0;
template <> inline constexpr int nameCount<AnalysisMethod> = 2;
template <> inline constexpr int nameCount<AnalysisMode> = 2;
template <> inline constexpr int nameCount<SampleOrigin> = 3;
template <>
inline constexpr int nameCount<DifferenceClass> = int(DifferenceClass::Layout) +
                                                  1;
template <>
inline constexpr int nameCount<Cause> = int(Cause::MachineArithmetic) + 1;

template <typename Archive, Like<AffineParams> T>
void describe(Archive &archive, T &codes) {
  archive("scale", codes.scale);
  archive("zero_point", codes.zeroPoint);
  archive("low", codes.low);
  archive("high", codes.high);
}

template <typename Archive, Like<ValueSummary> T>
void describe(Archive &archive, T &values) {
  archive("count", values.count);
  archive("min", values.min);
  archive("max", values.max);
  archive("mean", values.mean);
  archive.derived("std", values.deviation());
  archive("variance", values.variance);
}

/// Integers and Booleans have no distance: it is null there.
template <typename Archive, Like<ComparisonResult> T>
void describe(Archive &archive, T &metrics) {
  bool isExact = metrics.isExact;
  auto distance = [&](std::string text) { return isExact ? "-" : text; };
  archive.unless(isExact, "cosine", metrics.cosine);
  archive.column(Column::number("Cosin"), [&] { return cosineText(metrics); });
  archive.unless(isExact, "mse", metrics.mse);
  archive.column(Column::number("MSE", 1),
                 [&] { return distance(fiveDecimals(metrics.mse)); });
  archive.derived("similarity", similarityOf(metrics));
  archive.unless(isExact, "sqnr_db", metrics.sqnrDb);
  archive.column(Column::number("SQNR dB", 7), [&] {
    return distance(fmt::format("{:.2f}", metrics.sqnrDb));
  });
  archive.unless(isExact, "max_abs", metrics.maxAbs);
  archive.unless(isExact, "max_steps", metrics.maxSteps);
  archive.column(Column::number("Max Error", 11),
                 [&] { return distance(stepsText(metrics)); });
  archive("worst_sample", metrics.worstSample);
  archive("worst_sample_cosine", metrics.worstSampleCosine);
  archive.column(Column::number("Worst Sample", 12), [&] {
    return worstText(metrics.worstSampleCosine, metrics.worstSample);
  });
  archive("channels", metrics.channels);
  archive("worst_channel", metrics.worstChannel);
  archive("worst_channel_cosine", metrics.worstChannelCosine);
  archive.column(Column::number("Worst Channel", 8), [&] {
    return worstText(metrics.worstChannelCosine, metrics.worstChannel);
  });
  archive("dead_channels", metrics.deadChannels);
  archive("sparse_channels", metrics.sparseChannels);
  archive("saturated", metrics.saturated);
  archive.column(Column::number("Saturated", 10),
                 [&] { return distance(partText(metrics.saturated)); });
  archive.column(Column::number("Dead Channels", 9), [&] {
    return partOfText(metrics.deadChannels, metrics.channels);
  });
  archive("rows", metrics.rows);
  archive.unless(metrics.rows == 0, "agreement", metrics.agreement);
  archive.optional("clearly_moved", metrics.clearlyMoved);
  archive.column(Column::number("Argmax", 13), [&] {
    return distance(
        partOfText(metrics.rows - movedRows(metrics), metrics.rows));
  });
  archive("is_exact", metrics.isExact);
  archive("samples", metrics.samples);
  archive("count", metrics.count);
  archive("nan_quantized", metrics.nanA);
  archive("nan_float", metrics.nanB);
  archive("inf_quantized", metrics.infA);
  archive("inf_float", metrics.infB);
  archive("special", metrics.special);
  archive.optional("unequal", metrics.unequal);
}

template <typename Archive, Like<ChannelRange> T>
void describe(Archive &archive, T &range) {
  archive("first", range.first);
  archive("last", range.last);
}

template <typename Archive, Like<LostChannels> T>
void describe(Archive &archive, T &lost) {
  archive("channels", lost.channels);
  archive("min", lost.min);
  archive("max", lost.max);
  archive("are_zero", lost.areZero);
}

template <typename Archive, Like<ChannelGroup> T>
void describe(Archive &archive, T &group) {
  archive("channels", group.channels);
  archive("min", group.min);
  archive("max", group.max);
  archive("is_constant", group.isConstant);
  archive("cosine", group.cosine);
  archive("samples", group.samples);
  archive("mean", group.mean);
  archive("std", group.deviation);
  archive("worst_sample", group.worstSample);
  archive("lowest", group.lowest);
  archive("highest", group.highest);
  archive("lost", group.lost);
}

template <typename Archive, Like<PrecisionRow> T>
void describe(Archive &archive, T &row) {
  archive("operator", row.node);
  archive.column(Column::text("Operator"), [&] { return row.node; });
  archive("type", row.type);
  archive.column(Column::label("Type", 5), [&] { return row.type; });
  archive("tensor", row.tensor);
  archive.column(Column::text("Output Tensor", 3), [&] { return row.tensor; });
  archive("shape", row.shape);
  archive.column(Column::label("Shape", 4),
                 [&] { return shapeText(row.shape); });
  archive("dtype", row.floatType);
  archive.column(Column::label("DType", 6), [&] { return row.floatType; });
  archive("qdtype", row.quantType);
  archive.column(Column::label("QDType", 2), [&] { return row.quantType; });
  archive("is_output", row.isOutput);
  describe(archive, row.metrics);
  archive.optional("codes", row.codes);
  archive.optional("inputs", row.inputs);
  archive.optional("cycles", row.cycles);
  archive.column(Column::number("Cycles", 14), [&] {
    return row.cycles > 0 ? fmt::format("{}", row.cycles) : std::string("-");
  });
  archive.optional("moves", row.moves);
  archive.optional("groups", row.groups);
  archive.optional("sample_cosines", row.sampleCosines);
  archive.optional("channel_errors", row.channelErrors);
  archive.optional("quantized", row.metrics.quantized);
  archive.optional("reference", row.metrics.reference);
}

template <typename Archive, Like<PrecisionTable> T>
void describe(Archive &archive, T &table) {
  archive("method", table.method);
  archive("mode", table.mode);
  archive("rows", table.rows);
  archive("unmatched", table.unmatched);
}

template <typename Archive, Like<ChannelPeak> T>
void describe(Archive &archive, T &peak) {
  archive("channel", peak.channel);
  archive("largest", peak.largest);
  archive("median", peak.median);
}

template <typename Archive, Like<OutlierRow> T>
void describe(Archive &archive, T &row) {
  archive("tensor", row.tensor);
  archive("channels", row.channels);
  archive("sparse", row.sparse);
  for (size_t i = 0; i < std::size(row.level); ++i)
    archive(fmt::format("level_{}", i + 3), row.level[i]);
  archive.optional("peak", row.peak);
}

template <typename Archive, Like<WeightRow> T>
void describe(Archive &archive, T &row) {
  archive("operator", row.node);
  archive("tensor", row.tensor);
  archive("shape", row.shape);
  archive("qdtype", row.quantType);
  archive("mse", row.mse);
  archive.optional("float", row.floats);
  archive.optional("quantized", row.quantized);
  archive.optional("output_peak", row.outputs);
  archive.optional("input_peak", row.inputs);
}

template <typename Archive, Like<CalibratedInput> T>
void describe(Archive &archive, T &input) {
  archive("tensor", input.tensor);
  archive.optional("values", input.values);
}

template <typename Archive, Like<AttributionRow> T>
void describe(Archive &archive, T &row) {
  archive("operator", row.node);
  archive("tensor", row.tensor);
  archive("type", row.type);
  archive("weights", row.weights);
  archive("activations", row.activations);
  archive.derived("total", row.total());
  archive.optional("alone", row.alone);
  archive.optional("alone_weights", row.aloneWeights);
}

template <typename Archive, Like<Attribution> T>
void describe(Archive &archive, T &attribution) {
  archive("mode", attribution.mode);
  archive("samples", attribution.samples);
  archive("measured", attribution.measured);
  archive.derived("attributed", attribution.attributed());
  archive.derived("gap", attribution.gap());
  archive.derived("closes", attribution.closes());
  archive.optional("approximated", attribution.approximated);
  archive("rows", attribution.rows);
}

template <typename Archive, Like<WaterfallRow> T>
void describe(Archive &archive, T &row) {
  archive("output", row.output);
  archive("optimization", row.optimization);
  archive("weights", row.weights);
  archive("activations", row.activations);
  archive("machine", row.machine);
  archive("has_machine", row.hasMachine);
  archive.optional("samples", row.samples);
}

template <typename Archive, Like<DifferenceExample> T>
void describe(Archive &archive, T &example) {
  archive("sample", example.sample);
  archive("index", example.index);
  archive("reference", example.reference);
  archive("machine", example.machine);
  archive("exact", example.exact);
  archive("operands", example.operands);
}

template <typename Archive, Like<BitDifference> T>
void describe(Archive &archive, T &difference) {
  archive("operator", difference.node);
  archive("tensor", difference.tensor);
  archive("type", difference.type);
  archive("elements", difference.elements);
  archive("differing", difference.differing);
  archive("max_codes", difference.maxCodes);
  archive("class", difference.difference);
  archive("is_first", difference.isFirst);
  archive("examples", difference.examples);
}

template <typename Archive, Like<Diagnosis> T>
void describe(Archive &archive, T &diagnosis) {
  archive("operator", diagnosis.node);
  archive("tensor", diagnosis.tensor);
  archive("cause", diagnosis.cause);
  archive("facts", diagnosis.facts);
  archive("loss", diagnosis.loss);
}

template <typename Archive, Like<ConfigEdit> T>
void describe(Archive &archive, T &edit) {
  archive("field", edit.field);
  archive.embedded("value", edit.value);
  archive("appends", edit.appends);
}

template <typename Archive, Like<Suggestion> T>
void describe(Archive &archive, T &suggestion) {
  archive("title", suggestion.title);
  archive("layers", suggestion.layers);
  archive("edits", suggestion.edits);
  archive("predicted_gain", suggestion.predictedGain);
  archive("extra_cycles", suggestion.extraCycles);
  archive.optional("executed_on", suggestion.executedOn);
}

template <typename Archive, Like<HistogramRow> T>
void describe(Archive &archive, T &row) {
  archive("operator", row.node);
  archive("tensor", row.tensor);
  archive("is_weight", row.isWeight);
  archive("channel", row.channel);
  archive.optional("samples", row.samples);
  archive.optional("clip", row.clip);
  archive("values", row.values);
  archive.optional("quantized", row.quantized);
}

template <typename Archive, Like<Histogram::Form> T>
void describe(Archive &archive, T &form) {
  archive("min", form.min);
  archive("max", form.max);
  archive("nan", form.nans);
  archive("inf", form.infs);
  archive("start", form.start);
  archive("width", form.width);
  archive("counts", form.counts);
}

template <typename Archive, Like<TaskOutcome> T>
void describe(Archive &archive, T &task) {
  archive("metric", task.metric);
  archive("loss", task.loss);
  archive("verdict", task.verdict);
  archive("sentence", task.sentence);
}

struct Thresholds {
  double output = outputThreshold, layer = layerThreshold, fall = fallThreshold;
  double good = goodCosine, goodSample = parallax::goodSample,
         badSample = parallax::badSample;
};

/// The verdict on an output, in one line of the file.
template <typename Archive, Like<JudgedOutput> T>
void describe(Archive &archive, T &output) {
  archive.derived("mode", output.table->mode);
  archive.derived("tensor", output.row->tensor);
  archive.derived("verdict", output.verdict.quality);
  archive.derived("reason", output.verdict.reason);
}

template <typename Archive, Like<Thresholds> T>
void describe(Archive &archive, T &thresholds) {
  archive("output", thresholds.output);
  archive("layer", thresholds.layer);
  archive("fall", thresholds.fall);
  archive("good", thresholds.good);
  archive("good_sample", thresholds.goodSample);
  archive("bad_sample", thresholds.badSample);
}

/// All but times, which differ from run to run.
template <typename Archive, Like<PrecisionReport> T>
void describe(Archive &archive, T &report) {
  archive("samples", report.samples);
  archive("sample_source", report.sampleSource);
  archive.optional("sample_origin", report.sampleOrigin);
  archive.optional("sample_names", report.sampleNames);
  archive.derived("thresholds", Thresholds{});
  archive.derived("passes", passes(report, outputThreshold));
  archive.derived("verdict", verdictText(report));
  archive.derived("outputs", judgeOutputs(report));
  archive("tables", report.tables);
  archive.optional("inputs", report.inputs);
  archive.optional("calibrated_inputs", report.calibratedInputs);
  archive("outliers", report.outliers);
  archive.optional("smoothed", report.isSmoothed);
  archive.optional("task", report.task);
  archive.optional("weights", report.weights);
  archive.optional("attribution", report.attribution);
  archive.optional("waterfall", report.waterfall);
  archive.optional("differences", report.differences);
  archive.optional("unexamined", report.unexamined);
  archive.optional("diagnoses", report.diagnoses);
  archive.optional("suggestions", report.suggestions);
  archive.optional("histograms", report.histograms);
}

} // namespace parallax

#endif // PARALLAX_LIB_REPORT_PRECISIONFIELDS_H
