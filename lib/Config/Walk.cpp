//===- Walk.cpp - All fields of a configuration ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Goes through the messages of the description, and through the objects of a
// configuration.
//===----------------------------------------------------------------------===//
#include "Walk.h"

#include <algorithm>
#include <fmt/format.h>

namespace parallax::config {
namespace {

void collect(const Message &message, const std::string &prefix, bool isRepeated,
             std::vector<const Message *> &around,
             std::vector<FieldPlace> &places) {
  around.push_back(&message);
  for (const Field &field : message.fields) {
    std::string path = prefix + std::string(field.name);
    places.push_back({path, &field, &message, isRepeated});
    const Message *inner = messageOf(field);
    if (!inner || std::count(around.begin(), around.end(), inner))
      continue;
    bool isList = field.type->element() != nullptr;
    collect(*inner, path + (isList ? "[]." : "."), isRepeated || isList, around,
            places);
  }
  around.pop_back();
}

void visitPaths(const Message &message, void *object, const std::string &prefix,
                const PathVisitor &fn) {
  for (const Field &field : message.fields) {
    std::string name = prefix + std::string(field.name);
    void *member = field.in(object);
    const Message *inner = messageOf(field);
    if (field.isPath) {
      auto &value = *static_cast<std::string *>(member);
      if (field.isPath(value))
        fn(name, value);
    } else if (inner && field.type->element()) {
      int64_t place = 0;
      field.type->forEachElement(member, [&](void *element) {
        visitPaths(*inner, element, fmt::format("{}[{}].", name, place++), fn);
      });
    } else if (inner) {
      visitPaths(*inner, member, name + ".", fn);
    }
  }
}

} // namespace

const Message *messageOf(const Field &field) {
  const Type *type = field.type;
  return type->element() ? type->element()->message() : type->message();
}

std::vector<FieldPlace> allPlaces(const Message &root) {
  std::vector<FieldPlace> places;
  std::vector<const Message *> around;
  collect(root, "", false, around, places);
  return places;
}

} // namespace parallax::config

namespace parallax {

void forEachPath(BuildConfig &config, const PathVisitor &fn) {
  config::visitPaths(config::rootMessage(), &config, "", fn);
}

} // namespace parallax
