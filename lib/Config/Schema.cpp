//===- Schema.cpp - The JSON Schema of configurations ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Prints configs/schema.json and configs/target-schema.json in draft 7, which
// most editors understand.
//===----------------------------------------------------------------------===//
#include "TargetFields.h"
#include "Walk.h"

#include "parallax/Config/Description.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace parallax {
namespace config {
namespace {

using Json = nlohmann::ordered_json;

Json limitsSchema(const Limits &limits, const char *type) {
  Json range = {{"type", type}};
  if (limits.lowest)
    range[limits.lowestExcluded ? "exclusiveMinimum" : "minimum"] =
        *limits.lowest;
  if (limits.highest)
    range[limits.highestExcluded ? "exclusiveMaximum" : "maximum"] =
        *limits.highest;
  if (!limits.special)
    return range;
  return {{"anyOf", Json::array({range, {{"const", *limits.special}}})}};
}

Json reference(const Message &message) {
  return {{"$ref", "#/definitions/" + std::string(message.name)}};
}

Json attributesSchema() {
  Json scalar = {{"type", Json::array({"number", "string", "boolean"})}};
  Json list = {{"type", "array"}, {"items", scalar}};
  return {{"type", "object"},
          {"additionalProperties", {{"anyOf", Json::array({scalar, list})}}}};
}

Json typeSchema(const Type &type, const Field &field);

/// The first field of an element is the pattern, the second one its value.
Json patternListSchema(const Message &element) {
  const Field &value = element.fields[1];
  Json list = {{"type", "array"}, {"items", reference(element)}};
  Json object = {{"type", "object"},
                 {"additionalProperties", typeSchema(*value.type, value)}};
  return {{"anyOf", Json::array({list, object})}};
}

Json typeSchema(const Type &type, const Field &field) {
  std::vector<std::string> names =
      field.choices.empty() ? type.names() : field.choices;
  switch (type.kind()) {
  case Type::Kind::Flag:
    return {{"type", "boolean"}};
  case Type::Kind::Integer:
    return limitsSchema(field.limits, "integer");
  case Type::Kind::Real:
    return limitsSchema(field.limits, "number");
  case Type::Kind::RealOrAuto:
    return {{"anyOf", Json::array({limitsSchema(field.limits, "number"),
                                   {{"const", "auto"}}})}};
  case Type::Kind::Text:
  case Type::Kind::Choice:
    if (!names.empty())
      return {{"enum", names}};
    if (field.isRequired)
      return {{"type", "string"}, {"minLength", 1}};
    return {{"type", "string"}};
  case Type::Kind::List:
    return {{"type", "array"}, {"items", typeSchema(*type.element(), field)}};
  case Type::Kind::PatternList:
    return patternListSchema(*type.element()->message());
  case Type::Kind::Message:
    return reference(*type.message());
  case Type::Kind::Attributes:
    return attributesSchema();
  }
  return {};
}

Json fieldSchema(const Field &field, const Message &message) {
  std::string doc(field.doc);
  if (!field.inactiveBecause.empty())
    doc += fmt::format(" Not acted on: {}.", field.inactiveBecause);
  Json schema = typeSchema(*field.type, field);
  // Draft 7 ignores what stands beside a reference.
  if (schema.contains("$ref"))
    schema = {{"allOf", Json::array({schema})}};
  schema["description"] = doc;
  if (!messageOf(field) && !field.isRequired)
    schema["default"] = Json::parse(printJson(message.defaultOf(field.name)));
  return schema;
}

Json messageSchema(const Message &message) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Field &field : message.fields) {
    properties[std::string(field.name)] = fieldSchema(field, message);
    if (field.isRequired)
      required.push_back(field.name);
  }
  Json schema = {{"type", "object"},
                 {"description", message.doc},
                 {"additionalProperties", false},
                 {"properties", properties}};
  if (!required.empty())
    schema["required"] = required;
  return schema;
}

std::string schema(const char *title, const Message &root) {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", title}};
  schema.update(messageSchema(root));
  schema["properties"]["$schema"] = {{"type", "string"}};
  Json definitions = Json::object();
  for (const FieldPlace &place : allPlaces(root))
    if (const Message *message = messageOf(*place.field))
      definitions[std::string(message->name)] = messageSchema(*message);
  schema["definitions"] = definitions;
  return schema.dump(2) + "\n";
}

} // namespace
} // namespace config

std::string configSchema() {
  return config::schema("Configuration of parallax build",
                        config::rootMessage());
}

std::string targetSchema() {
  return config::schema("A target of Parallax", config::targetMessage());
}

} // namespace parallax
