//===- Description.h - What a configuration may contain ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The command line, the documentation and editors need to know the fields too.
// All of it is made from the description that the reader uses, so they
// always agree.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CONFIG_DESCRIPTION_H
#define PARALLAX_CONFIG_DESCRIPTION_H

#include <string>
#include <vector>

namespace parallax {

/// A field that the command line can set.
struct ConfigFlag {
  /// The dotted name, without dashes.
  std::string field;
  /// The object that it belongs to: "quant", or empty.
  std::string group;
  /// The sentence about the field, its default, and whether it has an effect.
  std::string help;
  /// What follows the flag: "INT", "[BOOL]", "MinMax|Percentile".
  std::string valueName;
  size_t minWords = 1, maxWords = 1;
};

std::vector<ConfigFlag> configFlags();

/// The full names of all fields, such as "quant.layer_configs[].data_type".
std::vector<std::string> configFields();

/// docs/config.md.
std::string configPage();

/// configs/schema.json, by which editors check and complete configurations.
std::string configSchema();

/// The same for target files: docs/generated/target-fields.md and
/// configs/target-schema.json.
std::string targetPage();
std::string targetSchema();

} // namespace parallax

#endif // PARALLAX_CONFIG_DESCRIPTION_H
