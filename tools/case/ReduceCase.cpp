//===- ReduceCase.cpp - The smallest case of a problem --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// See the header. First the layers around the problem, with the tensors of the
// whole network at their borders; then fewer of them, in halves, quarters and
// so on; then smaller tensors; then simpler values.
//===----------------------------------------------------------------------===//
#include "ReduceCase.h"
#include "Trials.h"

#include "../build/AnalyzeStage.h"
#include "parallax/Case/CaseFile.h"
#include "parallax/Passes/Quantize/Improve.h"
#include "parallax/Report/Precision.h"
#include "parallax/Support/Clock.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/Unicode.h"
#include "parallax/Support/Views.h"

#include <algorithm>
#include <fmt/format.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

constexpr uint64_t seed = 20221118;

std::string counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// "3 layers, 840 bytes".
std::string sizeText(mlir::func::FuncOp network) {
  int64_t bytes = tensorBytes(network);
  return fmt::format("{}, {}", counted(layersOf(network).size(), "layer"),
                     bytes < 10'000
                         ? fmt::format("{} bytes", bytes)
                         : fmt::format("{:.1f} kB", double(bytes) / 1e3));
}

class Reducer {
public:
  Reducer(const ReduceRequest &request, fs::path work)
      : request(request), work(std::move(work)),
        trials(this->work / "trials", {}) {}

  ReduceResult run();

private:
  void start();
  void load();
  void takeOneSample();
  bool cutAround();
  void removeLayers();
  void shrinkTensors();
  void simplifyValues();
  void conceal();
  void pack(ReduceResult &result);

  /// Goes on from a candidate if it shows the problem.
  bool accept(Candidate candidate, const std::string &step);
  Candidate withLayers(const std::vector<Operation *> &layers);
  std::vector<Operation *> around(size_t distance);
  Candidate copy();
  bool hasTime() const { return secondsSince(begin) < request.maxSeconds; }
  const PrecisionRow *badRow() const {
    return report ? rowOf(*report, predicate.layer) : nullptr;
  }

  const ReduceRequest &request;
  fs::path work;
  Trials trials;
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
  /// The case as it came, and what its build found.
  BuildConfig original;
  std::optional<PrecisionReport> report;
  Predicate predicate;
  BuildState state;
  /// The whole network, which borders are computed with.
  mlir::func::FuncOp whole;
  std::vector<Sample> wholeSamples;
  Candidate current;
  std::vector<std::string> steps, replaced, kept;
};

/// Unpacks the case and builds it as it is: it has to show the problem.
void Reducer::start() {
  fs::path folder = work / "start";
  if (!fs::exists(folder))
    unpackCase(request.caseFile, folder);
  log(LogLevel::Info, "building the case as it is");
  bool isCommand =
      request.predicate && request.predicate->kind == Predicate::Kind::Command;
  auto began = std::chrono::steady_clock::now();
  ChildResult built = runParallax(
      caseBuildWords("evidence", request.testFault, request.threads), folder,
      work / "start.txt", caseSeconds);
  // Smaller ones are not slower, but a machine may be.
  trials.settings = {readText(folder / "target.json"), request.testFault,
                     request.threads, 60 + 4 * int64_t(secondsSince(began))};
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
  original = readCaseConfig(folder);
  fs::path optimized = folder / "output" / "frontend" / "optimized.onnx";
  fs::path calibration = folder / "output" / "quant" / "calibration.json";
  bool isBuilt = report.has_value();
  state.config = original;
  NetworkOptions options;
  if (isBuilt)
    options.model = optimized.string();
  else
    options = networkOptions(original);
  state.network.emplace(options);
  whole = state.network->function();
  AnalyzedSamples source = analyzedSamples(state);
  size_t count = source.count;
  if (original.quant.precisionAnalysisSize > 0)
    count = std::min(count, size_t(original.quant.precisionAnalysisSize));
  for (size_t i = 0; i < count; ++i)
    wholeSamples.push_back(source.load(i));
  log(LogLevel::Info, "keeping that {}", predicate.words());
  steps.push_back(fmt::format("the whole network: {}", sizeText(whole)));
  current.network = addView(whole, "current");
  current.samples = wholeSamples;
  current.config = configOfPart(original, folder / "output" / "quant" /
                                              "layer_config_audit.json");
  if (isBuilt && fs::exists(calibration))
    current.ranges = readCalibration(calibration);

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

/// The sample in which a layer is worst comes first.
void Reducer::takeOneSample() {
  if (current.samples.size() < 2)
    return;
  std::vector<size_t> order;
  if (const PrecisionRow *row = badRow();
      row && row->metrics.worstSample >= 0 &&
      size_t(row->metrics.worstSample) < current.samples.size())
    order.push_back(size_t(row->metrics.worstSample));
  for (size_t i = 0; i < current.samples.size(); ++i)
    order.push_back(i);
  std::vector<Sample> all = current.samples;
  for (size_t i : order) {
    if (!hasTime())
      return;
    Candidate candidate = copy();
    candidate.samples = {all[i]};
    if (accept(candidate, fmt::format("sample {} alone", i))) {
      wholeSamples = {wholeSamples[i]};
      return;
    }
  }
}

/// The layers of the whole network that are so near to the bad one.
std::vector<Operation *> Reducer::around(size_t distance) {
  const PrecisionRow *row = badRow();
  std::vector<Operation *> all = layersOf(whole);
  std::set<Operation *> chosen;
  for (Operation *op : all) {
    LayerName name = getLayerName(op);
    bool isBad = name.node == predicate.layer ||
                 llvm::is_contained(name.tensors, predicate.layer);
    if (row)
      isBad |= name.node == row->node ||
               llvm::is_contained(name.tensors, row->tensor);
    if (isBad)
      chosen.insert(op);
  }
  for (size_t i = 0; i < distance; ++i) {
    std::set<Operation *> wider = chosen;
    for (Operation *op : chosen)
      for (Value operand : op->getOperands())
        if (Operation *maker = operand.getDefiningOp();
            maker && maker->getNumOperands() > 0)
          wider.insert(maker);
    chosen = std::move(wider);
  }
  std::vector<Operation *> result;
  for (Operation *op : all)
    if (chosen.contains(op))
      result.push_back(op);
  return result;
}

/// The current candidate with other layers of the whole network.
Candidate Reducer::withLayers(const std::vector<Operation *> &layers) {
  Candidate result = current;
  std::set<std::string> outputs;
  if (const PrecisionRow *row = badRow())
    outputs.insert(row->tensor);
  result.network = cutNetwork(
      whole, llvm::DenseSet<Operation *>(layers.begin(), layers.end()), outputs,
      "candidate");
  std::vector<std::string> inputs = inputNames(result.network);
  result.samples.clear();
  for (const Sample &sample : wholeSamples)
    result.samples.push_back(valuesOf(whole, inputs, sample));
  return result;
}

bool Reducer::cutAround() {
  if (predicate.layer.empty())
    return false;
  size_t before = 0;
  for (size_t distance : {0, 1, 2, 4, 8, 16, 32}) {
    std::vector<Operation *> layers = around(distance);
    if (layers.empty() || layers.size() == before || !hasTime())
      continue;
    before = layers.size();
    if (accept(withLayers(layers),
               fmt::format("{} around {}",
                           distance == 0
                               ? "the layer itself"
                               : fmt::format("{} layers deep", distance),
                           printable(predicate.layer))))
      return true;
  }
  return false;
}

/// Removes layers in halves, then in quarters and so on, until no single one
/// can be spared.
void Reducer::removeLayers() {
  std::set<std::string> names;
  for (Operation *op : layersOf(current.network))
    names.insert(getTensorName(op->getResult(0)));
  std::vector<Operation *> layers;
  for (Operation *op : layersOf(whole))
    if (names.contains(getTensorName(op->getResult(0))))
      layers.push_back(op);
  for (size_t parts = 2; layers.size() > 1;) {
    parts = std::min(parts, layers.size());
    bool isSmaller = false;
    for (size_t i = parts; i > 0 && hasTime(); --i) {
      size_t from = layers.size() * (i - 1) / parts;
      size_t to = layers.size() * i / parts;
      std::vector<Operation *> rest(layers.begin(),
                                    layers.begin() + long(from));
      rest.insert(rest.end(), layers.begin() + long(to), layers.end());
      if (rest.empty() || rest.size() == layers.size())
        continue;
      if (accept(withLayers(rest), "without " + counted(to - from, "layer"))) {
        layers = std::move(rest);
        isSmaller = true;
        break;
      }
    }
    if (!hasTime() || (!isSmaller && parts == layers.size()))
      return;
    parts = isSmaller ? std::max<size_t>(2, parts - 1) : parts * 2;
  }
}

void Reducer::shrinkTensors() {
  for (bool isSmaller = true; isSmaller && hasTime();) {
    isSmaller = false;
    for (int64_t extent : extentsOf(current.network)) {
      std::vector<Shrink> ways;
      for (int64_t to : {int64_t(1), extent / 2, extent - extent / 4})
        if (to < extent && to > 0)
          for (bool keepsLast : {false, true})
            ways.push_back({extent, to, keepsLast});
      for (const Shrink &way : ways) {
        if (!hasTime())
          return;
        Candidate candidate = copy();
        bool fits = true;
        for (size_t i = 0; i < candidate.samples.size() && fits; ++i) {
          mlir::func::FuncOp network = candidate.network;
          // Every sample is cut; the network itself is cut with the first.
          mlir::func::FuncOp scratch =
              i == 0 ? network : addView(current.network, "scratch");
          fits = succeeded(shrinkNetwork(scratch, candidate.samples[i], way));
          if (i > 0)
            scratch.erase();
        }
        // A window that shrinks can leave more places for it.
        if (!fits ||
            tensorBytes(candidate.network) >= tensorBytes(current.network)) {
          candidate.network.erase();
          continue;
        }
        if (accept(candidate, fmt::format("{} for {}", way.to, way.from))) {
          isSmaller = true;
          break;
        }
      }
    }
  }
}

/// Zeros, or one value, in place of what varies.
void Reducer::simplifyValues() {
  for (const std::string &name : variedConstants(current.network))
    for (Fill fill : {Fill::Zero, Fill::Largest}) {
      if (!hasTime())
        return;
      Candidate candidate = copy();
      fillConstant(candidate.network, name, fill);
      if (accept(candidate,
                 fmt::format("{} in {}",
                             fill == Fill::Zero ? "zeros" : "one value",
                             printable(name))))
        break;
    }
}

void Reducer::conceal() {
  auto attempt = [&](bool isWanted, const std::string &what, auto change) {
    if (!isWanted)
      return;
    Candidate candidate = copy();
    change(candidate);
    if (accept(candidate, what + " replaced"))
      replaced.push_back(what);
    else
      kept.push_back(fmt::format("{} are the user's own: with others it is not "
                                 "so that {}",
                                 what, predicate.words()));
  };
  attempt(request.conceal.weights, "weights", [](Candidate &candidate) {
    replaceWeights(candidate.network, seed);
  });
  attempt(request.conceal.samples, "samples", [](Candidate &candidate) {
    uint64_t number = seed;
    for (Sample &sample : candidate.samples)
      for (Tensor &tensor : sample)
        tensor = randomLike(tensor, ++number);
  });
  if (!request.conceal.names)
    return;
  // The problem itself gets a new name as well.
  Predicate before = predicate;
  std::string fault = trials.settings.testFault;
  attempt(true, "names", [&](Candidate &candidate) {
    NewNames names = stripNames(candidate.network);
    rename(candidate, names);
    auto newName = [&](const std::string &name) {
      for (const auto *by : {&names.layers, &names.tensors})
        if (auto it = by->find(name); it != by->end())
          return it->second;
      return name;
    };
    predicate.layer = newName(predicate.layer);
    if (size_t colon = fault.rfind(':'); colon != std::string::npos)
      trials.settings.testFault =
          newName(fault.substr(0, colon)) + fault.substr(colon);
  });
  bool isStripped = !replaced.empty() && replaced.back() == "names";
  if (!isStripped) {
    predicate = before;
    trials.settings.testFault = fault;
  }
}

void Reducer::pack(ReduceResult &result) {
  PackRequest packed;
  // It was built in another place and under other names.
  packed.build = {readCaseConfig(trials.best()),
                  "parallax build --config config.json",
                  trials.best() / "output"};
  packed.caseFile = request.result;
  packed.answers = request.answers;
  completeAnswers(packed.answers, work / "start" / answersName);
  packed.problem = predicate.words();
  packed.replaced = replaced;
  packed.reduction = steps;
  packed.reduction.insert(packed.reduction.end(), kept.begin(), kept.end());
  packed.testFault = trials.settings.testFault;
  packed.threads = request.threads;
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
    shrinkTensors();
    simplifyValues();
  }
  conceal();
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

} // namespace

ReduceResult reduceCase(const ReduceRequest &request) {
  fs::path work = fs::absolute(request.result).string() + ".work";
  ReduceResult result = Reducer(request, work).run();
  fs::remove_all(work);
  return result;
}

std::string packConcealed(const PackRequest &request,
                          const Concealment &conceal) {
  ScratchFolder scratch(request.caseFile);
  PackRequest plain = request;
  plain.caseFile = scratch.path() / "plain.plxcase";
  packCase(plain);
  ReduceRequest reduction;
  reduction.caseFile = plain.caseFile;
  reduction.result = request.caseFile;
  reduction.conceal = conceal;
  reduction.answers = request.answers;
  reduction.shrinks = false;
  reduction.testFault = request.testFault;
  reduction.threads = request.threads;
  ReduceResult result = Reducer(reduction, scratch.path() / "work").run();
  for (const std::string &line : result.kept)
    log(LogLevel::Warning, "{}", line);
  return result.verdict;
}

} // namespace parallax
