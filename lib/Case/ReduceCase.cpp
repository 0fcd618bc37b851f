//===- ReduceCase.cpp - The smallest case of a problem --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// From a case that shows a problem to a smaller one; ReduceSteps.cpp has what
// happens between.
//===----------------------------------------------------------------------===//
#include "CaseBuild.h"
#include "Reducer.h"

#include "parallax/Case/CaseFile.h"
#include "parallax/Pipeline/AnalyzeStage.h"
#include "parallax/Pipeline/OutputFiles.h"
#include "parallax/Report/Precision.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/Views.h"

#include <algorithm>
#include <fmt/format.h>

namespace fs = std::filesystem;

namespace parallax {

std::string counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// "3 layers, 840 bytes".
static std::string sizeText(mlir::func::FuncOp network) {
  int64_t bytes = tensorBytes(network);
  return fmt::format("{}, {}", counted(layersOf(network).size(), "layer"),
                     bytes < 10'000
                         ? fmt::format("{} bytes", bytes)
                         : fmt::format("{:.1f} kB", double(bytes) / 1e3));
}

/// Unpacks the case and builds it as it is: it has to show the problem.
void Reducer::start() {
  fs::path folder = work / "start";
  if (!fs::exists(folder))
    unpackCase(request.caseFile, folder);
  original = readCaseConfig(folder);
  log(LogLevel::Info, "building the case as it is");
  bool isCommand =
      request.predicate && request.predicate->kind == Predicate::Kind::Command;
  auto began = std::chrono::steady_clock::now();
  ChildResult built =
      buildCase(request.builder, folder, "evidence", work / "start.txt");
  // Smaller ones are not slower, but a machine may be.
  trials.settings = {readText(folder / "target.json"), request.builder,
                     60 + 4 * int64_t(secondsSince(began))};
  if (fs::exists(analysisOf(folder / "output")))
    report = readPrecisionJson(analysisOf(folder / "output"));
  if (request.predicate)
    predicate = *request.predicate;
  else if (report)
    predicate = problemOf(*report);
  if (!request.predicate && !report)
    throw Error("the build of the case fails: say with --message or --crash "
                "what is to be kept of that");
  if (!request.predicate && request.shrinks &&
      predicate.kind == Predicate::Kind::Analyzed)
    throw Error("the case shows no problem: all outputs and layers are precise "
                "enough, and the engines agree; say what to look for with "
                "--layer-cosine or --output-cosine");
  if (isCommand)
    built = runChild({"/bin/sh", "-c", predicate.text}, folder,
                     work / "start.txt", trials.settings.maxSeconds);
  if (!predicate.holds(built, folder))
    throw Error(fmt::format("the case does not show the problem: it is not so "
                            "that {}",
                            predicate.words()));
}

/// Reads the network as it was when the problem showed, and its samples.
void Reducer::load() {
  fs::path folder = work / "start";
  OutputFiles files(folder / "output");
  bool isBuilt = report.has_value();
  state.config = original;
  NetworkOptions options;
  if (isBuilt)
    options.model = files.optimizedModel().string();
  else
    options = networkOptions(original);
  state.network.emplace(options);
  whole = state.network->function();
  Samples source = analyzedSamples(state);
  size_t count = source.count;
  if (original.quant.precisionAnalysisSize > 0)
    count = std::min(count, size_t(original.quant.precisionAnalysisSize));
  for (size_t i = 0; i < count; ++i)
    wholeSamples.push_back(source.load(i));
  log(LogLevel::Info, "keeping that {}", predicate.words());
  steps.push_back(fmt::format("the whole network: {}", sizeText(whole)));
  current.network = addView(whole, "current");
  current.samples = wholeSamples;
  current.config = configOfPart(original, files.layerConfigAudit());
  if (isBuilt && !report->tables.empty()) {
    // What the user has asked for comes later, and wins.
    std::vector<LayerConfig> &rules = current.config.quant.layerConfigs;
    std::vector<LayerConfig> own = rulesForResults(report->tables[0]);
    rules.insert(rules.begin(), own.begin(), own.end());
  }
  if (isBuilt && fs::exists(files.calibration()))
    current.ranges = readCalibration(files.calibration());

  // Methods that change weights look at samples, and have been at work already.
  std::vector<Candidate> ways(3, current);
  QuantConfig &quant = ways[1].config.quant;
  quant.enableSmoothQuant = quant.enableEqualization = false;
  quant.enableBiasCorrection = quant.enableEasyQuant = false;
  ways[2].ranges.reset();
  for (const Candidate &way : ways) {
    current.config = way.config;
    current.ranges = way.ranges;
    // The layers around the problem are built much faster than the whole.
    if ((request.shrinks && cutAround()) || accept(copy(), ""))
      return;
  }
  throw Error(fmt::format("the optimized network with its samples alone does "
                          "not show that {}, so it can't be reduced",
                          predicate.words()));
}

Candidate Reducer::copy() {
  Candidate result = current;
  result.network = addView(current.network, "candidate");
  return result;
}

bool Reducer::accept(Candidate candidate, const std::string &step) {
  bool shows = trials.shows(candidate, predicate);
  if (!shows) {
    candidate.network.erase();
    return false;
  }
  if (candidate.network != current.network && current.network)
    current.network.erase();
  current = std::move(candidate);
  if (!step.empty()) {
    std::string line = fmt::format("{}: {}", step, sizeText(current.network));
    log(LogLevel::Info, "{:>4} tests  {}", trials.count(), line);
    steps.push_back(line);
  }
  return true;
}

void Reducer::pack(ReduceResult &result) {
  PackRequest packed;
  // It was built in another place; its log is nobody's own.
  packed.build = {
      readCaseConfig(trials.best()), "parallax build --config config.json", {}};
  packed.caseFile = request.result;
  packed.answers = request.answers;
  completeAnswers(packed.answers, work / "start" / answersName);
  packed.problem = predicate.words();
  packed.replaced = replaced;
  packed.reduction = steps;
  packed.reduction.insert(packed.reduction.end(), kept.begin(), kept.end());
  packed.builder = trials.settings.builder;
  result.verdict = packCase(packed);
  result.kept = kept;
}

ReduceResult Reducer::run() {
  start();
  load();
  ReduceResult result;
  result.layersBefore = layersOf(whole).size();
  result.bytesBefore = tensorBytes(whole);
  if (request.shrinks) {
    takeOneSample();
    removeLayers();
  }
  concealValues();
  if (request.shrinks) {
    shrinkTensors();
    simplifyValues();
  }
  concealNames();
  if (request.shrinks && !hasTime())
    log(LogLevel::Warning,
        "stopped after {} s: the case may get smaller with more time",
        request.maxSeconds);
  result.layersAfter = layersOf(current.network).size();
  result.bytesAfter = tensorBytes(current.network);
  result.tests = trials.count();
  result.predicate = predicate.words();
  pack(result);
  return result;
}

/// What is there from another case is of no use.
static void keepWorkOf(const fs::path &caseFile, const fs::path &work) {
  std::string digest = sha256OfFile(caseFile);
  fs::path mark = work / "case.sha256";
  if (fs::exists(mark) && readText(mark) == digest)
    return;
  if (fs::exists(work) && !fs::exists(mark) && !fs::is_empty(work))
    throw Error(fmt::format("'{}' is in the way: a reduction keeps its files "
                            "there; give another result or remove it",
                            work.string()));
  fs::remove_all(work);
  writeFileAtomically(mark, digest);
}

/// What a build that fails has to keep of that; nothing if it does not fail.
static std::optional<Predicate> failureIn(const std::string &verdict) {
  Predicate predicate;
  if (verdict.starts_with("the build crashes")) {
    predicate.kind = Predicate::Kind::Crash;
    return predicate;
  }
  constexpr std::string_view prefix = "the build fails: error: ";
  if (!verdict.starts_with(prefix))
    return std::nullopt;
  predicate.kind = Predicate::Kind::Message;
  predicate.text = verdict.substr(prefix.size());
  return predicate;
}

ReduceResult reduceCase(const ReduceRequest &request) {
  fs::path work = fs::absolute(request.result).string() + ".work";
  keepWorkOf(request.caseFile, work);
  ReduceResult result = Reducer(request, work).run();
  fs::remove_all(work);
  return result;
}

std::string packConcealed(const PackRequest &request,
                          const Concealment &conceal) {
  ScratchFolder scratch(request.caseFile);
  PackRequest plain = request;
  plain.caseFile = scratch.path() / "plain.plxcase";
  std::string verdict = packCase(plain);
  ReduceRequest reduction;
  reduction.predicate = failureIn(verdict);
  reduction.caseFile = plain.caseFile;
  reduction.result = request.caseFile;
  reduction.conceal = conceal;
  reduction.answers = request.answers;
  reduction.shrinks = false;
  reduction.builder = request.builder;
  ReduceResult result = Reducer(reduction, scratch.path() / "work").run();
  for (const std::string &line : result.kept)
    log(LogLevel::Warning, "{}", line);
  return result.verdict;
}

} // namespace parallax
