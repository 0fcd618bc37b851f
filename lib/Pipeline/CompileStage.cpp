//===- CompileStage.cpp - From codes to a compiled model ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The digests in the compiled model are those of what the build has read.
//===----------------------------------------------------------------------===//
#include "CompileStage.h"
#include "CompiledCheck.h"
#include "parallax/Pipeline/Attempt.h"
#include "parallax/Pipeline/CalibrateStage.h"
#include "parallax/Pipeline/LowerLog.h"
#include "parallax/Report/Table.h"

#include "parallax/Backend/NPU/Cost.h"
#include "parallax/Compiled/CompiledModel.h"
#include "parallax/Config/Target.h"
#include "parallax/Passes/Lower/Lower.h"
#include "parallax/Report/Cost.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Diagnostics.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Ranks.h"
#include "parallax/Support/Views.h"

#include <fmt/format.h>
#include <map>
#include <set>

namespace fs = std::filesystem;

namespace parallax {
namespace {

std::string sha256OfText(const std::string &text) {
  return sha256Of(std::as_bytes(std::span(text)));
}

/// Of the files that ranges or samples come from, by name. Samples beside a
/// cache of ranges are not read.
std::string calibrationDigest(const BuildConfig &config) {
  std::map<std::string, fs::path> files;
  auto add = [&](const std::string &reader, const fs::path &path) {
    if (!fs::is_directory(path)) {
      files[reader + "/" + path.filename().string()] = path;
      return;
    }
    for (const fs::directory_entry &entry :
         fs::recursive_directory_iterator(path))
      if (entry.is_regular_file())
        files[reader + "/" + fs::relative(entry.path(), path).string()] =
            entry.path();
  };
  if (!config.quant.calibrationCache.empty())
    add("calibration_cache", config.quant.calibrationCache);
  else
    for (const InputQuantConfig &input : config.quant.inputConfigs)
      add(input.tensorName, input.calibrationDataset);
  std::string text;
  for (const auto &[name, path] : files)
    text += fmt::format("{} {}\n", name, sha256OfFile(path));
  return text.empty() ? "" : sha256OfText(text);
}

/// Of what the build read, wherever it writes: the same inputs give the same
/// compiled model.
CompiledInfo compiledInfo(const BuildConfig &config, const Target &target) {
  BuildConfig independent = config;
  independent.outputDir = independent.outputName = independent.workDir = "";
  CompiledInfo info;
  info.targetName = target.name;
  info.targetJson = toJson(target);
  info.modelSha256 = sha256OfFile(config.input);
  info.configSha256 = sha256OfText(toJson(independent));
  info.calibrationSha256 = calibrationDigest(config);
  return info;
}

void reportCost(mlir::func::FuncOp machine, const Target &target,
                const BuildState &state) {
  const BuildConfig &config = state.config;
  std::vector<LayerCost> costs = costsOf(machine, config);
  showResult("Cost of the Costliest Layers\n" +
             costTable(costs).render(currentListener().style()));
  log(LogLevel::Info, "{}", maxCycleLine(costs));
  // Reports show what layers cost beside what they lose.
  fs::path profile = state.files().profile(), trace = state.files().trace();
  if (config.compiler.npuPerf || config.quant.precisionAnalysis)
    writeFileAtomically(profile, opProfileCsv(costs));
  if (!config.compiler.npuPerf)
    return;
  writeFileAtomically(trace, traceJson(costs, target));
  log(LogLevel::Info, "save cost of layers to [{}], as a trace to [{}]",
      profile.string(), trace.string());
}

} // namespace

void checkTarget(const BuildConfig &config) {
  findTarget(config.targetHardware).coresIn(config.npuMode);
}

void runCompileStage(BuildState &state) {
  const BuildConfig &config = state.config;
  Target target = findTarget(config.targetHardware);
  mlir::func::FuncOp quantized = state.network->view(views::quantized);
  mlir::func::FuncOp deployed = state.network->view(views::deployed);
  auto lower = [&](mlir::func::FuncOp view, LowerReport *report = nullptr) {
    return orThrow(view.getContext(),
                   [&] { return lowerNetwork(view, target, report); });
  };
  // What is deployed may have other inputs than the networks that it is
  // compared with.
  if (deployed)
    lower(quantized).setName(views::npuCore);
  LowerReport report;
  mlir::func::FuncOp machine = lower(deployed ? deployed : quantized, &report);
  logLowering(report);
  writeFileAtomically(state.files().lowering(),
                      toJson(report, cyclesOf(machine, config)));
  writeFileAtomically(state.files().target(), toJson(target));
  reportCost(machine, target, state);

  fs::path file = fs::path(config.outputDir) / config.outputName;
  writeCompiledModel(machine, file, compiledInfo(config, target));
  log(LogLevel::Info, "save compiled model to [{}]", file.string());
  checkCompiledModel(machine, file, config.compiler);
  // Whatever their machines and disks did.
  if (ranks().areSeveral())
    ranks().requireSame("compiled model", sha256OfFile(file));
}

mlir::func::FuncOp machineOf(BuildState &state) {
  mlir::func::FuncOp core = state.network->view(views::npuCore);
  return core ? core : state.network->view(views::npu);
}

void addCycles(PrecisionReport &report, mlir::func::FuncOp machine,
               const BuildConfig &config) {
  std::vector<LayerCost> costs = costsOf(machine, config);
  std::set<std::string> rows;
  for (const PrecisionTable &table : report.tables)
    for (const PrecisionRow &row : table.rows)
      rows.insert(row.node);
  std::map<std::string, int64_t> cycles = cyclesByRow(machine, costs, rows);
  for (PrecisionTable &table : report.tables)
    for (PrecisionRow &row : table.rows)
      if (auto it = cycles.find(row.node); it != cycles.end())
        row.cycles = it->second;
}

} // namespace parallax
