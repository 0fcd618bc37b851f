//===- Alignments.h - What becomes of tensors that meet, to read *- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The decisions about scales of tensors that meet, as a file and as a line.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_REPORT_ALIGNMENTS_H
#define PARALLAX_REPORT_ALIGNMENTS_H

#include "parallax/Analysis/Alignments.h"

#include <vector>

namespace parallax {

/// quant/shared_scales.json.
std::string toJson(const std::vector<AlignmentChoice> &choices);

/// One line about layers that get floats, and about tensors of which a common
/// scale leaves next to nothing; empty if there are none.
std::string describeAlignments(const std::vector<AlignmentChoice> &choices);

} // namespace parallax

#endif // PARALLAX_REPORT_ALIGNMENTS_H
