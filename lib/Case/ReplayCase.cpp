//===- ReplayCase.cpp - A case built again --------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Builds a case from its own files and holds the result against what it
// expects: first the integers of every layer, then every number that a table
// prints.
//===----------------------------------------------------------------------===//
#include "parallax/Case/ReplayCase.h"
#include "CaseBuild.h"

#include "parallax/Analysis/Evidence.h"
#include "parallax/Case/CaseFile.h"
#include "parallax/Case/CaseInputs.h"
#include "parallax/Report/Precision.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Unicode.h"

#include <fmt/format.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  for (size_t start = 0; start < text.size();) {
    size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

/// The class of a difference between the engines, if the layer has one.
std::string classOf(const PrecisionReport &report, const std::string &tensor) {
  for (const BitDifference &row : report.differences)
    if (row.tensor == tensor)
      return fmt::format("; against Reference it has {} of {} other codes ({})",
                         row.differing, row.elements, nameOf(row.difference));
  return "; against Reference it has no other codes";
}

class Replay {
public:
  Replay(fs::path folder, const CaseBuilder &builder)
      : folder(std::move(folder)), builder(builder) {}

  ReplayResult run(const CaseManifest &manifest) {
    result.difference = firstDifferenceIn(manifest);
    return result;
  }

private:
  std::string firstDifferenceIn(const CaseManifest &manifest) {
    readCaseConfig(folder);
    // Results that a case brings along are not those of this build.
    for (const char *name : {"output", "replay"})
      fs::remove_all(folder / name);
    log(LogLevel::Info, "building the case in [{}]", folder.string());
    fs::path evidence = folder / "replay" / "sample";
    ChildResult built =
        buildCase(builder, folder, evidence, folder / "replay" / "build.txt");
    fs::path expected = folder / "expected";
    bool expectsFailure = !fs::exists(expected / "sample" / evidenceName);
    if (expectsFailure)
      return compareFailure(manifest, built);
    if (built.isFailure())
      return fmt::format("the build fails, which it did not:\n{}", built.text);
    fs::path analysis = analysisOf(folder / "output");
    PrecisionReport before = readPrecisionJson(expected / analysis.filename());
    PrecisionReport after = readPrecisionJson(analysis);
    std::string text =
        compareLayers(readEvidence(expected / "sample" / evidenceName),
                      readEvidence(evidence / evidenceName), after);
    return text.empty() ? compareTables(before, after) : text;
  }

  std::string compareFailure(const CaseManifest &manifest,
                             const ChildResult &built) const {
    if (!built.isFailure())
      return "the build succeeds now, and it failed: " + manifest.verdict;
    if (built.signal != 0) {
      std::string verdict = failureVerdict(built);
      return manifest.verdict == verdict
                 ? ""
                 : fmt::format("{}, where it was: {}", verdict,
                               manifest.verdict);
    }
    constexpr std::string_view prefix = "the build fails: ";
    std::string message = manifest.verdict.starts_with(prefix)
                              ? manifest.verdict.substr(prefix.size())
                              : manifest.verdict;
    return !message.empty() && built.text.find(message) != std::string::npos
               ? ""
               : fmt::format("the build fails with other words than '{}':\n{}",
                             message, built.text);
  }

  std::string compareLayers(const Evidence &expected, const Evidence &found,
                            const PrecisionReport &report) {
    result.tensors = expected.machine.size();
    size_t differing = 0;
    EvidenceDifference first =
        firstDifference(expected.machine, found.machine, differing);
    if (first) {
      const TensorEvidence &named =
          first.expected ? *first.expected : *first.found;
      std::string what =
          !first.found      ? "is missing now"
          : !first.expected ? "was not there"
          : first.expected->dtype != first.found->dtype
              ? fmt::format("is {} and was {}", first.found->dtype,
                            first.expected->dtype)
              : "has other integers" + classOf(report, named.tensor);
      return fmt::format("layer {} (tensor {}) {}; {} of {} tensors differ",
                         printable(named.layer), printable(named.tensor), what,
                         differing, expected.machine.size());
    }
    isOtherProcessor =
        bool(firstDifference(expected.reference, found.reference, differing));
    if (isOtherProcessor)
      log(LogLevel::Warning,
          "the Reference engine gives other codes in {} of {} tensors: it "
          "computes with floats, which this processor sums in another order; "
          "its tables are not compared",
          differing, expected.reference.size());
    return "";
  }

  std::string compareTables(const PrecisionReport &before,
                            const PrecisionReport &after) {
    for (const PrecisionTable &table : before.tables) {
      if (isOtherProcessor && table.mode == AnalysisMode::Reference)
        continue;
      std::string title = precisionTitle(table.method, table.mode);
      const PrecisionTable *other = nullptr;
      for (const PrecisionTable &candidate : after.tables)
        if (candidate.method == table.method && candidate.mode == table.mode)
          other = &candidate;
      if (!other)
        return fmt::format("there is no {} now", title);
      std::vector<std::string> a =
          linesOf(precisionTable(table, /*full=*/true).toCsv());
      std::vector<std::string> b =
          linesOf(precisionTable(*other, /*full=*/true).toCsv());
      for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        std::string expected = i < a.size() ? a[i] : "no such row";
        std::string found = i < b.size() ? b[i] : "no such row";
        if (expected != found)
          return fmt::format("{} differs\n  expected {}\n  found    {}", title,
                             printable(expected), printable(found));
      }
      result.rows += table.rows.size();
    }
    if (!isOtherProcessor && verdictText(before) != verdictText(after))
      return fmt::format("the verdict is another one:\n{}", verdictText(after));
    return "";
  }

  fs::path folder;
  const CaseBuilder &builder;
  ReplayResult result;
  /// The Reference engine has summed in another order.
  bool isOtherProcessor = false;
};

} // namespace

ReplayResult replayCase(const ReplayRequest &request) {
  std::optional<ScratchFolder> scratch;
  fs::path folder = request.folder;
  if (folder.empty())
    folder =
        scratch.emplace(fs::temp_directory_path() / "case").path() / "case";
  CaseManifest manifest = unpackCase(request.caseFile, folder);
  ToolIdentity tool = thisTool();
  std::string text =
      fmt::format("{}: {}\n", printable(request.caseFile.string()),
                  printable(manifest.verdict));
  if (!(manifest.tool == tool))
    text += fmt::format("packed by {}, replayed by {}\n",
                        printable(describe(manifest.tool)), describe(tool));
  showResult(text);
  return Replay(fs::absolute(folder), request.builder).run(manifest);
}

} // namespace parallax
