//===- PrecisionReader.cpp - A precision analysis from its file -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A file may come from anywhere and from another version. What this one does
// not know is skipped, what it needs and does not find is an error that says
// where, and nothing is allocated that the file does not hold itself.
//===----------------------------------------------------------------------===//
#include "PrecisionFields.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/JsonProblem.h"
#include "parallax/Support/MappedFile.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

class JsonReader {
public:
  /// `place` is where the object lies in `file`: "tables[0].rows[3]".
  JsonReader(const Json &object, std::string_view file, std::string place)
      : object(object), file(file), place(std::move(place)) {
    if (!object.is_object())
      fail(this->place, "is not an object");
  }

  template <typename T> void operator()(const std::string &name, T &value) {
    if (const Json *field = find(name))
      read(*field, placeOf(name), value);
    else
      fail(placeOf(name), "is missing");
  }
  template <typename T> void optional(const std::string &name, T &value) {
    if (const Json *field = find(name))
      read(*field, placeOf(name), value);
  }
  template <typename T>
  void optional(const std::string &name, std::optional<T> &value) {
    if (const Json *field = find(name))
      read(*field, placeOf(name), value.emplace());
  }
  template <typename T> void unless(bool, const std::string &name, T &value) {
    const Json *field = find(name);
    if (!field || !field->is_null())
      (*this)(name, value);
  }
  template <typename T> void derived(const std::string &, const T &) {}
  template <typename Show> void column(const Column &, const Show &) {}
  void embedded(const std::string &name, std::string &value) {
    if (const Json *field = find(name))
      value = field->dump();
    else
      fail(placeOf(name), "is missing");
  }

private:
  const Json *find(const std::string &name) const {
    auto it = object.find(name);
    return it == object.end() ? nullptr : &*it;
  }

  std::string placeOf(const std::string &name) const {
    return place.empty() ? name : fmt::format("{}.{}", place, name);
  }

  [[noreturn]] void fail(const std::string &where,
                         std::string_view what) const {
    throw Error(
        fmt::format("{}: {} {}; write the file again with parallax build", file,
                    where.empty() ? std::string("the file") : where, what));
  }

  void read(const Json &json, const std::string &where, bool &value) {
    if (!json.is_boolean())
      fail(where, "is neither true nor false");
    value = json.get<bool>();
  }
  void read(const Json &json, const std::string &where, int64_t &value) {
    bool isTooLarge =
        json.is_number_unsigned() &&
        json.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max());
    if (!json.is_number_integer() || isTooLarge)
      fail(where, "is not an integer of 64 bits");
    value = json.get<int64_t>();
  }
  void read(const Json &json, const std::string &where, double &value) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (json.is_number())
      value = json.get<double>();
    else if (json == "inf")
      value = infinity;
    else if (json == "-inf")
      value = -infinity;
    else if (json == "nan" || json == "-nan")
      value = std::numeric_limits<double>::quiet_NaN();
    else
      fail(where, "is not a number");
  }
  void read(const Json &json, const std::string &where, float &value) {
    double wide = 0;
    read(json, where, wide);
    if (std::abs(wide) > std::numeric_limits<float>::max())
      fail(where, "is not a number of 32 bits");
    value = float(wide);
  }
  void read(const Json &json, const std::string &where, std::string &value) {
    if (!json.is_string())
      fail(where, "is not text");
    value = json.get<std::string>();
  }
  void read(const Json &json, const std::string &where,
            std::pair<double, double> &ends) {
    std::vector<double> list;
    read(json, where, list);
    if (list.size() != 2)
      fail(where, "is not a pair of numbers");
    ends = {list[0], list[1]};
  }
  void read(const Json &json, const std::string &where, Histogram &values) {
    Histogram::Form form;
    read(json, where, form);
    std::optional<Histogram> restored = Histogram::restore(form);
    if (!restored)
      fail(where, "is not a histogram");
    values = std::move(*restored);
  }
  template <typename T>
  void read(const Json &json, const std::string &where, std::vector<T> &list) {
    if (!json.is_array())
      fail(where, "is not a list");
    list.clear();
    for (const Json &element : json)
      read(element, fmt::format("{}[{}]", where, list.size()),
           list.emplace_back());
  }
  template <typename T>
  void read(const Json &json, const std::string &where, T &value) {
    if constexpr (std::is_enum_v<T>) {
      std::string name;
      read(json, where, name);
      for (int i = 0; i < nameCount<T>; ++i)
        if (nameOf(T(i)) == name) {
          value = T(i);
          return;
        }
      fail(where, "is not a name that this version knows");
    } else {
      JsonReader inner(json, file, where);
      describe(inner, value);
      inner.check(value);
    }
  }

  template <typename T> void check(const T &) const {}
  void check(const PrecisionRow &row) const {
    const ComparisonResult &metrics = row.metrics;
    // Only integers and truth values have none.
    if (!metrics.isExact && object["cosine"].is_null())
      fail(placeOf("cosine"), "is not a number");
    checkCosine("cosine", metrics.cosine);
    checkCosine("worst_sample_cosine", metrics.worstSampleCosine);
    checkCosine("worst_channel_cosine", metrics.worstChannelCosine);
    checkCosine("agreement", metrics.agreement);
  }
  void check(const ChannelGroup &group) const {
    checkCosine("cosine", group.cosine);
    checkCosine("mean", group.mean);
    checkCosine("lowest", group.lowest);
    checkCosine("highest", group.highest);
  }
  void checkCosine(const std::string &name, double value) const {
    if (!(std::abs(value) <= 1))
      fail(placeOf(name), "is not between -1 and 1");
  }

  const Json &object;
  std::string_view file;
  std::string place;
};

Json parse(std::string_view text, std::string_view file) {
  try {
    return Json::parse(text);
  } catch (const Json::exception &error) {
    throw Error(fmt::format("{} is not JSON: {}", file, jsonProblem(error)));
  }
}

} // namespace

PrecisionReport parsePrecisionJson(std::string_view text,
                                   std::string_view file) {
  Json json = parse(text, file);
  JsonReader reader(json, file, "");
  int64_t schema = 0;
  reader("schema", schema);
  if (schema > precisionSchema)
    throw Error(fmt::format("{} has schema {}, and this version of Parallax "
                            "knows {}: read it with a newer one",
                            file, schema, precisionSchema));
  if (schema < 1)
    throw Error(fmt::format("{}: schema {} never existed", file, schema));
  PrecisionReport report;
  describe(reader, report);
  return report;
}

PrecisionReport readPrecisionJson(const std::filesystem::path &path) {
  return parsePrecisionJson(MappedFile::open(path)->text(), path.string());
}

} // namespace parallax
