//===- UniqueNames.h - Unique names ----------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Layers in the network and in an exported file get free names by one rule.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_UNIQUENAMES_H
#define PARALLAX_SUPPORT_UNIQUENAMES_H

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace parallax {

class UniqueNames {
public:
  /// The name, or the first of name_1, name_2, ... that is free; taken from now
  /// on.
  std::string add(const std::string &name) {
    std::string unique = name;
    while (!taken.insert(unique).second)
      unique = name + "_" + std::to_string(++lastNumbers[name]);
    return unique;
  }

  void reserve(std::string name) { taken.insert(std::move(name)); }

private:
  std::unordered_set<std::string> taken;
  /// So that many equal names don't take the square of their number.
  std::unordered_map<std::string, int> lastNumbers;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_UNIQUENAMES_H
