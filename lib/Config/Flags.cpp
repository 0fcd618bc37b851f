//===- Flags.cpp - Fields from the command line ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Words become the JSON that they stand for. A word that fits no type stays
// text, and the reader says what it should have been.
//===----------------------------------------------------------------------===//
#include "Flags.h"
#include "Walk.h"

#include "parallax/Config/Description.h"

#include <algorithm>
#include <fmt/format.h>

namespace parallax {
namespace config {
namespace {

bool isScalarType(const Type &type) {
  return !type.element() && !type.message() &&
         type.kind() != Type::Kind::Attributes;
}

bool isFlag(const FieldPlace &place) {
  const Type &type = *place.field->type;
  return place.field->isFlag && !place.isRepeated &&
         isScalarType(type.element() ? *type.element() : type);
}

JsonValue fromWords(const Type &type, const std::vector<std::string> &words) {
  JsonValue value;
  if (const Type *element = type.element()) {
    JsonValue::List list;
    for (const std::string &word : words)
      list.push_back(fromWords(*element, {word}));
    value.data = std::move(list);
    return value;
  }
  std::string word = words.empty() ? "" : words[0];
  Type::Kind kind = type.kind();
  if (kind == Type::Kind::Flag &&
      (word.empty() || word == "1" || word == "true"))
    value.data = true;
  else if (kind == Type::Kind::Flag && (word == "0" || word == "false"))
    value.data = false;
  else if ((kind == Type::Kind::Integer || kind == Type::Kind::Real ||
            kind == Type::Kind::RealOrAuto) &&
           isJsonNumber(word))
    value.data = JsonNumber{word};
  else
    value.data = word;
  return value;
}

/// The last member of that name that is an object, or a new one.
JsonValue &objectIn(JsonValue &parent, const std::string &name) {
  auto &members = std::get<JsonValue::Object>(parent.data);
  auto found = std::find_if(
      members.rbegin(), members.rend(), [&](const JsonMember &member) {
        return member.name == name && member.value.as<JsonValue::Object>();
      });
  if (found != members.rend())
    return found->value;
  members.push_back({name, {}, {JsonValue::Object(), {}}});
  return members.back().value;
}

void addFlag(JsonValue &root, const ConfigOverride &flag) {
  const Message *message = &config::rootMessage();
  JsonValue *object = &root;
  std::string_view rest = flag.field;
  for (size_t dot = rest.find('.'); message && dot != rest.npos;
       dot = rest.find('.')) {
    std::string name(rest.substr(0, dot));
    const Field *outer = message->find(name);
    message = outer ? outer->type->message() : nullptr;
    object = &objectIn(*object, name);
    rest.remove_prefix(dot + 1);
  }
  const Field *field = message ? message->find(rest) : nullptr;
  // The reader reports a name that it does not know.
  JsonValue value = field ? fromWords(*field->type, flag.words) : JsonValue();
  std::get<JsonValue::Object>(object->data)
      .push_back({std::string(rest), {}, std::move(value)});
}

std::string valueName(const Field &field) {
  const Type &type =
      field.type->element() ? *field.type->element() : *field.type;
  std::vector<std::string> names =
      field.choices.empty() ? type.names() : field.choices;
  std::string name = fmt::format("{}", fmt::join(names, "|"));
  if (type.kind() == Type::Kind::Flag)
    name = "[BOOL]";
  else if (type.kind() == Type::Kind::Integer)
    name = "INT";
  else if (type.kind() == Type::Kind::Real)
    name = "FLOAT";
  else if (type.kind() == Type::Kind::RealOrAuto)
    name = "FLOAT|auto";
  else if (names.empty())
    name = "TEXT";
  return name + (field.type->element() ? " ..." : "");
}

/// Empty for an empty text or list.
std::string defaultText(const Message &message, const Field &field) {
  const JsonValue &value = message.defaultOf(field.name);
  if (const auto *text = value.as<std::string>())
    return *text;
  const auto *list = value.as<JsonValue::List>();
  return list && list->empty() ? "" : printJson(value);
}

ConfigFlag describeFlag(const FieldPlace &place) {
  const Field &field = *place.field;
  ConfigFlag flag;
  flag.field = place.path;
  flag.valueName = valueName(field);
  size_t dot = place.path.rfind('.');
  flag.group = dot == std::string::npos ? "" : place.path.substr(0, dot);

  flag.help = field.doc;
  if (std::string limits = field.limits.text(); !limits.empty())
    flag.help += fmt::format(" Must be {}.", limits);
  if (std::string value = defaultText(*place.message, field); !value.empty())
    flag.help += fmt::format(" Default: {}.", value);
  if (!field.inactiveBecause.empty())
    flag.help += fmt::format(" Not acted on: {}.", field.inactiveBecause);

  if (field.type->element())
    flag.maxWords = 1 << 20;
  if (field.type->kind() == Type::Kind::Flag)
    flag.minWords = 0;
  return flag;
}

} // namespace

void addFlags(JsonValue &root, const std::vector<ConfigOverride> &flags) {
  // Nothing can be added to a file that is not a configuration at all.
  if (root.as<JsonValue::Object>())
    for (const ConfigOverride &flag : flags)
      addFlag(root, flag);
}

} // namespace config

std::vector<ConfigFlag> configFlags() {
  std::vector<ConfigFlag> flags;
  for (const config::FieldPlace &place : config::allPlaces())
    if (config::isFlag(place))
      flags.push_back(config::describeFlag(place));
  return flags;
}

std::vector<std::string> configFields() {
  std::vector<std::string> fields;
  for (const config::FieldPlace &place : config::allPlaces())
    fields.push_back(place.path);
  return fields;
}

} // namespace parallax
