//===- PrecisionText.h - What the writers of analyses share ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A shape or a cosine reads the same in every table, file and sentence.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_REPORT_PRECISIONTEXT_H
#define PARALLAX_LIB_REPORT_PRECISIONTEXT_H

#include "parallax/Report/Precision.h"

#include <span>

namespace parallax {

/// As Python writes tuples: "(1, 32, 112, 112)", "(8,)", "()".
std::string shapeText(const Shape &shape);

/// The number under Cosin, with five decimals.
std::string cosineText(const ComparisonResult &metrics);

/// Five decimals, as long as that is readable.
std::string fiveDecimals(double value);

/// Percent. A part that is not zero never looks like zero.
std::string partText(double part);

/// "3/32"; "-" of nothing.
std::string partOfText(int64_t part, int64_t whole);

/// "0.98123 (3)": a cosine, and the index of whom it belongs to; "-" if that is
/// negative.
std::string worstText(double cosine, int64_t index);

/// The largest error in steps of codes; "-" without codes.
std::string stepsText(const ComparisonResult &metrics);

/// The rows whose largest element is at another place.
int64_t movedRows(const ComparisonResult &metrics);

/// "the largest element is at another place in 1 of 8 rows"; empty if
/// there are no such rows, or if they were not compared.
std::string movedRowsText(const ComparisonResult &metrics);

/// " (the first 2 of 8 samples)", where not all samples were looked at; empty
/// where they were, or where that is not known.
std::string firstSamplesText(int64_t samples, int64_t all);

/// "a, b and 3 more": printable names, no more than `maxNames`.
std::string listed(std::span<const std::string> names, size_t maxNames);

} // namespace parallax

#endif // PARALLAX_LIB_REPORT_PRECISIONTEXT_H
