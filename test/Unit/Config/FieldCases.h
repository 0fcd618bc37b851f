//===- FieldCases.h - A value for every field ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One line per field of a configuration serves all tests that go through them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_CONFIG_FIELDCASES_H
#define PARALLAX_TEST_UNIT_CONFIG_FIELDCASES_H

#include "parallax/Config/BuildConfig.h"

namespace parallax {

struct FieldCase {
  const char *path;
  /// Another value than the default.
  const char *value;
  bool (*arrived)(const BuildConfig &);
  /// The test that shows what the field does, below test/; null for one that
  /// is reported as without effect.
  const char *witness = nullptr;
};

const std::vector<FieldCase> &fieldCases();

/// A configuration with one field; an empty value leaves it out.
std::string textWith(const std::string &path, const std::string &value);

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_CONFIG_FIELDCASES_H
