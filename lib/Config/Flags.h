//===- Flags.h - Fields from the command line -------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Flags are added to the document after the values of the file, so that one
// reader checks both and rules across fields see the result.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_CONFIG_FLAGS_H
#define PARALLAX_LIB_CONFIG_FLAGS_H

#include "Field.h"

namespace parallax::config {

void addFlags(JsonValue &root, const std::vector<ConfigOverride> &flags);

} // namespace parallax::config

#endif // PARALLAX_LIB_CONFIG_FLAGS_H
