//===- History.h - What was tried, and what came out -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Hours of trials must not be lost with the process that made them. Each trial
// is a line of JSON that is on the disk before the next trial begins, and a
// later run takes the results of an earlier one from there.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TUNE_HISTORY_H
#define PARALLAX_TUNE_HISTORY_H

#include "parallax/Support/AppendedFile.h"
#include "parallax/Tune/TrialRecord.h"

#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace parallax {

/// One line without its end; equal records give equal bytes.
std::string historyLine(const TrialRecord &record);

class History {
public:
  /// Reads what an earlier run has left if `resume`, else starts anew and keeps
  /// the old file as `file` + ".bak". The identity is that of all that results
  /// depend on, as words: "configuration=1f… model=07… version=0.1". Resuming
  /// under another one is an Error that names the words that differ. A last
  /// line without end, of a process that was killed, is dropped with a warning;
  /// any other damage is an Error with file and line.
  History(std::filesystem::path file, const std::string &identity, bool resume);

  /// The latest trial with these edits on as many samples, also one that
  /// failed; null if there is none.
  const TrialRecord *find(std::span<const ConfigEdit> edits,
                          int64_t samples) const;

  /// Appends a line that is on the disk when this returns. What it returns is
  /// what a later run would read. Throws Error if the disk is full, and the
  /// file is as it was before.
  const TrialRecord &append(TrialRecord record);

  const std::deque<TrialRecord> &trials() const { return records; }

private:
  /// Returns where the last whole line ends.
  size_t read(const std::string &identity);
  const TrialRecord &keep(TrialRecord record);

  std::filesystem::path file;
  std::optional<AppendedFile> out;
  std::deque<TrialRecord> records;
  /// By edits and number of samples.
  std::map<std::string, const TrialRecord *> latest;
};

} // namespace parallax

#endif // PARALLAX_TUNE_HISTORY_H
