//===- RelaxedJson.h - JSON as people write it -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Configurations are written by hand: they carry comments (`//`, `#`, `/* */`)
// and commas after the last element, and they contain mistakes. So each value
// keeps its place in the text, and parsing goes on after a mistake wherever it
// is clear what was meant, so that all of them can be told at once.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CONFIG_RELAXEDJSON_H
#define PARALLAX_CONFIG_RELAXEDJSON_H

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace parallax {

/// Both count from 1, columns in characters. Line 0 means that a value comes
/// from elsewhere: the command line.
struct JsonPosition {
  uint32_t line = 0, column = 0;

  auto operator<=>(const JsonPosition &) const = default;
};

/// The digits as they were written, because no one type holds all numbers.
struct JsonNumber {
  std::string text;

  bool isInteger() const {
    return text.find_first_of(".eE") == std::string::npos;
  }
  bool operator==(const JsonNumber &) const = default;
};

struct JsonMember;

struct JsonValue {
  /// Stands for what could not be read and was reported.
  struct Invalid {
    bool operator==(const Invalid &) const = default;
  };
  using List = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;
  using Data = std::variant<Invalid, std::nullptr_t, bool, JsonNumber,
                            std::string, List, Object>;

  Data data;
  JsonPosition position;

  template <typename T> const T *as() const { return std::get_if<T>(&data); }
  /// Whether the data is the same, wherever it stands.
  bool operator==(const JsonValue &other) const;
};

/// Members keep their order; a name may occur twice.
struct JsonMember {
  std::string name;
  JsonPosition position;
  JsonValue value;

  bool operator==(const JsonMember &other) const {
    return name == other.name && value == other.value;
  }
};

inline bool JsonValue::operator==(const JsonValue &other) const {
  return data == other.data;
}

struct JsonError {
  JsonPosition position;
  std::string message;
};

struct JsonDocument {
  JsonValue root;
  std::vector<JsonError> errors;
};

JsonDocument parseRelaxedJson(std::string_view text);

/// Strict JSON: objects and lists of them are spread over indented lines, lists
/// of scalars stay in one. Ends without a line feed.
std::string printJson(const JsonValue &value);

/// Whether JSON knows `text` as a number.
bool isJsonNumber(std::string_view text);

} // namespace parallax

#endif // PARALLAX_CONFIG_RELAXEDJSON_H
