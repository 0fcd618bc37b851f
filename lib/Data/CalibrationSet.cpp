//===- CalibrationSet.cpp - The samples that a network is calibrated on ---===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A set is a list of files after it was opened; loading touches nothing that
// another thread could change.
//===----------------------------------------------------------------------===//
#include "parallax/Data/Dataset.h"
#include "parallax/Data/Sample.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/TensorFile.h"

#include <algorithm>
#include <set>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// Folders named after the inputs, as far as each source serves only one.
std::vector<std::string> folderNames(std::span<const PortInfo> inputs,
                                     std::span<const CalibrationSource> sources,
                                     std::span<const size_t> sourceOf) {
  std::vector<std::string> names;
  for (const CalibrationSource &source : sources)
    names.push_back(source.tensorName);
  for (size_t input = 0; input < inputs.size(); ++input)
    if (std::count(sourceOf.begin(), sourceOf.end(), sourceOf[input]) == 1)
      names[sourceOf[input]] = inputs[input].name;
  return uniqueFileNames(names);
}

} // namespace

CalibrationSet CalibrationSet::open(std::vector<PortInfo> inputs,
                                    std::vector<CalibrationSource> sources,
                                    const fs::path &workDir,
                                    const std::string &folder,
                                    const HoldOut &holdOut) {
  CalibrationSet set;
  set.specs = std::move(inputs);
  set.sources = std::move(sources);
  set.sourceOf = assignSources(set.specs, set.sources);
  std::vector<Dataset> datasets;
  datasets.reserve(set.sources.size());
  for (const CalibrationSource &source : set.sources)
    datasets.emplace_back(source, archiveLimitsFor(set.specs));
  std::vector<SampleFiles> all =
      pairSamples(set.specs, set.sources, set.sourceOf, datasets);
  SampleChoice choice = chooseSamples(
      all.size(), wantedSamples(set.sources, set.sourceOf, all.size()),
      holdOut);
  set.calibrated = choice.calibrated.size();
  std::vector<SampleFiles> paired;
  for (const std::vector<size_t> *list : {&choice.calibrated, &choice.heldOut})
    for (size_t index : *list)
      paired.push_back(std::move(all[index]));

  std::vector<std::string> folders =
      folderNames(set.specs, set.sources, set.sourceOf);
  std::vector<fs::path> roots;
  for (size_t source = 0; source < set.sources.size(); ++source) {
    std::set<std::string> wanted;
    for (const SampleFiles &sample : paired)
      for (size_t input = 0; input < set.specs.size(); ++input)
        if (set.sourceOf[input] == source)
          wanted.insert(sample.files[input]);
    std::vector<std::string> files(wanted.begin(), wanted.end());
    // A default that no input needs stays packed.
    roots.push_back(files.empty() ? fs::path()
                                  : datasets[source].provide(
                                        files, workDir / "quant" / folder /
                                                   folders[source]));
  }

  for (SampleFiles &from : paired) {
    Sample sample{std::move(from.name), {}};
    for (size_t input = 0; input < set.specs.size(); ++input)
      sample.files.push_back(roots[set.sourceOf[input]] / from.files[input]);
    set.samples.push_back(std::move(sample));
  }
  log(LogLevel::Info, "{} File(s) Loaded.", set.size());
  return set;
}

std::vector<Tensor> CalibrationSet::load(size_t index) const {
  const Sample &sample = samples[index];
  std::vector<Tensor> tensors(specs.size());
  for (size_t first = 0; first < specs.size(); ++first) {
    if (!tensors[first].isNull())
      continue;
    // One object file holds several inputs, and is read once for all of them.
    std::vector<size_t> served = {first};
    const CalibrationSource &source = sources[sourceOf[first]];
    for (size_t other = first + 1; other < specs.size(); ++other)
      if (source.format == DataFormat::NumpyObject &&
          sourceOf[other] == sourceOf[first])
        served.push_back(other);
    std::vector<PortInfo> inputs;
    inputs.reserve(served.size());
    for (size_t input : served)
      inputs.push_back(specs[input]);
    auto file = MappedFile::open(sample.files[first]);
    std::vector<Tensor> read =
        readSample(file->bytes(), file->path().string(), source, inputs);
    for (size_t place = 0; place < served.size(); ++place)
      tensors[served[place]] = std::move(read[place]);
  }
  return tensors;
}

} // namespace parallax
