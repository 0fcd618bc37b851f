//===- History.cpp - What was tried, and what came out --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The file is only ever appended to, in whole lines.
//===----------------------------------------------------------------------===//
#include "parallax/Tune/History.h"
#include "HistoryLine.h"

#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/MappedFile.h"

#include <fmt/format.h>

namespace fs = std::filesystem;

namespace parallax {

History::History(fs::path path, const std::string &identity, bool resume)
    : file(std::move(path)) {
  std::error_code error;
  bool exists = fs::exists(file, error);
  if (exists && !resume) {
    fs::rename(file, file.string() + ".bak", error);
    if (error)
      throw Error(fmt::format("cannot rename '{}': {}", file.string(),
                              error.message()));
  }
  if (exists && resume)
    out.emplace(file, read(identity));
  else
    out.emplace(file, historyHeader(identity) + "\n");
}

size_t History::read(const std::string &identity) {
  size_t complete = 0;
  auto mapped = MappedFile::open(file);
  std::string_view text = mapped->text();
  int64_t number = 0;
  for (size_t end; (end = text.find('\n', complete)) != text.npos;
       complete = end + 1) {
    std::string_view line = text.substr(complete, end - complete);
    std::string place = fmt::format("{}:{}", file.string(), ++number);
    if (number > 1) {
      keep(parseHistoryLine(line, place));
      continue;
    }
    std::string before = parseHistoryHeader(line, place);
    if (before != identity)
      throw Error(fmt::format(
          "{}: these trials were made before {} changed; tune without "
          "--resume to start anew",
          file.string(), namesOfChanges(before, identity)));
  }
  if (number == 0)
    throw Error(fmt::format("{}: the file is not a history of tuning; tune "
                            "without --resume to start anew",
                            file.string()));
  if (complete < text.size())
    log(LogLevel::Warning,
        "{}:{}: the last line is not complete, because an earlier run was "
        "stopped while it wrote it; it is dropped",
        file.string(), number + 1);
  return complete;
}

const TrialRecord *History::find(std::span<const ConfigEdit> edits,
                                 int64_t samples) const {
  auto found = latest.find(trialKey(edits, samples));
  return found == latest.end() ? nullptr : found->second;
}

const TrialRecord &History::append(TrialRecord record) {
  std::string line = historyLine(record);
  out->append(line + "\n");
  return keep(parseHistoryLine(line, file.string()));
}

const TrialRecord &History::keep(TrialRecord record) {
  const TrialRecord &kept = records.emplace_back(std::move(record));
  latest[trialKey(kept.edits, kept.samples)] = &kept;
  return kept;
}

} // namespace parallax
