//===- LargeObject.h - JSON objects with many keys -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Keys stay in the order in which they came. The library's own ordered object
// compares a new key with all others, which takes the square of their number:
// files with an entry per layer are built here.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_LARGEOBJECT_H
#define PARALLAX_SUPPORT_LARGEOBJECT_H

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>

namespace parallax {

class LargeObject {
public:
  using Json = nlohmann::ordered_json;

  /// The value of a key, null if it is new. Valid until the next call.
  Json &operator[](const std::string &key) {
    auto [place, isNew] = places.try_emplace(key, entries.size());
    if (isNew)
      entries.emplace_back(key, nullptr);
    return (entries.begin() + std::ptrdiff_t(place->second))->second;
  }

  /// The object, which is empty afterwards.
  Json take() {
    places.clear();
    Json object = Json::object();
    object.get_ref<Json::object_t &>().swap(entries);
    return object;
  }

private:
  /// A vector of pairs: appending does not search it.
  Json::object_t entries;
  std::unordered_map<std::string, size_t> places;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_LARGEOBJECT_H
