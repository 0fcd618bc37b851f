//===- PrecisionFiles.cpp - A precision analysis for programs -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// JSON and CSV have the same numbers under the same names, from one list.
//===----------------------------------------------------------------------===//
#include "PrecisionFields.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinities, and null would not say which one.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

class JsonWriter {
public:
  Json object = Json::object();

  template <typename T>
  void operator()(const std::string &name, const T &value) {
    object.emplace(name, jsonOf(value));
  }
  template <typename T>
  void optional(const std::string &name, const std::optional<T> &value) {
    if (value)
      (*this)(name, *value);
  }
  void optional(const std::string &name, const ValueSummary &value) {
    if (value.count > 0)
      (*this)(name, value);
  }
  void optional(const std::string &name, const ChannelPeak &peak) {
    if (peak.channel >= 0)
      (*this)(name, peak);
  }
  /// Curves to look at: five digits say all that can be seen.
  void optional(const std::string &name, const std::vector<float> &curve) {
    if (curve.empty())
      return;
    Json numbers = Json::array();
    for (float value : curve)
      numbers.push_back(number(std::stod(fmt::format("{:.5g}", value))));
    object.emplace(name, std::move(numbers));
  }
  template <typename T> void optional(const std::string &name, const T &value) {
    (*this)(name, value);
  }
  template <typename T>
  void unless(bool isAbsent, const std::string &name, const T &value) {
    object.emplace(name, isAbsent ? Json() : jsonOf(value));
  }
  template <typename T> void derived(const std::string &name, const T &value) {
    (*this)(name, value);
  }
  template <typename Show> void column(const Column &, const Show &) {}
  void embedded(const std::string &name, const std::string &value) {
    Json parsed = Json::parse(value, nullptr, /*allow_exceptions=*/false);
    object.emplace(name, parsed.is_discarded() ? Json(value) : parsed);
  }

private:
  template <typename T> static Json jsonOf(const T &value) {
    if constexpr (std::is_floating_point_v<T>)
      return number(value);
    else if constexpr (std::is_enum_v<T>)
      return nameOf(value);
    else if constexpr (std::is_constructible_v<Json, T>)
      return value;
    else
      return objectOf(value);
  }
  template <typename T> static Json jsonOf(const std::vector<T> &list) {
    Json array = Json::array();
    for (const T &element : list)
      array.push_back(jsonOf(element));
    return array;
  }
  static Json jsonOf(const std::pair<double, double> &ends) {
    return {number(ends.first), number(ends.second)};
  }
  static Json jsonOf(const Histogram &values) {
    return objectOf(values.form());
  }
  template <typename T> static Json objectOf(const T &value) {
    JsonWriter writer;
    describe(writer, value);
    return std::move(writer.object);
  }
};

/// A shape or the bins of a histogram should not take a line per number.
constexpr size_t membersOfALine = 8;

bool fitsALine(const Json &value) {
  return std::none_of(
             value.begin(), value.end(),
             [](const Json &inner) { return inner.is_structured(); }) &&
         (value.is_array() || value.size() <= membersOfALine);
}

std::string textOf(const Json &value) {
  // Names come from models, and may hold bytes that are not UTF-8.
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void print(const Json &value, size_t indent, std::string &text) {
  if (!value.is_structured() || fitsALine(value)) {
    text += textOf(value);
    return;
  }
  const char *separator = value.is_array() ? "[\n" : "{\n";
  for (const auto &[name, inner] : value.items()) {
    text += separator + std::string(indent + 1, ' ');
    if (value.is_object())
      text += textOf(name) + ": ";
    print(inner, indent + 1, text);
    separator = ",\n";
  }
  text += '\n' + std::string(indent, ' ') + (value.is_array() ? ']' : '}');
}

Json fieldsOf(const ComparisonResult &metrics) {
  JsonWriter writer;
  describe(writer, metrics);
  return std::move(writer.object);
}

/// Those fields are in the CSV file as Cosin and MSE.
bool hasColumn(const std::string &field) {
  return field != "cosine" && field != "mse";
}

std::string csvText(const Json &value) {
  if (value.is_null())
    return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

} // namespace

std::string precisionJson(const PrecisionReport &report) {
  JsonWriter writer;
  writer("schema", int64_t(precisionSchema));
  describe(writer, report);
  std::string text;
  print(writer.object, 0, text);
  return text + "\n";
}

std::string precisionTableCsv(const PrecisionReport &report) {
  std::vector<Column> columns;
  for (const char *title :
       {"Method", "Mode", "Operator", "Type", "Output Tensor", "Shape", "DType",
        "QDType", "Cosin", "MSE", "is_output"})
    columns.push_back(Column::label(title));
  Json metricFields = fieldsOf({});
  for (const auto &[name, value] : metricFields.items())
    if (hasColumn(name))
      columns.push_back(Column::number(name));
  Table csv(std::move(columns));
  for (const PrecisionTable &table : report.tables)
    for (const PrecisionRow &row : table.rows) {
      const ComparisonResult &metrics = row.metrics;
      Json fields = fieldsOf(metrics);
      std::vector<Cell> cells = {
          std::string(nameOf(table.method)),
          std::string(nameOf(table.mode)),
          row.node,
          row.type,
          row.tensor,
          shapeText(row.shape),
          row.floatType,
          row.quantType,
          csvText(number(metrics.isExact ? metrics.agreement : metrics.cosine)),
          csvText(fields["mse"]),
          row.isOutput ? "true" : "false"};
      for (const auto &[name, value] : fields.items())
        if (hasColumn(name))
          cells.emplace_back(csvText(value));
      csv.addRow(std::move(cells));
    }
  return csv.toCsv();
}

} // namespace parallax
