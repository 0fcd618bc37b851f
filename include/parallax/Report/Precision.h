//===- Precision.h - Tables, verdicts and files of an analysis -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A precision analysis as tables, text and files. Titles and headings are
// fixed, because scripts of users look for them. docs/precision-analysis.md
// says how to read them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_REPORT_PRECISION_H
#define PARALLAX_REPORT_PRECISION_H

#include "parallax/Analysis/PrecisionReport.h"
#include "parallax/Report/Table.h"

#include <filesystem>

namespace parallax {

/// What thresholds apply to.
double similarityOf(const ComparisonResult &metrics);

/// "Quant Precision Table【PerLayer Reference】".
std::string precisionTitle(AnalysisMethod method, AnalysisMode mode);

/// One row for each result of each layer, in the order of the network; `full`
/// adds the columns beyond Cosin and MSE.
Table precisionTable(const PrecisionTable &table, bool full);

/// Lines to read under the table: NaNs and infinities, rows in which Cosin is
/// no cosine, tensors that were not compared. No list has more than `maxNames`
/// names; what is beyond is counted.
std::string precisionNotes(const PrecisionTable &table, size_t maxNames);

/// Title, table and notes. With a limited width, names are shortened and lists
/// cut to what fits a screen; without one everything is there.
std::string renderPrecision(const PrecisionTable &table, bool full,
                            const TableStyle &style = {});

/// "Ratio of outliers in tensor【 level=Log(Max_Pertensor/Max_Perchannel) 】".
std::string outlierTitle();
Table outlierTable(const std::vector<OutlierRow> &outliers);
/// What to do about outliers, as one line.
std::string outlierHint();
/// Title and table, and the hint unless all outputs are good or it was
/// followed; nothing without outliers.
std::string renderOutliers(const PrecisionReport &report,
                           const TableStyle &style = {});

/// The outputs after each stage: cosines with the imported network, and in
/// brackets what the stage changed.
std::string waterfallTitle();
Table waterfallTable(const std::vector<WaterfallRow> &rows);
/// Title, the samples that were looked at, and table; nothing without rows.
std::string renderWaterfall(const PrecisionReport &report,
                            const TableStyle &style = {});

/// "Bits of NPUBackend and Reference, given the same codes".
std::string differencesTitle();
Table differencesTable(const std::vector<const BitDifference *> &rows);
/// Title, table and examples; nothing without differences. Of more than
/// `maxRows` layers the worst are shown, else all in the order of the network.
/// With a limited width, only faults have examples.
std::string renderDifferences(const PrecisionReport &report, size_t maxRows,
                              const TableStyle &style = {});
/// The same in words, for the verdict; nothing if only one mode was analyzed.
std::string differencesVerdict(const PrecisionReport &report);

/// How many samples were compared, where they come from, and whether the
/// network was calibrated on them.
std::string comparedSamples(const PrecisionReport &report);

/// The tables in words: whether outputs and layers are good enough, and where
/// it begins to go wrong. Lines of plain text.
std::string verdictText(const PrecisionReport &report);

/// The causes with the facts that they were read off, at most `maxRows`;
/// nothing without diagnoses.
std::string renderDiagnoses(const PrecisionReport &report, size_t maxRows);

/// Changes of the configuration with their predictions; nothing without them.
std::string renderSuggestions(const PrecisionReport &report);

/// suggestions.json.
std::string suggestionsJson(const PrecisionReport &report);

/// A network before and after suggestions were applied.
struct Application {
  const PrecisionReport *before = nullptr, *after = nullptr;
  double predictedGain = 0;
  int64_t cyclesBefore = 0, cyclesAfter = 0;
  /// As predicted.
  int64_t extraCycles = 0;
  /// The cycles are not all of the compiled model.
  bool hasInputProcessors = false;
};
/// What was promised, and what came of it.
std::string renderApplied(const Application &applied,
                          const TableStyle &style = {});

/// Of the outputs with all errors accumulated, as the last mode has them and by
/// the channels that decide; 1 if there are none.
double meanSimilarity(const PrecisionReport &report);

/// The channels that codes kill in layers by themselves.
int64_t deadChannels(const PrecisionReport &report);

/// Whether an analysis is the worse one of two: that outputs pass counts most,
/// then dead channels, then how good the weakest channels of outputs are.
bool isWorse(const PrecisionReport &before, const PrecisionReport &after);

/// Whether all outputs could be judged, none is bad, and the EndToEnd
/// similarity of each is at least `failUnder`.
bool passes(const PrecisionReport &report, double failUnder);

/// precision_analysis_table.txt: all tables and the verdict, nothing cut.
std::string precisionTableText(const PrecisionReport &report,
                               bool full = false);

/// precision_analysis_table.csv: the rows of all tables with all digits.
std::string precisionTableCsv(const PrecisionReport &report);

/// precision_analysis_table.json: everything. Infinite numbers are the strings
/// "inf" and "-inf".
std::string precisionJson(const PrecisionReport &report);

/// The analysis that such a file holds, all but the times. Fields that are not
/// known are skipped. Throws Error, with the file and the field, if the
/// file has another format or a newer schema.
PrecisionReport readPrecisionJson(const std::filesystem::path &path);
/// The same from memory; `file` is what error messages name.
PrecisionReport parsePrecisionJson(std::string_view text,
                                   std::string_view file);

/// weights_table.csv and activations_table.csv: how the values of floats and of
/// codes lie, the largest MSE first, with all digits. Activations are those of
/// the first PerLayer table; what has no finite pair of floats is left out.
std::string weightsTableCsv(const PrecisionReport &report);
std::string activationsTableCsv(const PrecisionReport &report);

/// Title and at most `maxRows` of the worst rows; nothing without rows.
std::string renderWeights(const PrecisionReport &report, size_t maxRows,
                          const TableStyle &style = {});
std::string renderActivations(const PrecisionReport &report, size_t maxRows,
                              const TableStyle &style = {});

/// The layers that outputs lose most to, at most `maxRows` of them, and how
/// much of the loss all layers explain together; nothing if it was not asked
/// for.
std::string renderAttribution(const PrecisionReport &report, size_t maxRows,
                              const TableStyle &style = {});
/// attribution_table.csv: all layers, with all digits.
std::string attributionTableCsv(const PrecisionReport &report);

/// profiling_table.csv: the kernels of the float network, the slowest first.
std::string profilingTableCsv(const PrecisionReport &report);

/// The layer that makes tensor `to` reads tensor `from`.
struct PrecisionEdge {
  std::string from, to;
};

/// precision_analysis.mmd: a Mermaid flow chart of the layers, coloured by the
/// similarity in the first table that has them. Tensors that only edges know
/// are drawn as not compared.
std::string precisionMermaid(const PrecisionReport &report,
                             const std::vector<PrecisionEdge> &edges);

} // namespace parallax

#endif // PARALLAX_REPORT_PRECISION_H
