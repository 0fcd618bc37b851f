//===- FloatChanges.h - Changes of a network, to read ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What was changed before quantizing, as tables for the screen and as a file.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_REPORT_FLOATCHANGES_H
#define PARALLAX_REPORT_FLOATCHANGES_H

#include "parallax/Analysis/FloatChanges.h"
#include "parallax/Report/Table.h"

namespace parallax {

Table scaledPairTable(const std::vector<ScaledPair> &pairs);
Table tunedRangeTable(const std::vector<TunedRange> &ranges);
Table correctedLayerTable(const std::vector<CorrectedLayer> &layers);
Table verdictTable(const std::vector<NetworkVerdict> &verdicts);

/// quant/float_changes.json.
std::string toJson(const FloatChanges &changes);

} // namespace parallax

#endif // PARALLAX_REPORT_FLOATCHANGES_H
