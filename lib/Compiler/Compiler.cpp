//===- Compiler.cpp - Compile and analyze a model -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Between the types of the public header and those of the pipeline.
//===----------------------------------------------------------------------===//
#include "parallax/Compiler.h"

#include "parallax/Analysis/OutputVerdict.h"
#include "parallax/Pipeline/Build.h"
#include "parallax/Pipeline/EvaluateModels.h"
#include "parallax/Pipeline/OutputFiles.h"
#include "parallax/Report/HtmlReport.h"
#include "parallax/Report/Precision.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Tune/Tune.h"

#include <algorithm>
#include <map>

namespace parallax {
namespace {

BuildOptions buildOptionsOf(const CompileOptions &options) {
  BuildOptions result{options, {}, {}};
  if (result.threads <= 0)
    result.threads = hardwareThreads();
  // As the command line would have it.
  if (!options.configFile.empty())
    result.command = {"--config", options.configFile.string()};
  for (const ConfigOverride &entry : options.overrides) {
    result.command.push_back("--" + entry.field);
    result.command.insert(result.command.end(), entry.words.begin(),
                          entry.words.end());
  }
  return result;
}

std::vector<OutputPrecision> outputsOf(const PrecisionReport &report) {
  std::vector<OutputPrecision> outputs;
  for (const auto &[table, row, verdict] : judgeFinalOutputs(report))
    outputs.push_back({row->tensor, similarityOf(row->metrics),
                       row->metrics.worstSample, row->metrics.worstSampleCosine,
                       std::string(nameOf(verdict.quality)), verdict.reason});
  return outputs;
}

std::vector<LayerScores> layersOf(const PrecisionReport &report) {
  std::vector<LayerScores> layers;
  std::map<std::string, size_t> places;
  for (const PrecisionTable &table : report.tables)
    for (const PrecisionRow &row : table.rows) {
      auto [place, isNew] = places.try_emplace(row.tensor, layers.size());
      if (isNew)
        layers.push_back(
            {row.node, row.tensor, row.type, row.quantType, row.cycles, {}});
      layers[place->second].scores.push_back(
          {std::string(nameOf(table.method)), std::string(nameOf(table.mode)),
           similarityOf(row.metrics), row.metrics.mse});
    }
  return layers;
}

CompileFiles filesOf(const BuildResult &result) {
  OutputFiles files(result.config.outputDir);
  auto hasRun = [&](std::string_view phase) {
    return std::ranges::find(result.phases, phase) != result.phases.end();
  };
  CompileFiles written;
  if (!result.outputDir.empty())
    written.log = files.log();
  if (hasRun("optimize"))
    written.optimizedModel = files.optimizedModel();
  if (hasRun("calibrate"))
    written.calibration = files.calibration();
  if (hasRun("quantize"))
    written.quantizedModel = files.quantizedModel();
  if (hasRun("compile"))
    written.compiledModel = std::filesystem::path(result.config.outputDir) /
                            result.config.outputName;
  if (result.report) {
    written.analysisText = files.precisionText();
    written.analysisJson = files.precisionJson();
    if (!result.report->suggestions.empty()) {
      written.suggestions = files.suggestions();
      written.suggestedConfig = files.suggestedConfig();
    }
    if (hasReportPage())
      written.report = files.report();
  }
  return written;
}

CompileResult resultOf(BuildResult &&build) {
  CompileResult result;
  result.files = filesOf(build);
  result.accuracy = std::move(build.accuracy);
  result.cycles = build.cycles;
  result.isPreciseEnough = !build.isTooImprecise;
  if (build.report) {
    result.outputs = outputsOf(*build.report);
    result.layers = layersOf(*build.report);
    result.diagnoses = std::move(build.report->diagnoses);
    result.suggestions = std::move(build.report->suggestions);
  }
  return result;
}

/// Work for a program: its listener hears it, and all that it has to catch is
/// an Error.
template <typename Fn> auto runFor(Listener *listener, int threads, Fn work) {
  Listener silent;
  ListenerScope scope(listener ? *listener : silent);
  ThreadCountScope count(threads > 0 ? threads : hardwareThreads());
  try {
    return work();
  } catch (const Error &) {
    throw;
  } catch (const std::bad_alloc &) {
    throw Error("there is not enough memory for this");
  } catch (const std::exception &error) {
    throw Error(error.what());
  }
}

} // namespace

CompileResult compile(const CompileOptions &options, Listener *listener) {
  return runFor(listener, options.threads, [&] {
    BuildResult result;
    runBuild(buildOptionsOf(options), result);
    return resultOf(std::move(result));
  });
}

Accuracy evaluate(const EvaluateOptions &options, Listener *listener) {
  return runFor(listener, options.threads,
                [&] { return evaluateModels(options); });
}

TuneResult tune(const TuneOptions &options, Listener *listener) {
  return runFor(listener, options.threads,
                [&] { return tuneNetwork(options); });
}

} // namespace parallax
