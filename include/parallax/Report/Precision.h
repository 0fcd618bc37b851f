//===- Precision.h - Tables, verdicts and files of an analysis -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The forms that people and programs read a precision analysis in. Titles and
// headings are those that scripts of users look for, so they are fixed.
// docs/precision-analysis.md says how to read them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_REPORT_PRECISION_H
#define PARALLAX_REPORT_PRECISION_H

#include "parallax/Analysis/PrecisionReport.h"
#include "parallax/Report/Table.h"

namespace parallax {

/// What an output has to reach with all errors accumulated.
inline constexpr double outputThreshold = 0.98;
/// What a layer has to reach by itself.
inline constexpr double layerThreshold = 0.999;
/// Where the accumulated error begins to matter.
inline constexpr double fallThreshold = 0.99;

/// What thresholds apply to: the cosine; of integers and truth values the part
/// that is equal. 0 if nothing was compared, or if one side has NaNs or
/// infinities that the other one does not have: such values are in no cosine.
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
/// Title, table and hint; nothing without outliers.
std::string renderOutliers(const std::vector<OutlierRow> &outliers,
                           const TableStyle &style = {});

/// The tables in words: whether outputs and layers are good enough, and where
/// it begins to go wrong. Lines of plain text.
std::string verdictText(const PrecisionReport &report);

/// Whether the EndToEnd similarity of every output is at least `failUnder`;
/// without such tables, the similarity of every row. What compared nothing
/// does not pass.
bool passes(const PrecisionReport &report, double failUnder);

/// precision_analysis_table.txt: all tables and the verdict, nothing cut.
std::string precisionTableText(const PrecisionReport &report,
                               bool full = false);

/// precision_analysis_table.csv: the rows of all tables with all digits.
std::string precisionTableCsv(const PrecisionReport &report);

/// precision_analysis_table.json: everything. Infinite numbers are the strings
/// "inf" and "-inf".
std::string precisionJson(const PrecisionReport &report);

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
