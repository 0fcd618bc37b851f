//===- Labels.cpp - Readers of labels -------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Lists, YOLO's text files and COCO's JSON.
//===----------------------------------------------------------------------===//
#include "Labels.h"

#include "parallax/Data/Image.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/JsonProblem.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace fs = std::filesystem;
using nlohmann::json;

namespace parallax::tasks {
namespace {

std::vector<std::string> wordsOf(std::string_view line) {
  std::vector<std::string> words;
  constexpr std::string_view spaces = " \t\r";
  for (size_t at = line.find_first_not_of(spaces); at != std::string_view::npos;
       at = line.find_first_not_of(spaces, at)) {
    size_t end = std::min(line.find_first_of(spaces, at), line.size());
    words.emplace_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

std::optional<double> numberOf(std::string_view word) {
  double value = 0;
  auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() ||
      !std::isfinite(value))
    return std::nullopt;
  return value;
}

[[noreturn]] void failAt(const LabelText &file, size_t line,
                         std::string_view problem) {
  throw Error(fmt::format("{}:{}: {}", file.name, line + 1, problem));
}

bool isSkipped(const std::vector<std::string> &words) {
  return words.empty() || words[0].starts_with('#');
}

/// A line of the list: "3: cat", or "- cat" in their order.
std::pair<size_t, std::string> classInYaml(const LabelText &file,
                                           std::string_view line, size_t number,
                                           size_t next) {
  line.remove_prefix(line.find_first_not_of(' '));
  size_t label = next, colon = line.find(':');
  if (line.starts_with("- ")) {
    line.remove_prefix(1);
  } else {
    std::optional<double> given = numberOf(line.substr(0, colon));
    if (colon == std::string_view::npos || !given || *given < 0 ||
        *given != std::floor(*given) || *given > 1e6)
      failAt(file, number, "'3: cat' or '- cat' is expected in 'names'");
    label = size_t(*given);
    line.remove_prefix(colon + 1);
  }
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  bool isQuoted = line.size() >= 2 && line.front() == line.back() &&
                  (line.front() == '\'' || line.front() == '"');
  if (isQuoted)
    line = line.substr(1, line.size() - 2);
  return {label, std::string(line)};
}

} // namespace

std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    size_t last = line.find_last_not_of(" \t\r");
    lines.emplace_back(
        line.substr(0, last == std::string_view::npos ? 0 : last + 1));
    at = end + 1;
  }
  return lines;
}

std::vector<std::string> parseClassNames(const LabelText &file) {
  if (!file.name.ends_with(".yaml") && !file.name.ends_with(".yml")) {
    std::vector<std::string> names = linesOf(file.text);
    std::erase(names, "");
    return names;
  }
  std::map<size_t, std::string> names;
  std::vector<std::string> lines = linesOf(file.text);
  bool isInside = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (isSkipped(wordsOf(lines[i])))
      continue;
    if (!lines[i].starts_with(' ') && !lines[i].starts_with('-')) {
      isInside = lines[i] == "names:";
      if (!isInside && lines[i].starts_with("names:"))
        failAt(file, i, "the names must follow one by one, each in a line");
      continue;
    }
    if (isInside)
      names.insert(classInYaml(file, lines[i], i, names.size()));
  }
  std::vector<std::string> result;
  for (auto &[label, name] : names) {
    if (label != result.size())
      throw Error(
          fmt::format("{}: there is no class {}", file.name, result.size()));
    result.push_back(std::move(name));
  }
  if (result.empty())
    throw Error(fmt::format("{}: there is no list 'names' of classes; or give "
                            "a text file with a name in each line",
                            file.name));
  return result;
}

bool listsPairs(std::string_view text) {
  for (const std::string &line : linesOf(text))
    if (std::vector<std::string> words = wordsOf(line); !isSkipped(words))
      return words.size() == 3;
  return false;
}

std::vector<ListedSample> parseList(const LabelText &file, size_t paths) {
  std::vector<ListedSample> samples;
  std::vector<std::string> lines = linesOf(file.text);
  for (size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> words = wordsOf(lines[i]);
    if (isSkipped(words))
      continue;
    std::optional<double> number = numberOf(words.back());
    // The path of a single picture may hold spaces.
    if (!number || words.size() < paths + 1 ||
        (paths > 1 && words.size() != paths + 1))
      failAt(file, i,
             fmt::format("a line holds {} and a number",
                         paths == 1 ? "the path of a picture" : "two paths"));
    ListedSample sample;
    sample.number = *number;
    if (paths == 1)
      sample.paths = {lines[i].substr(
          lines[i].find_first_not_of(" \t"),
          lines[i].find_last_not_of(" \t",
                                    lines[i].size() - words.back().size() - 1) +
              1 - lines[i].find_first_not_of(" \t"))};
    else
      sample.paths.assign(words.begin(), words.begin() + long(paths));
    samples.push_back(std::move(sample));
  }
  if (samples.empty())
    throw Error(fmt::format("{} names no sample", file.name));
  return samples;
}

std::vector<TruthBox> parseYolo(const LabelText &file, size_t classes) {
  std::vector<TruthBox> boxes;
  std::vector<std::string> lines = linesOf(file.text);
  for (size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> words = wordsOf(lines[i]);
    if (words.empty())
      continue;
    double numbers[5];
    if (words.size() != 5)
      failAt(file, i,
             "a line holds a class and center x, center y, width and "
             "height of a box");
    for (size_t k = 0; k < 5; ++k) {
      std::optional<double> number = numberOf(words[k]);
      if (!number)
        failAt(file, i,
               fmt::format("'{}' is not a number", elide(words[k], 40)));
      numbers[k] = *number;
    }
    double label = numbers[0];
    if (label < 0 || label != std::floor(label) ||
        (classes > 0 && label >= double(classes)))
      failAt(file, i,
             fmt::format("class {} is not one of the {} classes", words[0],
                         classes > 0 ? std::to_string(classes) : "numbered"));
    for (size_t k = 1; k < 5; ++k)
      if (numbers[k] < 0 || numbers[k] > 1)
        failAt(file, i,
               fmt::format("{} is outside of 0 to 1: boxes are parts of the "
                           "picture, not pixels",
                           words[k]));
    boxes.push_back({int64_t(label), numbers[1] - numbers[3] / 2,
                     numbers[2] - numbers[4] / 2, numbers[1] + numbers[3] / 2,
                     numbers[2] + numbers[4] / 2});
  }
  return boxes;
}

CocoLabels parseCoco(const LabelText &file) {
  json root = json::parse(file.text, nullptr, /*allow_exceptions=*/false);
  auto fail = [&](std::string_view problem) {
    throw Error(
        fmt::format("{} is not in COCO's format: {}", file.name, problem));
  };
  if (!root.is_object())
    fail("it is not a JSON object");
  try {
    CocoLabels labels;
    std::map<int64_t, int64_t> classOf;
    for (const json &category : root.at("categories"))
      classOf[category.at("id").get<int64_t>()] = 0;
    labels.classNames.resize(classOf.size());
    int64_t next = 0;
    for (auto &[id, place] : classOf)
      place = next++;
    for (const json &category : root.at("categories"))
      labels.classNames[size_t(classOf.at(category.at("id").get<int64_t>()))] =
          category.value("name", "");
    std::map<std::string, std::vector<TruthBox>> pictures;
    std::map<int64_t, std::string> fileOf;
    for (const json &picture : root.at("images")) {
      std::string name = picture.at("file_name").get<std::string>();
      if (!fileOf.emplace(picture.at("id").get<int64_t>(), name).second)
        fail(fmt::format("two pictures have the id {}",
                         picture.at("id").get<int64_t>()));
      pictures[name];
    }
    for (const json &annotation : root.at("annotations")) {
      auto id = annotation.at("image_id").get<int64_t>();
      auto category = annotation.at("category_id").get<int64_t>();
      auto picture = fileOf.find(id);
      auto known = classOf.find(category);
      if (picture == fileOf.end())
        fail(fmt::format("a box is of picture {}, which is not there", id));
      if (known == classOf.end())
        fail(
            fmt::format("a box has category {}, which is not there", category));
      auto box = annotation.at("bbox").get<std::vector<double>>();
      if (box.size() != 4 || !(box[2] >= 0) || !(box[3] >= 0))
        fail(fmt::format("a box of '{}' has no x, y, width and height",
                         picture->second));
      const json &crowd = annotation.value("iscrowd", json(0));
      bool isCrowd =
          crowd.is_boolean() ? crowd.get<bool>() : crowd.get<int64_t>() != 0;
      pictures[picture->second].push_back({known->second, box[0], box[1],
                                           box[0] + box[2], box[1] + box[3],
                                           isCrowd});
    }
    for (auto &[name, boxes] : pictures)
      labels.pictures.push_back({name, std::move(boxes)});
    return labels;
  } catch (const json::exception &error) {
    fail(jsonProblem(error));
  }
  return {};
}

std::vector<fs::path> picturesIn(const fs::path &folder) {
  if (!fs::is_directory(folder))
    throw Error(fmt::format("{} is not a folder", folder.string()));
  std::vector<fs::path> files;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && isPictureName(entry.path()))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace parallax::tasks
