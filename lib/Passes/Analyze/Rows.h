//===- Rows.h - What a report has beside comparisons -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Weights need no samples, and times no second view: they are found beside the
// sweep that compares layers.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_PASSES_ANALYZE_ROWS_H
#define PARALLAX_LIB_PASSES_ANALYZE_ROWS_H

#include "parallax/Passes/Analyze/Analyze.h"

namespace parallax::analyze {

/// "FP32", codes as configurations call them, and others as "INT64".
std::string typeName(DType type);

/// The constants that became codes, by layer and operand.
std::vector<WeightRow> weightsOf(AnalyzedNetwork views);

/// How long the kernels of the float network take on the first samples.
std::vector<TimeRow> timesOf(mlir::func::FuncOp network,
                             const AnalysisSamples &samples);

} // namespace parallax::analyze

#endif // PARALLAX_LIB_PASSES_ANALYZE_ROWS_H
