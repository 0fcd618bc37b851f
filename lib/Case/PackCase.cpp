//===- PackCase.cpp - From a build to a case ------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The ticket and the manifest say what the build of the packed files found, not
// what the user has seen; where both differ, the log says so.
//===----------------------------------------------------------------------===//
#include "parallax/Case/PackCase.h"
#include "CaseBuild.h"

#include "parallax/Case/CaseFile.h"
#include "parallax/Case/Predicate.h"
#include "parallax/Pipeline/OutputFiles.h"
#include "parallax/Report/Precision.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/MappedFile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// What a failed build said about it: from the first error on, and no progress
/// before it, which tells how long it took.
std::string messageOf(const ChildResult &built) {
  size_t start = built.text.find("error: ");
  return start == std::string::npos ? fmt::format("exit code {}, signal {}\n",
                                                  built.exitCode, built.signal)
                                    : built.text.substr(start);
}

/// A row for each metric that a user has seen printed.
std::string printedTables(const PrecisionReport &report,
                          const PrecisionReport &like) {
  std::string text;
  for (const PrecisionTable &table : report.tables)
    for (const PrecisionTable &other : like.tables)
      if (other.method == table.method && other.mode == table.mode)
        text += precisionTable(table, /*full=*/false).toCsv();
  return text;
}

class Packer {
public:
  explicit Packer(const PackRequest &request)
      : request(request), scratch(request.caseFile),
        folder(scratch.path() / "case") {}

  std::string run() {
    fs::create_directories(folder);
    writeCaseInputs(request.build, folder, scratch.path() / "archives");
    log(LogLevel::Info, "building the case from its own files");
    ChildResult built = buildCase(request.builder, folder, "evidence",
                                  scratch.path() / "build.txt");
    if (built.isTimeout)
      throw Error("the build of the case did not end within a day");
    Ticket ticket;
    bool isAnalyzed = !built.isFailure();
    if (isAnalyzed)
      takeAnalysis(ticket);
    else
      ticket.failure = messageOf(built);
    std::string verdict =
        isAnalyzed ? oneLineVerdict(*ticket.report) : failureVerdict(built);
    if (isAnalyzed && !request.problem.empty() &&
        problemOf(*ticket.report).kind == Predicate::Kind::Analyzed)
      verdict = request.problem;
    fs::remove_all(folder / "output");
    takeLog();
    writeTicket(ticket, verdict);
    if (!request.reduction.empty())
      writeFileAtomically(
          folder / "reduction.txt",
          fmt::format("{}\n", fmt::join(request.reduction, "\n")));
    CaseManifest manifest;
    manifest.command = request.build.command;
    manifest.verdict = verdict;
    manifest.replaced = request.replaced;
    writeManifest(folder, manifest);
    writeCase(folder, request.caseFile);
    return verdict;
  }

private:
  void takeAnalysis(Ticket &ticket) {
    fs::path expected = folder / "expected";
    fs::create_directories(expected);
    OutputFiles files(folder / "output");
    for (const fs::path &file : {files.precisionJson(), files.precisionText()})
      copyFileAtomically(file, expected / file.filename());
    if (fs::exists(files.calibration()))
      copyFileAtomically(files.calibration(),
                         expected / files.calibration().filename());
    fs::rename(folder / "evidence", expected / "sample");
    ticket.report = readPrecisionJson(analysisOf(folder / "output"));
    compareWithOriginal(*ticket.report);
  }

  /// A case that shows something else than its user has seen is worth a word.
  void compareWithOriginal(const PrecisionReport &found) const {
    if (request.build.folder.empty() ||
        !fs::exists(analysisOf(request.build.folder)))
      return;
    PrecisionReport seen = readPrecisionJson(analysisOf(request.build.folder));
    if (printedTables(seen, found) != printedTables(found, seen))
      log(LogLevel::Warning,
          "the case gives other numbers than the analysis in '{}': was the "
          "model, a sample or Parallax changed since?",
          request.build.folder.string());
  }

  /// That of the user. One of the case itself would tell how long it took, and
  /// the same case would not have the same bytes.
  void takeLog() {
    fs::path log = OutputFiles(request.build.folder).log();
    if (!request.build.folder.empty() && fs::exists(log))
      writeFileAtomically(folder / "expected" / log.filename(), readText(log));
  }

  void writeTicket(Ticket &ticket, const std::string &verdict) {
    ticket.answers = request.answers;
    ticket.config = parseBuildConfig(readText(folder / "config.json"),
                                     (folder / "config.json").string());
    ticket.command = request.build.command;
    ticket.tool = describe(thisTool());
    ticket.verdict = verdict;
    ticket.replaced = request.replaced;
    ticket.reduction = request.reduction;
    writeFileAtomically(folder / "ticket.md", ticketText(ticket));
    writeFileAtomically(folder / answersName, toJson(request.answers));
  }

  const PackRequest &request;
  ScratchFolder scratch;
  fs::path folder;
};

} // namespace

std::string packCase(const PackRequest &request) {
  return Packer(request).run();
}

} // namespace parallax
