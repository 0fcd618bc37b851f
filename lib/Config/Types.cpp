//===- Types.cpp - How values of a configuration are read and written -----===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The types that are not templates: scalars, and the free-form attributes of
// nodes.
//===----------------------------------------------------------------------===//
#include "Field.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace parallax::config {
namespace {

using onnx_import::AttributeValue;
using Attributes = std::map<std::string, AttributeValue>;

/// The number, if `T` holds it exactly or, for a fraction, nearly.
template <typename T> std::optional<T> parseNumber(const JsonNumber &number) {
  T value{};
  const char *end = number.text.data() + number.text.size();
  auto [rest, error] = std::from_chars(number.text.data(), end, value);
  if (error != std::errc() || rest != end)
    return std::nullopt;
  return value;
}

/// Whether an integer survives the way through a double.
bool isExact(const JsonNumber &number, double real) {
  if (!number.isInteger())
    return true;
  if (auto value = parseNumber<int64_t>(number))
    return real < 0x1p63 && int64_t(real) == *value;
  auto value = parseNumber<uint64_t>(number);
  return value && real < 0x1p64 && uint64_t(real) == *value;
}

std::optional<int64_t> readInteger(const Reading &reading,
                                   const JsonNumber &number) {
  auto value = parseNumber<int64_t>(number);
  if (!value)
    reading.fail(fmt::format("is {}, which is not a 64-bit integer",
                             shown(reading.value)));
  return value;
}

std::optional<double> readReal(const Reading &reading,
                               const JsonNumber &number) {
  auto value = parseNumber<double>(number);
  if (!value)
    reading.fail(fmt::format("is {}, which is out of the range of numbers",
                             shown(reading.value)));
  return value;
}

bool isWithinLimits(const Reading &reading, double value) {
  if (reading.field.limits.contain(value))
    return true;
  reading.expected(reading.field.limits.text());
  return false;
}

JsonValue toJsonValue(bool value) { return {value, {}}; }

JsonValue toJsonValue(const std::string &value) { return {value, {}}; }

JsonValue toJsonValue(int64_t value) {
  return {JsonNumber{fmt::format("{}", value)}, {}};
}

/// With the fewest digits that give the same number again, and always such that
/// it does not look like an integer.
JsonValue toJsonValue(double value) {
  JsonNumber number{fmt::format("{}", value)};
  if (number.isInteger())
    number.text += ".0";
  return {std::move(number), {}};
}

template <typename T> JsonValue toJsonValue(const std::vector<T> &values) {
  JsonValue::List list;
  for (const T &value : values)
    list.push_back(toJsonValue(value));
  return {std::move(list), {}};
}

class FlagType final : public Type {
public:
  Kind kind() const override { return Kind::Flag; }

  void read(void *target, const Reading &reading) const override {
    const auto *value = reading.value.as<bool>();
    if (!value)
      return reading.expected("true or false");
    *static_cast<bool *>(target) = *value;
  }

  JsonValue write(const void *source) const override {
    return toJsonValue(*static_cast<const bool *>(source));
  }
};

class IntegerType final : public Type {
public:
  Kind kind() const override { return Kind::Integer; }

  void read(void *target, const Reading &reading) const override {
    const auto *number = reading.value.as<JsonNumber>();
    if (!number || !number->isInteger())
      return reading.expected("an integer");
    auto value = readInteger(reading, *number);
    if (value && isWithinLimits(reading, double(*value)))
      *static_cast<int64_t *>(target) = *value;
  }

  JsonValue write(const void *source) const override {
    return toJsonValue(*static_cast<const int64_t *>(source));
  }
};

class RealType final : public Type {
public:
  Kind kind() const override { return Kind::Real; }

  void read(void *target, const Reading &reading) const override {
    const auto *number = reading.value.as<JsonNumber>();
    if (!number)
      return reading.expected("a number");
    auto value = readReal(reading, *number);
    if (value && !isExact(*number, *value))
      return reading.fail(
          fmt::format("is {}, which a double can't hold exactly; give such "
                      "values in the file of a data_path",
                      shown(reading.value)));
    if (value && isWithinLimits(reading, *value))
      *static_cast<double *>(target) = *value;
  }

  JsonValue write(const void *source) const override {
    return toJsonValue(*static_cast<const double *>(source));
  }
};

class RealOrAutoType final : public Type {
public:
  Kind kind() const override { return Kind::RealOrAuto; }

  void read(void *target, const Reading &reading) const override {
    auto &result = *static_cast<std::optional<double> *>(target);
    const auto *text = reading.value.as<std::string>();
    if (text && *text == "auto")
      result.reset();
    else if (!reading.value.as<JsonNumber>())
      reading.expected("a number or \"auto\"");
    else {
      double number = result.value_or(0);
      typeOf<double>().read(&number, reading);
      result = number;
    }
  }

  JsonValue write(const void *source) const override {
    const auto &value = *static_cast<const std::optional<double> *>(source);
    return value ? toJsonValue(*value) : toJsonValue(std::string("auto"));
  }
};

class TextType final : public Type {
public:
  Kind kind() const override { return Kind::Text; }

  void read(void *target, const Reading &reading) const override {
    const auto *value = reading.value.as<std::string>();
    if (!value)
      return reading.expected("a string");
    if (reading.field.isRequired && value->empty())
      return reading.fail("must not be empty");
    if (reading.field.choices.empty() || readChoice(reading, {}))
      *static_cast<std::string *>(target) = *value;
  }

  JsonValue write(const void *source) const override {
    return toJsonValue(*static_cast<const std::string *>(source));
  }
};

/// Which kind of attribute a value is says the value itself.
class AttributesType final : public Type {
public:
  Kind kind() const override { return Kind::Attributes; }

  void read(void *target, const Reading &reading) const override {
    const auto *members = reading.value.as<JsonValue::Object>();
    if (!members)
      return reading.expected("an object { ... }");
    auto &attributes = *static_cast<Attributes *>(target);
    attributes.clear();
    for (const JsonMember &member : *members) {
      Path path(reading.path, member.name);
      Reading inner{reading.field, member.value, path, reading.findings,
                    reading.owner};
      auto value = readAttribute(inner);
      if (!attributes.emplace(member.name, value.value_or(int64_t(0))).second)
        reading.findings.error(member.position, path, "is given twice");
    }
  }

  JsonValue write(const void *source) const override {
    JsonValue::Object members;
    for (const auto &[name, value] : *static_cast<const Attributes *>(source))
      members.push_back(
          {name,
           {},
           std::visit([](const auto &held) { return toJsonValue(held); },
                      value)});
    return {std::move(members), {}};
  }

private:
  static bool isInteger(const JsonValue &value) {
    const auto *number = value.as<JsonNumber>();
    return value.as<bool>() || (number && number->isInteger());
  }

  static std::optional<int64_t> readIntegerOrFlag(const Reading &reading) {
    if (const auto *truth = reading.value.as<bool>())
      return *truth;
    return readInteger(reading, *reading.value.as<JsonNumber>());
  }

  static std::optional<AttributeValue> readAttribute(const Reading &reading) {
    if (const auto *text = reading.value.as<std::string>())
      return *text;
    if (const auto *list = reading.value.as<JsonValue::List>())
      return readList(reading, *list);
    if (isInteger(reading.value))
      return readIntegerOrFlag(reading);
    if (const auto *number = reading.value.as<JsonNumber>())
      return readReal(reading, *number);
    reading.expected("a number, a string, true, false or a list of these");
    return std::nullopt;
  }

  static std::optional<AttributeValue> readList(const Reading &reading,
                                                const JsonValue::List &list) {
    auto all = [&](auto predicate) {
      return std::all_of(list.begin(), list.end(), predicate);
    };
    if (all(isInteger))
      return readElements<int64_t>(reading, list, readIntegerOrFlag);
    if (all([](const JsonValue &value) { return value.as<JsonNumber>(); }))
      return readElements<double>(reading, list, [](const Reading &inner) {
        return readReal(inner, *inner.value.as<JsonNumber>());
      });
    if (all([](const JsonValue &value) { return value.as<std::string>(); }))
      return readElements<std::string>(reading, list, [](const Reading &inner) {
        return std::optional(*inner.value.as<std::string>());
      });
    if (!std::any_of(list.begin(), list.end(), [](const JsonValue &value) {
          return value.as<JsonValue::Invalid>();
        }))
      reading.fail("must be a list of numbers, or one of strings");
    return std::nullopt;
  }

  template <typename T, typename Fn>
  static std::optional<AttributeValue> readElements(const Reading &reading,
                                                    const JsonValue::List &list,
                                                    Fn readElement) {
    std::vector<T> elements;
    for (size_t i = 0; i < list.size(); ++i) {
      Path path(reading.path, i);
      std::optional<T> element = readElement(
          Reading{reading.field, list[i], path, reading.findings, nullptr});
      if (!element)
        return std::nullopt;
      elements.push_back(*element);
    }
    return elements;
  }
};

} // namespace

template <> const Type &typeOf<bool>() {
  static const FlagType made;
  return made;
}

template <> const Type &typeOf<int64_t>() {
  static const IntegerType made;
  return made;
}

template <> const Type &typeOf<double>() {
  static const RealType made;
  return made;
}

template <> const Type &typeOf<std::optional<double>>() {
  static const RealOrAutoType made;
  return made;
}

template <> const Type &typeOf<std::string>() {
  static const TextType made;
  return made;
}

template <> const Type &typeOf<Attributes>() {
  static const AttributesType made;
  return made;
}

std::optional<std::string> readChoice(const Reading &reading,
                                      std::span<const std::string> names) {
  if (!reading.field.choices.empty())
    names = reading.field.choices;
  const auto *text = reading.value.as<std::string>();
  if (text && std::find(names.begin(), names.end(), *text) != names.end())
    return *text;
  if (text)
    reading.fail(fmt::format("must be {}, not {}{}", alternatives(names),
                             shown(reading.value), suggestion(*text, names)));
  else
    reading.expected(alternatives(names));
  return std::nullopt;
}

} // namespace parallax::config
