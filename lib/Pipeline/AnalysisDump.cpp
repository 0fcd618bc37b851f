//===- AnalysisDump.cpp - The tensors behind the tables -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A folder for the float network and one for each table.
//===----------------------------------------------------------------------===//
#include "AnalysisDump.h"

#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/NumPy.h"
#include "parallax/Support/TensorFile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace fs = std::filesystem;

namespace parallax {
namespace {

constexpr const char *floatFolder = "float";
constexpr double megabyte = 1 << 20;

std::string folderOf(const std::optional<Comparison> &comparison) {
  return comparison ? fmt::format("quant_{}_{}", nameOf(comparison->method),
                                  nameOf(comparison->mode))
                    : floatFolder;
}

} // namespace

std::vector<fs::path> dumpPaths(const fs::path &folder) {
  std::vector<fs::path> paths = {folder / "index.json", folder / floatFolder};
  for (AnalysisMethod method :
       {AnalysisMethod::PerLayer, AnalysisMethod::EndToEnd})
    for (AnalysisMode mode :
         {AnalysisMode::Reference, AnalysisMode::NPUBackend})
      paths.push_back(folder / folderOf(Comparison{method, mode}));
  return paths;
}

AnalysisDump::AnalysisDump(fs::path path, mlir::func::FuncOp network,
                           const std::vector<Comparison> &comparisons,
                           size_t samples)
    : folder(std::move(path)), comparisons(comparisons), samples(samples) {
  double bytes = 0;
  for (Operation &op : network.front().without_terminator())
    for (Value result : op.getResults()) {
      auto type = mlir::cast<mlir::RankedTensorType>(result.getType());
      if (op.getNumOperands() == 0 || !type.hasStaticShape())
        continue;
      numbers.emplace(getTensorName(result), tensors.size());
      tensors.push_back(getTensorName(result));
      bytes += double(type.getNumElements()) * sizeof(float);
    }
  files = uniqueFileNames(tensors);
  tables.resize(tensors.size());
  bytes *= double(samples) * double(comparisons.size() + 1);

  createParentDirectories(folder / "index.json");
  for (const fs::path &path : dumpPaths(folder))
    fs::remove_all(path);
  double free = double(fs::space(folder).available);
  if (bytes > free) {
    problem = fmt::format(
        "the tensors of {} samples take {:.0f} MB, and {} has {:.0f} MB left; "
        "lower quant.precision_analysis_size",
        samples, bytes / megabyte, folder.string(), free / megabyte);
    return;
  }
  log(LogLevel::Info, "save up to {:.0f} MB of compared tensors to [{}]",
      bytes / megabyte, folder.string());
}

void AnalysisDump::stop(std::string reason) {
  std::lock_guard lock(mutex);
  if (problem.empty())
    problem = std::move(reason);
}

void AnalysisDump::write(const ComparedValues &compared) {
  {
    std::lock_guard lock(mutex);
    if (!problem.empty())
      return;
  }
  std::string table = folderOf(compared.comparison);
  size_t number = numbers.at(compared.tensor);
  try {
    writeNpy(folder / table / std::to_string(compared.sample) /
                 (files[number] + ".npy"),
             compared.values);
  } catch (const Error &error) {
    return stop(error.what());
  }
  std::lock_guard lock(mutex);
  tables[number].insert(std::move(table));
}

void AnalysisDump::finish() {
  if (problem.empty()) {
    try {
      return writeIndex();
    } catch (const Error &error) {
      stop(error.what());
    }
  }
  log(LogLevel::Warning,
      "the compared tensors are not saved (quant.precision_analysis_dump): {}",
      problem);
  std::error_code ignored;
  for (const fs::path &path : dumpPaths(folder))
    fs::remove_all(path, ignored);
}

void AnalysisDump::writeIndex() const {
  using Json = nlohmann::ordered_json;
  auto textOf = [](const Json &json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::vector<std::string> folders = {textOf({{"folder", floatFolder}})};
  for (const Comparison &comparison : comparisons)
    folders.push_back(textOf({{"folder", folderOf(comparison)},
                              {"method", nameOf(comparison.method)},
                              {"mode", nameOf(comparison.mode)}}));
  std::vector<std::string> entries;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (!tables[i].empty())
      entries.push_back(textOf({{"tensor", tensors[i]},
                                {"file", files[i] + ".npy"},
                                {"folders", tables[i]}}));
  // One tensor per line, for readers and for diff.
  writeFileAtomically(
      folder / "index.json",
      fmt::format("{{\n \"path\": \"<folder>/<sample>/<file>\",\n \"samples\": "
                  "{},\n \"folders\": [\n  {}\n ],\n \"tensors\": [\n  {}\n "
                  "]\n}}\n",
                  samples, fmt::join(folders, ",\n  "),
                  fmt::join(entries, ",\n  ")));
}

} // namespace parallax
