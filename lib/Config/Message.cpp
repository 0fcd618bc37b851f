//===- Message.cpp - Objects of a configuration, read and written ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Whatever is misspelled, in the wrong place, given twice or missing is found
// here.
//===----------------------------------------------------------------------===//
#include "Walk.h"

#include <fmt/format.h>

namespace parallax::config {
namespace {

/// What the unknown field may have been meant to be: the one of that name in
/// another object, a similar one of this object, or any of those there are.
std::string hint(const Message &message, const std::string &name,
                 const Message &root) {
  std::vector<std::string> elsewhere;
  for (const FieldPlace &place : allPlaces(root))
    if (place.field->name == name)
      elsewhere.push_back("'" + place.path + "'");
  if (!elsewhere.empty())
    return fmt::format("; did you mean {}?", alternatives(elsewhere));
  std::vector<std::string> names = message.fieldNames();
  if (std::string near = suggestion(name, names); !near.empty())
    return near;
  return fmt::format("; the fields here are {}", fmt::join(names, ", "));
}

class MessageReader {
public:
  MessageReader(const Message &message, void *object, const Reading &reading)
      : message(message), object(object), reading(reading),
        scope(reading.value, reading.path, reading.findings) {}

  void read() {
    const auto *members = reading.value.as<JsonValue::Object>();
    if (!members)
      return reading.expected("an object { ... }");
    for (const JsonMember &member : *members)
      if (isNew(member))
        if (const Field *field = find(member))
          (field->inherit ? inheriting : plain).emplace_back(field, &member);
    // What is inherited must be known first.
    for (const auto &[field, member] : plain)
      readField(*field, *member);
    for (const auto &[field, member] : inheriting)
      readField(*field, *member);
    for (const Field &field : message.fields)
      if (field.isRequired && !first.contains(field.name))
        scope.error(fmt::format("needs the field '{}'", field.name));
    if (message.rule)
      message.rule(object, scope);
  }

private:
  /// A value of the command line may follow one of the file, and wins.
  bool isNew(const JsonMember &member) {
    auto [earlier, isFirst] = first.emplace(member.name, member.position);
    if (isFirst || member.position.line == 0)
      return true;
    reading.findings.error(
        member.position, Path(reading.path, member.name),
        fmt::format("is given twice; first in line {}", earlier->second.line));
    return false;
  }

  const Field *find(const JsonMember &member) {
    const Field *field = message.find(member.name);
    // By this name editors find the schema.
    bool isForEditors = reading.path.isRoot() && member.name == "$schema";
    if (!field && !isForEditors)
      reading.findings.error(member.position,
                             fmt::format("there is no field '{}'{}",
                                         Path(reading.path, member.name).text(),
                                         reading.findings.isFull()
                                             ? ""
                                             : hint(message, member.name,
                                                    *reading.findings.root)));
    return field;
  }

  void readField(const Field &field, const JsonMember &member) {
    Path path(reading.path, field.name);
    field.type->read(field.in(object),
                     {field, member.value, path, reading.findings, object});
  }

  const Message &message;
  void *object;
  const Reading &reading;
  ObjectScope scope;
  std::vector<std::pair<const Field *, const JsonMember *>> plain, inheriting;
  std::map<std::string_view, JsonPosition> first;
};

} // namespace

void readMessage(const Message &message, void *object, const Reading &reading) {
  MessageReader(message, object, reading).read();
}

JsonValue writeMessage(const Message &message, const void *object) {
  JsonValue::Object members;
  for (const Field &field : message.fields)
    members.push_back(
        {std::string(field.name), {}, field.type->write(field.in(object))});
  return {std::move(members), {}};
}

} // namespace parallax::config
