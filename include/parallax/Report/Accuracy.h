//===- Accuracy.h - How well networks do their task, to read ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The result of an evaluation for a screen and for programs.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_REPORT_ACCURACY_H
#define PARALLAX_REPORT_ACCURACY_H

#include "parallax/Analysis/Accuracy.h"
#include "parallax/Report/Table.h"

namespace parallax {

/// The metrics of all networks side by side, with the loss and its interval.
Table accuracyTable(const Accuracy &accuracy);

/// The table, the classes that lose most, the samples whose answers changed,
/// and the verdict.
std::string renderAccuracy(const Accuracy &accuracy,
                           const TableStyle &style = {});

/// accuracy.json: everything but boxes.
std::string accuracyJson(const Accuracy &accuracy);

/// changed.json: the boxes of samples whose answers changed, to be drawn.
/// Empty if there are none.
std::string changedJson(const Accuracy &accuracy);

} // namespace parallax

#endif // PARALLAX_REPORT_ACCURACY_H
