//===- ReportPictures.cpp - Samples that somebody should look at ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A picture that can't be read costs the report nothing but that picture: the
// samples may be on another computer by now.
//===----------------------------------------------------------------------===//
#include "ReportSummaries.h"

#include "parallax/Data/Image.h"
#include "parallax/Pipeline/OutputFiles.h"
#include "parallax/Support/Encoding.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/Parallel.h"

#include <algorithm>
#include <map>
#include <set>

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace parallax {
namespace {

constexpr size_t mostChanged = 24, mostCalibrated = 8, mostOdd = 8;
/// The longest side, in pixels.
constexpr int thumbnailSide = 320;

std::string textAt(const Json &json, const char *pointer) {
  Json::json_pointer at(pointer);
  return json.is_object() && json.contains(at) && json[at].is_string()
             ? json[at].get<std::string>()
             : std::string();
}

/// Names come out of a file: they must not lead out of the folder.
bool isBelow(const fs::path &name) {
  return name.is_relative() && std::ranges::find(name, "..") == name.end();
}

struct WantedPicture {
  fs::path file;
  std::string sample;
  const char *kind;
};

/// Null if there is no such picture.
Json pictureEntry(const WantedPicture &wanted) {
  std::error_code ignored;
  if (!isPictureName(wanted.file) || !fs::is_regular_file(wanted.file, ignored))
    return nullptr;
  try {
    Thumbnail small = thumbnailOf(MappedFile::open(wanted.file)->bytes(),
                                  wanted.file.string(), thumbnailSide);
    return {{"sample", wanted.sample},
            {"kind", wanted.kind},
            {"width", small.size.width},
            {"height", small.size.height},
            {"full_width", small.fullSize.width},
            {"full_height", small.fullSize.height},
            {"data", "data:image/jpeg;base64," + base64Of(small.file)}};
  } catch (const Error &error) {
    log(LogLevel::Debug, "no picture in the report: {}", error.what());
    return nullptr;
  }
}

using WantedPictures = std::vector<WantedPicture>;

void addChanged(WantedPictures &pictures, const fs::path &folder,
                const Json &accuracy) {
  if (folder.empty())
    return;
  const Json changed = accuracy.value("changed", Json::array());
  for (size_t i = 0; i < std::min(changed.size(), mostChanged); ++i)
    if (std::string name = textAt(changed[i], "/sample"); isBelow(name))
      pictures.push_back({folder / name, name, "evaluation"});
}

/// How many ranges each sample has set.
std::vector<std::string> widestSamples(const Calibration &calibration) {
  std::map<std::string, int64_t> counts;
  for (const TensorRange &range : calibration.tensors)
    for (const std::string *sample : {&range.minSample, &range.maxSample})
      if (!sample->empty())
        ++counts[*sample];
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto &[sample, count] : counts)
    order.emplace_back(-count, sample);
  std::ranges::sort(order);
  std::vector<std::string> samples;
  for (size_t i = 0; i < std::min(order.size(), mostCalibrated); ++i)
    samples.push_back(order[i].second);
  return samples;
}

/// Those, and the odd ones with what they repeat; each of them once.
std::vector<std::string> shownSamples(const Calibration &calibration) {
  std::vector<std::string> samples = widestSamples(calibration);
  auto add = [&](const std::string &sample) {
    if (std::ranges::find(samples, sample) == samples.end())
      samples.push_back(sample);
  };
  size_t odd = std::min(calibration.oddSamples.size(), mostOdd);
  for (const OddSample &each : std::span(calibration.oddSamples).first(odd)) {
    add(each.sample);
    if (each.kind == OddSample::Repeats)
      add(each.of);
  }
  return samples;
}

/// Calls `visit` for the files below a folder, as far as they can be listed.
template <typename Visit> void forEachFile(const fs::path &root, Visit visit) {
  std::error_code error;
  fs::recursive_directory_iterator entry(root, error), end;
  for (; !error && entry != end; entry.increment(error))
    visit(entry->path());
}

/// Samples are called by the paths of their files without the ending, from the
/// folder on in which all of them lie.
std::map<std::string, fs::path> findSamples(const fs::path &root,
                                            std::set<std::string> wanted) {
  std::map<std::string, fs::path> found;
  forEachFile(root, [&](const fs::path &file) {
    if (!isPictureName(file))
      return;
    std::string name =
        file.lexically_relative(root).replace_extension().generic_string();
    for (size_t begin = 0; begin != std::string::npos;) {
      std::string rest = name.substr(begin);
      if (wanted.contains(rest)) {
        auto [place, isNew] = found.emplace(rest, file);
        // The order of a folder is that of its file system.
        place->second = std::min(place->second, file);
      }
      begin = name.find('/', begin);
      begin += begin != std::string::npos;
    }
  });
  return found;
}

void addCalibrated(WantedPictures &pictures, const fs::path &folder,
                   const Calibration &calibration) {
  std::vector<std::string> samples = shownSamples(calibration);
  if (samples.empty() || folder.empty())
    return;
  std::map<std::string, fs::path> files =
      findSamples(folder, {samples.begin(), samples.end()});
  for (const std::string &sample : samples)
    if (auto it = files.find(sample); it != files.end())
      pictures.push_back({it->second, sample, "calibration"});
}

} // namespace

SampleFolders::SampleFolders(const fs::path &output, const Json &context,
                             const Json &command) {
  // Paths of a configuration are relative to where the build was started.
  fs::path start = textAt(command, "/folder");
  std::error_code ignored;
  auto placeOf = [&](const char *field) {
    fs::path given = textAt(context, field);
    return given.empty() || !fs::exists(start / given, ignored) ? given
                                                                : start / given;
  };
  evaluation = placeOf("/evaluation/images");
  calibration = placeOf("/quant/input_configs/0/calibration_dataset");
  if (fs::is_directory(calibration, ignored) || calibration.empty())
    return;
  fs::path work = placeOf("/work_dir");
  calibration = OutputFiles(work.empty() ? output : work).datasetFolder();
}

Json picturesOf(const SampleFolders &folders, const Json &accuracy,
                const Calibration *calibration) {
  WantedPictures wanted;
  addChanged(wanted, folders.evaluation, accuracy);
  if (calibration)
    addCalibrated(wanted, folders.calibration, *calibration);
  std::vector<Json> made(wanted.size());
  parallelFor(int64_t(wanted.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      made[size_t(i)] = pictureEntry(wanted[size_t(i)]);
  });
  Json pictures = Json::array();
  for (Json &picture : made)
    if (!picture.is_null())
      pictures.push_back(std::move(picture));
  return pictures;
}

} // namespace parallax
