//===- Pairing.cpp - Which files belong to one sample ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The inputs of a network are calibrated together: token ids with the mask that
// belongs to them. What belongs together has the same name; a file without its
// partner is a mistake in the making of the set, and never left out in silence.
//===----------------------------------------------------------------------===//
#include "parallax/Data/Dataset.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/NearestNames.h"
#include "parallax/Support/TensorFile.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <fmt/format.h>

namespace parallax {
namespace {

constexpr std::string_view defaultName = "DEFAULT";

/// Files of one input by the name of their sample.
using FilesByName = std::map<std::string, std::string>;

/// The part of `path` after a folder of this name, or nothing.
std::optional<std::string_view> afterFolder(std::string_view path,
                                            std::string_view folder) {
  size_t begin = 0;
  for (size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', begin)) {
    if (path.substr(begin, slash - begin) == folder)
      return path.substr(slash + 1);
    begin = slash + 1;
  }
  return std::nullopt;
}

/// How many bytes of folders all paths begin with.
size_t commonFolders(std::span<const std::string_view> paths) {
  std::string_view common =
      paths.front().substr(0, paths.front().rfind('/') + 1);
  for (std::string_view path : paths)
    while (!path.starts_with(common))
      common =
          common.substr(0, common.substr(0, common.size() - 1).rfind('/') + 1);
  return common.size();
}

std::string_view withoutExtension(std::string_view path) {
  size_t dot = path.rfind('.');
  return path.substr(0, dot);
}

/// A set of several inputs keeps each in a folder of its name; where there is
/// such a folder, only its files count.
FilesByName filesOf(const PortInfo &input, const CalibrationSource &source,
                    const Dataset &dataset) {
  std::vector<std::string_view> paths, keys;
  std::string fileName = fileNameOf(input.name);
  // An object holds all inputs, whatever its folder is called.
  if (source.format != DataFormat::NumpyObject)
    for (const FileEntry &file : dataset.files()) {
      auto rest = afterFolder(file.path, input.name);
      if (!rest)
        rest = afterFolder(file.path, fileName);
      if (!rest)
        continue;
      paths.push_back(file.path);
      keys.push_back(*rest);
    }
  if (paths.empty())
    for (const FileEntry &file : dataset.files()) {
      paths.push_back(file.path);
      keys.push_back(file.path);
    }

  FilesByName files;
  size_t prefix = commonFolders(keys);
  for (size_t index = 0; index < paths.size(); ++index) {
    std::string name(withoutExtension(keys[index].substr(prefix)));
    auto [place, isNew] = files.emplace(name, paths[index]);
    if (!isNew)
      throw Error(fmt::format(
          "'{}' has two files for the sample '{}' of input '{}': '{}' and "
          "'{}'; remove one",
          source.dataset.string(), elide(name, 80), input.name,
          elide(place->second, 80), elide(paths[index], 80)));
  }
  return files;
}

void expectPartners(const PortInfo &have, const FilesByName &all,
                    const PortInfo &lack, const FilesByName &partners) {
  constexpr size_t shown = 3;
  std::vector<std::string> missing;
  size_t count = 0;
  for (const auto &[name, file] : all)
    if (!partners.contains(name) && count++ < shown)
      missing.push_back(fmt::format("'{}'", elide(name, 80)));
  if (count > 0)
    throw Error(fmt::format(
        "{} samples of input '{}' have no partner of the same file name for "
        "input '{}': {}{}",
        count, have.name, lack.name, fmt::join(missing, ", "),
        count > shown ? ", ..." : ""));
}

} // namespace

std::vector<size_t> assignSources(std::span<const PortInfo> inputs,
                                  std::span<const CalibrationSource> sources) {
  std::vector<std::string> names;
  for (const PortInfo &input : inputs)
    names.push_back(input.name);
  std::map<std::string, size_t> byName;
  for (size_t index = 0; index < sources.size(); ++index) {
    const std::string &name = sources[index].tensorName;
    if (name != defaultName &&
        std::find(names.begin(), names.end(), name) == names.end())
      throw Error(
          fmt::format("input_configs names '{}', which is not an input of "
                      "the model{}",
                      name, didYouMean(name, names)));
    if (!byName.emplace(name, index).second)
      throw Error(fmt::format("input_configs names '{}' more than once", name));
  }
  std::vector<size_t> sourceOf;
  for (const std::string &name : names) {
    auto found = byName.find(name);
    if (found == byName.end())
      found = byName.find(std::string(defaultName));
    if (found == byName.end())
      throw Error(
          fmt::format("input '{}' has no calibration data; add an entry "
                      "to input_configs, or use tensor_name DEFAULT",
                      name));
    sourceOf.push_back(found->second);
  }
  return sourceOf;
}

std::vector<SampleFiles> pairSamples(std::span<const PortInfo> inputs,
                                     std::span<const CalibrationSource> sources,
                                     std::span<const size_t> sourceOf,
                                     std::span<const Dataset> datasets) {
  std::vector<FilesByName> files;
  files.reserve(inputs.size());
  for (size_t input = 0; input < inputs.size(); ++input)
    files.push_back(filesOf(inputs[input], sources[sourceOf[input]],
                            datasets[sourceOf[input]]));
  for (size_t input = 1; input < inputs.size(); ++input) {
    expectPartners(inputs[0], files[0], inputs[input], files[input]);
    expectPartners(inputs[input], files[input], inputs[0], files[0]);
  }

  std::vector<SampleFiles> samples;
  if (files.empty())
    return samples;
  for (const auto &[name, first] : files[0]) {
    SampleFiles sample{name, {}};
    for (const FilesByName &ofInput : files)
      sample.files.push_back(ofInput.at(name));
    samples.push_back(std::move(sample));
  }
  return samples;
}

size_t wantedSamples(std::span<const CalibrationSource> sources,
                     std::span<const size_t> sourceOf, size_t available) {
  size_t count = available;
  for (size_t index : sourceOf) {
    const CalibrationSource &source = sources[index];
    if (source.size < -1 || source.size == 0)
      throw Error(fmt::format("calibration_size of '{}' is {}; give a number "
                              "of samples, or -1 for all",
                              source.tensorName, source.size));
    if (source.size > 0)
      count = std::min(count, size_t(source.size));
  }
  return count;
}

SampleChoice chooseSamples(size_t available, size_t wanted,
                           const HoldOut &holdOut) {
  /// Fewer samples say little about the others that a network will see.
  constexpr size_t leastHeldOut = 4;
  constexpr size_t part = 4;
  SampleChoice choice;
  bool splits = holdOut.splits && available - wanted < leastHeldOut &&
                wanted >= leastHeldOut * part;
  for (size_t i = 0; i < wanted; ++i)
    (splits && i % part == part - 1 ? choice.heldOut : choice.calibrated)
        .push_back(i);
  for (size_t i = wanted; i < available; ++i)
    choice.heldOut.push_back(i);
  std::vector<size_t> &others = choice.heldOut;
  // Neighbours are often alike, so those that are looked at lie apart.
  size_t count = std::min(others.size(), holdOut.most);
  for (size_t i = 0; i < count; ++i)
    others[i] = others[i * others.size() / count];
  others.resize(count);
  return choice;
}

} // namespace parallax
