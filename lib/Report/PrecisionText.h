//===- PrecisionText.h - What the writers of analyses share ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A shape or a cosine reads the same in every table, file and sentence.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_REPORT_PRECISIONTEXT_H
#define PARALLAX_LIB_REPORT_PRECISIONTEXT_H

#include "parallax/Report/Precision.h"

namespace parallax {

/// As Python writes tuples: "(1, 32, 112, 112)", "(8,)", "()".
std::string shapeText(const Shape &shape);

/// The number under Cosin, with five decimals.
std::string cosineText(const PrecisionRow &row);

/// "the largest element is at another place in 1 of 8 rows"; nothing if it is
/// nowhere, or if nobody looked.
std::string movedRowsText(const ComparisonResult &metrics);

} // namespace parallax

#endif // PARALLAX_LIB_REPORT_PRECISIONTEXT_H
