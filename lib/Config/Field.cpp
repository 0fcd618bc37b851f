//===- Field.cpp - How a field of a configuration is described ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Limits, and the rules across the fields of one object.
//===----------------------------------------------------------------------===//
#include "Field.h"

#include <algorithm>
#include <fmt/format.h>

namespace parallax::config {

bool Limits::contain(double value) const {
  if (special == value)
    return true;
  if (lowest && (lowestExcluded ? value <= *lowest : value < *lowest))
    return false;
  return !highest || (highestExcluded ? value < *highest : value <= *highest);
}

std::string Limits::text() const {
  std::string range;
  if (lowest && highest && !lowestExcluded && !highestExcluded)
    range = fmt::format("between {} and {}", *lowest, *highest);
  else {
    if (lowest)
      range =
          fmt::format("{} {}", lowestExcluded ? "above" : "at least", *lowest);
    if (highest)
      range += fmt::format("{}{} {}", lowest ? " and " : "",
                           highestExcluded ? "below" : "at most", *highest);
  }
  return special ? fmt::format("{}, or {}", range, *special) : range;
}

Field::Field() = default;
Field::Field(std::string_view name, std::string_view doc, const Type &type,
             std::function<void *(void *)> member)
    : name(name), doc(doc), type(&type), member(std::move(member)) {}
Field::Field(const Field &) = default;
Field::Field(Field &&) noexcept = default;
Field::~Field() = default;

Field Field::between(double low, double high) && {
  limits.lowest = low;
  limits.highest = high;
  return std::move(*this);
}

Field Field::atLeast(double low) && {
  limits.lowest = low;
  return std::move(*this);
}

Field Field::above(double low) && {
  limits.lowest = low;
  limits.lowestExcluded = true;
  return std::move(*this);
}

Field Field::below(double high) && {
  limits.highest = high;
  limits.highestExcluded = true;
  return std::move(*this);
}

Field Field::orExactly(double value) && {
  limits.special = value;
  return std::move(*this);
}

Field Field::oneOf(std::vector<std::string> names) && {
  choices = std::move(names);
  return std::move(*this);
}

Field Field::required() && {
  isRequired = true;
  return std::move(*this);
}

Field Field::path() && {
  return std::move(*this).pathIf([](std::string_view) { return true; });
}

Field Field::pathIf(bool (*predicate)(std::string_view)) && {
  isPath = predicate;
  return std::move(*this);
}

Field Field::onlyInFiles() && {
  isFlag = false;
  return std::move(*this);
}

Field Field::inactive(std::string_view why) && {
  inactiveBecause = why;
  return std::move(*this);
}

void Reading::expected(std::string_view what) const {
  if (!value.as<JsonValue::Invalid>())
    fail(fmt::format("must be {}, not {}", what, shown(value)));
}

const JsonMember *ObjectScope::find(std::string_view name) const {
  const JsonMember *found = nullptr;
  if (const auto *members = object.as<JsonValue::Object>())
    for (const JsonMember &member : *members)
      if (member.name == name)
        found = &member;
  return found;
}

bool ObjectScope::given(std::string_view name) const {
  const JsonMember *member = find(name);
  if (!member)
    return false;
  const auto *text = member->value.as<std::string>();
  const auto *list = member->value.as<JsonValue::List>();
  return !(text && text->empty()) && !(list && list->empty());
}

void ObjectScope::error(std::string_view message) const {
  findings.error(object.position, path, message);
}

void ObjectScope::error(std::string_view name, std::string_view message) const {
  const JsonMember *member = find(name);
  findings.error(member ? member->value.position : object.position,
                 Path(path, name), message);
}

void ObjectScope::warning(std::string_view name,
                          std::string_view message) const {
  const JsonMember *member = find(name);
  findings.warning(member ? member->value.position : object.position,
                   Path(path, name), message);
}

const Field *Message::find(std::string_view fieldName) const {
  for (const Field &field : fields)
    if (field.name == fieldName)
      return &field;
  return nullptr;
}

std::vector<std::string> Message::fieldNames() const {
  std::vector<std::string> names;
  for (const Field &field : fields)
    names.emplace_back(field.name);
  return names;
}

const JsonValue &Message::defaultOf(std::string_view fieldName) const {
  const auto &members = std::get<JsonValue::Object>(defaults.data);
  return std::find_if(
             members.begin(), members.end(),
             [&](const JsonMember &member) { return member.name == fieldName; })
      ->value;
}

} // namespace parallax::config
