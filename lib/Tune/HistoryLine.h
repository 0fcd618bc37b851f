//===- HistoryLine.h - One trial as a line of JSON -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A history may be read by other programs, and it may come from anywhere.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_TUNE_HISTORYLINE_H
#define PARALLAX_LIB_TUNE_HISTORYLINE_H

#include "parallax/Tune/History.h"

namespace parallax {

/// The first line of a file.
std::string historyHeader(const std::string &identity);

/// The identity of a first line. Messages begin with `place`: "file:1".
std::string parseHistoryHeader(std::string_view line, const std::string &place);

/// Throws Error for whatever historyLine can't have written.
TrialRecord parseHistoryLine(std::string_view line, const std::string &place);

/// What is the same for the same trial.
std::string trialKey(std::span<const ConfigEdit> edits, int64_t samples);

} // namespace parallax

#endif // PARALLAX_LIB_TUNE_HISTORYLINE_H
