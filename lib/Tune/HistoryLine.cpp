//===- HistoryLine.cpp - One trial as a line of JSON ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// JSON has no NaN and no infinities, which a failed metric may be: they are the
// texts "nan", "inf" and "-inf".
//===----------------------------------------------------------------------===//
#include "HistoryLine.h"

#include "parallax/Support/Error.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view historyFormat = "parallax-tuning-history";
constexpr int64_t historyVersion = 1;

/// Messages of commands may hold any bytes, which JSON can't.
std::string oneLine(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json jsonOf(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}

Json jsonOf(const Estimate &estimate) {
  return {{"value", jsonOf(estimate.value)},
          {"low", jsonOf(estimate.low)},
          {"high", jsonOf(estimate.high)}};
}

Json jsonOf(std::span<const ConfigEdit> edits) {
  Json list = Json::array();
  for (const ConfigEdit &edit : edits)
    list.push_back({{"field", edit.field},
                    {"value", edit.value},
                    {"appends", edit.appends}});
  return list;
}

class HistoryReader {
public:
  /// `inner` is where the object lies in the line: "edits[2]".
  HistoryReader(const Json &object, const std::string &place,
                std::string inner = "")
      : object(object), place(place), inner(std::move(inner)) {
    if (!object.is_object())
      fail(this->inner.empty() ? "the line" : this->inner, "is not an object");
  }

  [[noreturn]] void fail(std::string_view name, std::string_view what) const {
    throw Error(fmt::format("{}: {} {}; tune without --resume to start anew",
                            place, name, what));
  }

  bool has(const std::string &name) const { return object.contains(name); }

  void operator()(const std::string &name, int64_t &value) const {
    const Json &json = at(name);
    bool isTooLarge =
        json.is_number_unsigned() &&
        json.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max());
    if (!json.is_number_integer() || isTooLarge)
      fail(full(name), "is not an integer of 64 bits");
    value = json.get<int64_t>();
  }

  void operator()(const std::string &name, double &value) const {
    const Json &json = at(name);
    if (json.is_number())
      value = json.get<double>();
    else if (json == "nan")
      value = std::numeric_limits<double>::quiet_NaN();
    else if (json == "inf" || json == "-inf")
      value =
          (json == "inf" ? 1 : -1) * std::numeric_limits<double>::infinity();
    else
      fail(full(name), "is not a number");
  }

  void operator()(const std::string &name, std::string &value) const {
    if (!at(name).is_string())
      fail(full(name), "is not a text");
    value = at(name).get<std::string>();
  }

  void operator()(const std::string &name, bool &value) const {
    if (!at(name).is_boolean())
      fail(full(name), "is neither true nor false");
    value = at(name).get<bool>();
  }

  void operator()(const std::string &name, Estimate &value) const {
    HistoryReader reader(at(name), place, full(name));
    reader("value", value.value);
    reader("low", value.low);
    reader("high", value.high);
  }

  void operator()(const std::string &name,
                  std::vector<ConfigEdit> &edits) const {
    const Json &list = at(name);
    if (!list.is_array())
      fail(full(name), "is not a list");
    for (size_t i = 0; i < list.size(); ++i) {
      HistoryReader reader(list[i], place,
                           fmt::format("{}[{}]", full(name), i));
      ConfigEdit &edit = edits.emplace_back();
      reader("field", edit.field);
      reader("value", edit.value);
      reader("appends", edit.appends);
    }
  }

private:
  std::string full(const std::string &name) const {
    return inner.empty() ? name : fmt::format("{}.{}", inner, name);
  }

  const Json &at(const std::string &name) const {
    auto found = object.find(name);
    if (found == object.end())
      fail(full(name), "is missing");
    return *found;
  }

  const Json &object;
  const std::string &place;
  std::string inner;
};

Json parseLine(std::string_view line, const std::string &place) {
  Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded())
    throw Error(
        fmt::format("{}: the line is not JSON; tune without --resume to "
                    "start anew",
                    place));
  return json;
}

} // namespace

std::string historyHeader(const std::string &identity) {
  return oneLine({{"format", historyFormat},
                  {"version", historyVersion},
                  {"identity", identity}});
}

std::string parseHistoryHeader(std::string_view line,
                               const std::string &place) {
  Json json = parseLine(line, place);
  HistoryReader reader(json, place);
  std::string format, identity;
  int64_t version = 0;
  reader("format", format);
  if (format != historyFormat)
    reader.fail("the file", "is not a history of tuning");
  reader("version", version);
  if (version != historyVersion)
    reader.fail("the file", "was written by another version of Parallax");
  reader("identity", identity);
  return identity;
}

std::string historyLine(const TrialRecord &record) {
  Json json{{"number", record.number},       {"purpose", record.purpose},
            {"edits", jsonOf(record.edits)}, {"metric", jsonOf(record.metric)},
            {"loss", jsonOf(record.loss)},   {"samples", record.samples},
            {"cycles", record.cycles}};
  if (record.predictedMetric)
    json["predicted_metric"] = jsonOf(*record.predictedMetric);
  if (record.predictedCycles)
    json["predicted_cycles"] = *record.predictedCycles;
  json["seconds"] = jsonOf(record.seconds);
  json["digest"] = record.digest;
  json["failure"] = record.failure;
  return oneLine(json);
}

TrialRecord parseHistoryLine(std::string_view line, const std::string &place) {
  Json json = parseLine(line, place);
  HistoryReader reader(json, place);
  TrialRecord record;
  reader("number", record.number);
  reader("purpose", record.purpose);
  reader("edits", record.edits);
  reader("metric", record.metric);
  reader("loss", record.loss);
  reader("samples", record.samples);
  reader("cycles", record.cycles);
  if (reader.has("predicted_metric"))
    reader("predicted_metric", record.predictedMetric.emplace());
  if (reader.has("predicted_cycles"))
    reader("predicted_cycles", record.predictedCycles.emplace());
  reader("seconds", record.seconds);
  reader("digest", record.digest);
  reader("failure", record.failure);
  return record;
}

std::string trialKey(std::span<const ConfigEdit> edits, int64_t samples) {
  return fmt::format("{} {}", samples, oneLine(jsonOf(edits)));
}

} // namespace parallax
