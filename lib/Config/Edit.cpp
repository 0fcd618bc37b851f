//===- Edit.cpp - Changes of a configuration in its own words -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Follows a dotted field name through the parsed JSON, adding objects that are
// missing, and sets the value or appends it to a list.
//===----------------------------------------------------------------------===//
#include "parallax/Config/Edit.h"
#include "parallax/Support/Error.h"

#include <algorithm>
#include <fmt/format.h>

namespace parallax {
namespace {

/// The last one of a name counts, as in reading.
JsonValue &memberOf(JsonValue &value, std::string_view name,
                    std::string_view field) {
  auto *members = std::get_if<JsonValue::Object>(&value.data);
  if (!members)
    throw Error(fmt::format("'{}' can't be changed: what holds '{}' is not "
                            "an object",
                            field, name));
  auto found = std::find_if(
      members->rbegin(), members->rend(),
      [&](const JsonMember &member) { return member.name == name; });
  if (found != members->rend())
    return found->value;
  members->push_back({std::string(name), {}, {JsonValue::Object(), {}}});
  return members->back().value;
}

bool isEmptyObject(const JsonValue &value) {
  const auto *members = value.as<JsonValue::Object>();
  return members && members->empty();
}

} // namespace

void editField(JsonValue &config, std::string_view field, std::string_view text,
               bool appends) {
  JsonDocument parsed = parseRelaxedJson(text);
  if (!parsed.errors.empty())
    throw Error(fmt::format("the new value of '{}' is not JSON: {}", field,
                            parsed.errors[0].message));
  JsonValue *place = &config;
  for (std::string_view rest = field; !rest.empty();) {
    size_t dot = std::min(rest.find('.'), rest.size());
    place = &memberOf(*place, rest.substr(0, dot), field);
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  if (!appends) {
    *place = std::move(parsed.root);
    return;
  }
  // A field that was not there has been made as an object.
  if (isEmptyObject(*place))
    place->data = JsonValue::List();
  auto *list = std::get_if<JsonValue::List>(&place->data);
  if (!list)
    throw Error(
        fmt::format("'{}' can't get one more entry: it is not a list", field));
  list->push_back(std::move(parsed.root));
}

} // namespace parallax
