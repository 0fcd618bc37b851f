//===- Rules.h - Rules that several messages share -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Some mistakes can only be seen from two fields at once.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_CONFIG_RULES_H
#define PARALLAX_LIB_CONFIG_RULES_H

#include "Field.h"

namespace parallax::config {

struct NamedNumbers {
  std::string_view name;
  const std::vector<double> &values;
};

/// Mean and deviation must belong together, and it is a common mistake to give
/// the factor 1/255 where the divisor 255 belongs.
void checkNormalization(const ObjectScope &scope, const NamedNumbers &mean,
                        const NamedNumbers &deviation);

} // namespace parallax::config

#endif // PARALLAX_LIB_CONFIG_RULES_H
