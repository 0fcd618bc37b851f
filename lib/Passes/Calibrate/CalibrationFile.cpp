//===- CalibrationFile.cpp - Ranges that outlive a build ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Numbers are written with as many digits as they need to be read back the
// same, so that equal calibrations are equal files.
//===----------------------------------------------------------------------===//
#include "parallax/Passes/Calibrate/CalibrationFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/JsonProblem.h"
#include "parallax/Support/MappedFile.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t fileVersion = 1;

Json pairOf(Interval range) { return Json::array({range.low, range.high}); }

/// Channels without a single finite value have no extremes.
Json numbersOf(const std::vector<float> &values) {
  Json list = Json::array();
  for (float value : values)
    list.push_back(std::isfinite(value) ? Json(value) : Json());
  return list;
}

constexpr std::string_view oddKinds[] = {"repeats", "constant", "not_finite",
                                         "widens"};

class Reader {
public:
  explicit Reader(std::string path) : path(std::move(path)) {}

  Calibration read(const Json &root) {
    int64_t version = integer(root, "version");
    if (version != fileVersion)
      throw Error(fmt::format("{}: is of version {}, this program reads {}",
                              path, version, fileVersion));
    Calibration calibration;
    calibration.method = text(root, "method");
    calibration.samples = integer(root, "samples");
    for (const Json &entry : list(root, "tensors"))
      calibration.tensors.push_back(readTensor(entry));
    if (root.contains("odd_samples"))
      for (const Json &entry : list(root, "odd_samples"))
        calibration.oddSamples.push_back(readOddSample(entry));
    return calibration;
  }

private:
  OddSample readOddSample(const Json &entry) {
    std::string kind = text(entry, "kind");
    auto known = std::ranges::find(oddKinds, kind);
    if (known == std::end(oddKinds))
      fail("kind", fmt::format("one of {}", fmt::join(oddKinds, ", ")));
    return {text(entry, "sample"), OddSample::Kind(known - oddKinds),
            text(entry, "of"), integer(entry, "tensors")};
  }

  TensorRange readTensor(const Json &entry) {
    TensorRange range;
    range.tensor = text(entry, "tensor");
    place = fmt::format(" of tensor '{}'", range.tensor);
    range.node = text(entry, "node");
    range.count = integer(entry, "count");
    range.nans = integer(entry, "nan");
    range.infs = integer(entry, "inf");
    range.values = pair(entry, "values");
    range.u8 = pair(entry, "u8");
    range.u16 = pair(entry, "u16");
    range.channelAxis = integer(entry, "channel_axis");
    range.channelMin = numbers(entry, "channel_min", INFINITY);
    range.channelMax = numbers(entry, "channel_max", -INFINITY);
    if (range.channelMin.size() != range.channelMax.size())
      fail("channel_max", "as many numbers as 'channel_min'");
    if (entry.contains("u8_method"))
      range.u8Method = text(entry, "u8_method");
    if (entry.contains("u16_method"))
      range.u16Method = text(entry, "u16_method");
    if (entry.contains("min_sample"))
      range.minSample = text(entry, "min_sample");
    if (entry.contains("max_sample"))
      range.maxSample = text(entry, "max_sample");
    place.clear();
    return range;
  }

  const Json &field(const Json &object, const char *name) {
    if (!object.is_object() || !object.contains(name))
      throw Error(
          fmt::format("{}: field '{}'{} is missing", path, name, place));
    return object[name];
  }

  [[noreturn]] void fail(const char *name, std::string_view expected) {
    throw Error(fmt::format("{}: field '{}'{} must be {}", path, name, place,
                            expected));
  }

  std::string text(const Json &object, const char *name) {
    const Json &value = field(object, name);
    if (!value.is_string())
      fail(name, "a text");
    return value.get<std::string>();
  }

  int64_t integer(const Json &object, const char *name) {
    const Json &value = field(object, name);
    if (!value.is_number_integer())
      fail(name, "a whole number");
    return value.get<int64_t>();
  }

  const Json &list(const Json &object, const char *name) {
    const Json &value = field(object, name);
    if (!value.is_array())
      fail(name, "a list");
    return value;
  }

  Interval pair(const Json &object, const char *name) {
    const Json &value = list(object, name);
    if (value.size() != 2 || !value[0].is_number() || !value[1].is_number() ||
        value[0].get<double>() > value[1].get<double>())
      fail(name, "a pair of numbers, the smaller one first");
    return {value[0].get<double>(), value[1].get<double>()};
  }

  std::vector<float> numbers(const Json &object, const char *name,
                             float absent) {
    std::vector<float> values;
    for (const Json &value : list(object, name)) {
      if (!value.is_number() && !value.is_null())
        fail(name, "a list of numbers");
      values.push_back(value.is_null() ? absent : value.get<float>());
    }
    return values;
  }

  std::string path;
  /// Which tensor is being read, for messages.
  std::string place;
};

} // namespace

/// One line, so that a calibration can be read and compared line by line.
static std::string lineOf(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string_view nameOf(OddSample::Kind kind) { return oddKinds[size_t(kind)]; }

std::string toJson(std::span<const OddSample> samples) {
  Json odd = Json::array();
  for (const OddSample &each : samples)
    odd.push_back({{"sample", each.sample},
                   {"kind", nameOf(each.kind)},
                   {"of", each.of},
                   {"tensors", each.tensors}});
  return lineOf(odd);
}

std::string toJson(const Calibration &calibration) {
  std::string odd;
  if (!calibration.oddSamples.empty())
    odd = fmt::format("\"odd_samples\": {},\n", toJson(calibration.oddSamples));
  std::string text = fmt::format(
      "{{\n\"version\": {},\n\"method\": {},\n\"samples\": {},\n"
      "{}\"tensors\": [",
      fileVersion, lineOf(calibration.method), calibration.samples, odd);
  const char *separator = "\n";
  for (const TensorRange &range : calibration.tensors) {
    Json entry = {{"tensor", range.tensor},
                  {"node", range.node},
                  {"count", range.count},
                  {"nan", range.nans},
                  {"inf", range.infs},
                  {"values", pairOf(range.values)},
                  {"u8", pairOf(range.u8)},
                  {"u16", pairOf(range.u16)},
                  {"channel_axis", range.channelAxis},
                  {"channel_min", numbersOf(range.channelMin)},
                  {"channel_max", numbersOf(range.channelMax)}};
    if (!range.u8Method.empty())
      entry["u8_method"] = range.u8Method;
    if (!range.u16Method.empty())
      entry["u16_method"] = range.u16Method;
    if (!range.minSample.empty())
      entry["min_sample"] = range.minSample;
    if (!range.maxSample.empty())
      entry["max_sample"] = range.maxSample;
    text += separator + lineOf(entry);
    separator = ",\n";
  }
  return text + "\n]}\n";
}

Calibration readCalibration(const std::filesystem::path &path) {
  std::error_code ignored;
  if (std::filesystem::status(path, ignored).type() ==
      std::filesystem::file_type::not_found)
    throw Error(fmt::format("{}: there is no such calibration", path.string()));
  try {
    return Reader(path.string()).read(Json::parse(readText(path)));
  } catch (const nlohmann::json::exception &error) {
    throw Error(fmt::format("{}: {}", path.string(), jsonProblem(error)));
  }
}

std::string describeMissingRanges(const std::vector<std::string> &tensors) {
  auto end = tensors.begin() + std::min<std::ptrdiff_t>(std::ssize(tensors), 5);
  return fmt::format(
      "the calibration has no range for {} of the network's tensors, such as "
      "'{}': it is of another network",
      tensors.size(), fmt::join(tensors.begin(), end, "', '"));
}

} // namespace parallax
