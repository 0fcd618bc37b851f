//===- EvaluationData.cpp - Labelled samples ------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Which files a configuration means, and what the answers should be.
//===----------------------------------------------------------------------===//
#include "parallax/Evaluate/EvaluationData.h"
#include "Labels.h"

#include "parallax/Support/Error.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/NumPy.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>

namespace fs = std::filesystem;

namespace parallax {

using namespace tasks;

namespace {

/// Rows of arrays that have no names.
std::vector<std::string> numbered(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i)
    names.push_back(fmt::format("{:06}", i));
  return names;
}

/// A text that stays in memory while a reader goes through it.
struct LabelFile {
  explicit LabelFile(const fs::path &path)
      : file(MappedFile::open(path)), label{file->text(), path.string()} {}

  std::shared_ptr<MappedFile> file;
  LabelText label;
};

/// At most a few names, for messages.
std::string someOf(const std::vector<std::string> &names) {
  constexpr size_t most = 3;
  std::span<const std::string> shown(names.data(),
                                     std::min(most, names.size()));
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     names.size() > most
                         ? fmt::format(" and {} more", names.size() - most)
                         : "");
}

bool areStacks(const EvaluationConfig &config) {
  return !config.inputs.empty() ||
         fs::path(config.images).extension() == ".npy";
}

std::optional<PictureList> listOf(const EvaluationConfig &config) {
  fs::path images = config.images, labels = config.labels;
  PictureList list;
  if (areStacks(config))
    return std::nullopt;
  if (images.extension() == ".txt")
    list = {images, images.parent_path()};
  else if (labels.extension() == ".txt")
    list = {labels, images};
  else
    return std::nullopt;
  LabelFile text(list.file);
  list.isPaired =
      config.task == EvaluationTask::Embedding && listsPairs(text.label.text);
  list.samples = parseList(text.label, list.isPaired ? 2 : 1);
  return list;
}

std::vector<double> numbersOf(const std::string &path) {
  Tensor labels = readNpy(path);
  if (labels.rank() != 1)
    throw Error(fmt::format("{} must hold one number for each sample, not {}",
                            path, toString(labels.shape())));
  std::vector<double> numbers(size_t(labels.size()));
  bool isKnown = false;
  dispatch(labels.dtype(), [&]<typename T>(TypeTag<T>) {
    isKnown = std::is_arithmetic_v<T>;
    if constexpr (std::is_arithmetic_v<T>)
      std::copy_n(labels.data<T>(), labels.size(), numbers.begin());
  });
  if (!isKnown)
    throw Error(fmt::format("{} holds {}; save labels as int64 or float32",
                            path, nameOf(labels.dtype())));
  return numbers;
}

} // namespace

std::string Labels::nameOf(int64_t label) const {
  std::string number = std::to_string(label);
  bool isNamed = label >= 0 && size_t(label) < classNames.size() &&
                 classNames[size_t(label)] != number;
  return isNamed ? fmt::format("{} ({})", number, classNames[size_t(label)])
                 : number;
}

//===----------------------------------------------------------------------===//
// Finding samples
//===----------------------------------------------------------------------===//

EvaluationData::EvaluationData(const EvaluationConfig &config) {
  if (!config.classes.empty())
    truth.classNames = parseClassNames(LabelFile(config.classes).label);
  if (areStacks(config))
    openStacks(config);
  else if (std::optional<PictureList> list = listOf(config))
    openList(*list);
  else if (config.labels.empty() && config.task != EvaluationTask::Custom)
    openClassFolders(config);
  else
    openPictures(config);
  chooseSamples(config.size);
}

void EvaluationData::openStacks(const EvaluationConfig &config) {
  std::vector<EvaluationInput> inputs = config.inputs;
  if (inputs.empty())
    inputs.push_back({"", config.images, "", 0});
  size_t count = 0, paired = 0, given = 0;
  for (const EvaluationInput &input : inputs) {
    Stack stack{input.tensorName, input.data, {}, input.value};
    for (size_t side = 0; side < 2; ++side) {
      const std::string &path = side == 0 ? input.data : input.pairData;
      if (path.empty())
        continue;
      stack.data[side] = mapNpy(path);
      const Shape &shape = stack.data[side].shape();
      if (shape.empty() || shape[0] == 0)
        throw Error(fmt::format("{} holds no samples", path));
      if (count > 0 && size_t(shape[0]) != count)
        throw Error(fmt::format("{} holds {} samples, but there are {} in the "
                                "data of the first input",
                                path, shape[0], count));
      count = size_t(shape[0]);
    }
    given += !input.data.empty();
    paired += !input.pairData.empty();
    stacks.push_back(std::move(stack));
  }
  if (given == 0)
    throw Error("evaluation.inputs gives no data: at least one input needs a "
                ".npy file");
  if (paired > 0 && paired != given)
    throw Error("evaluation.inputs gives pair_data for some inputs only");
  isPaired = paired > 0;
  names = numbered(count);
  if (config.task != EvaluationTask::Custom)
    readLabels(config);
}

void EvaluationData::openList(const PictureList &list) {
  isPaired = list.isPaired;
  for (const ListedSample &sample : list.samples) {
    for (const std::string &path : sample.paths) {
      fs::path file = list.folder / path;
      if (!fs::is_regular_file(file))
        throw Error(fmt::format("{} names '{}', but there is no picture {}",
                                list.file.string(), path, file.string()));
      files.push_back(std::move(file));
    }
    names.push_back(fmt::format("{}", fmt::join(sample.paths, " ")));
    truth.numbers.push_back(sample.number);
  }
}

std::vector<fs::path> listedPictures(const EvaluationConfig &config) {
  std::vector<fs::path> files;
  if (std::optional<PictureList> list = listOf(config))
    for (const ListedSample &sample : list->samples)
      for (const std::string &path : sample.paths)
        files.push_back(list->folder / path);
  return files;
}

void EvaluationData::openClassFolders(const EvaluationConfig &config) {
  fs::path folder = config.images;
  if (!fs::is_directory(folder))
    throw Error(fmt::format("{} is neither a folder nor a .npy or .txt file",
                            folder.string()));
  std::vector<std::string> classes;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder))
    if (entry.is_directory())
      classes.push_back(entry.path().filename().string());
  std::sort(classes.begin(), classes.end());
  if (classes.empty())
    throw Error(fmt::format("{} holds no folders: give labels, or a folder for "
                            "each class",
                            folder.string()));
  if (truth.classNames.empty())
    truth.classNames = classes;
  for (const std::string &name : classes) {
    auto place =
        std::find(truth.classNames.begin(), truth.classNames.end(), name);
    if (place == truth.classNames.end())
      throw Error(fmt::format("{} has a folder '{}', which is not one of the "
                              "classes of {}",
                              folder.string(), name, config.classes));
    for (fs::path &file : picturesIn(folder / name)) {
      names.push_back(file.lexically_relative(folder).string());
      files.push_back(std::move(file));
      truth.numbers.push_back(double(place - truth.classNames.begin()));
    }
  }
  if (files.empty())
    throw Error(
        fmt::format("{} holds no JPEG, PNG or BMP pictures", folder.string()));
}

void EvaluationData::openPictures(const EvaluationConfig &config) {
  fs::path folder = config.images;
  if (fs::path(config.labels).extension() == ".json") {
    CocoLabels coco = parseCoco(LabelFile(config.labels).label);
    if (!truth.classNames.empty() &&
        truth.classNames.size() != coco.classNames.size())
      throw Error(fmt::format("{} names {} classes, but {} has {}",
                              config.classes, truth.classNames.size(),
                              config.labels, coco.classNames.size()));
    truth.classNames = coco.classNames;
    std::vector<std::string> missing;
    for (CocoLabels::Picture &picture : coco.pictures) {
      fs::path file = folder / picture.file;
      if (!fs::is_regular_file(file)) {
        missing.push_back(picture.file);
        continue;
      }
      files.push_back(file);
      names.push_back(picture.file);
      truth.boxes.push_back(std::move(picture.boxes));
    }
    if (!missing.empty())
      throw Error(fmt::format("{} has labels of pictures that are not in {}: "
                              "{}",
                              config.labels, folder.string(), someOf(missing)));
  } else {
    files = picturesIn(folder);
    for (const fs::path &file : files)
      names.push_back(file.lexically_relative(folder).string());
  }
  if (files.empty())
    throw Error(
        fmt::format("{} holds no JPEG, PNG or BMP pictures", folder.string()));
  if (truth.boxes.empty() && config.task != EvaluationTask::Custom)
    readLabels(config);
}

//===----------------------------------------------------------------------===//
// Labels
//===----------------------------------------------------------------------===//

void EvaluationData::readLabels(const EvaluationConfig &config) {
  fs::path labels = config.labels;
  size_t count = names.size();
  if (config.task == EvaluationTask::Detection && !fs::is_directory(labels))
    throw Error(fmt::format(
        "evaluation.labels of a detector must be a folder of YOLO's .txt files "
        "{}, not {}",
        hasPictures() ? "or a .json file in COCO's format"
                      : "with the numbers of samples as names (000000.txt, …)",
        labels.string()));
  if (fs::is_directory(labels)) {
    matchFiles(labels);
    if (config.task != EvaluationTask::Detection)
      return;
    truth.areRelative = true;
    for (const fs::path &file : truth.files)
      truth.boxes.push_back(file.empty() ? std::vector<TruthBox>()
                                         : parseYolo(LabelFile(file).label,
                                                     truth.classNames.size()));
    return;
  }
  if (labels.extension() != ".npy")
    throw Error(fmt::format("evaluation.labels: {} is neither a folder nor a "
                            ".npy file",
                            labels.string()));
  if (config.task == EvaluationTask::Regression ||
      config.task == EvaluationTask::Segmentation) {
    truth.stack = mapNpy(labels);
    if (truth.stack.rank() < 1 || size_t(truth.stack.dim(0)) != count)
      throw Error(fmt::format("{} must hold one answer for each of the {} "
                              "samples, not {}",
                              labels.string(), count,
                              toString(truth.stack.shape())));
    return;
  }
  truth.numbers = numbersOf(labels.string());
  if (truth.numbers.size() != count)
    throw Error(fmt::format("{} must hold one label for each of the {} "
                            "samples, not {}",
                            labels.string(), count, truth.numbers.size()));
}

/// The label of a picture has its name with another extension. YOLO leaves the
/// file of a picture without objects out.
void EvaluationData::matchFiles(const fs::path &folder) {
  std::map<std::string, fs::path> byName;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().filename() != "classes.txt" &&
        (entry.path().extension() == ".txt" || isPictureName(entry.path())))
      byName[entry.path()
                 .lexically_relative(folder)
                 .replace_extension()
                 .string()] = entry.path();
  std::vector<std::string> without;
  for (const std::string &name : names) {
    auto found = byName.find(fs::path(name).replace_extension().string());
    if (found == byName.end()) {
      without.push_back(name);
      truth.files.emplace_back();
      continue;
    }
    truth.files.push_back(found->second);
    byName.erase(found);
  }
  std::vector<std::string> orphans;
  for (const auto &[name, path] : byName)
    orphans.push_back(path.filename().string());
  if (!orphans.empty())
    throw Error(fmt::format("{} has labels without a picture: {}",
                            folder.string(), someOf(orphans)));
  bool isYolo = std::any_of(
      truth.files.begin(), truth.files.end(),
      [](const fs::path &file) { return file.extension() == ".txt"; });
  if (without.size() == names.size() || (!without.empty() && !isYolo))
    throw Error(fmt::format("{} has no labels for {}", folder.string(),
                            someOf(without)));
  if (!without.empty())
    log(LogLevel::Warning,
        "{} pictures have no file of labels, and count as pictures without "
        "objects: {}",
        without.size(), someOf(without));
}

/// Evenly over the set, since sets are often sorted by class.
void EvaluationData::chooseSamples(int64_t size) {
  size_t all = names.size();
  size_t count = size < 0 ? all : std::min(all, size_t(size));
  for (size_t i = 0; i < count; ++i)
    chosen.push_back(i * all / count);
  auto keep = [&](auto &list) {
    if (list.size() != all)
      return;
    for (size_t i = 0; i < count; ++i)
      if (chosen[i] != i)
        list[i] = std::move(list[chosen[i]]);
    list.resize(count);
  };
  keep(names);
  keep(truth.numbers);
  keep(truth.boxes);
  keep(truth.files);
}

} // namespace parallax
