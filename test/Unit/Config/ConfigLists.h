//===- ConfigLists.h - Lists that fields hold ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Short names for what tests compare lists of a configuration with.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_CONFIG_CONFIGLISTS_H
#define PARALLAX_TEST_UNIT_CONFIG_CONFIGLISTS_H

#include <cstdint>
#include <string>
#include <vector>

namespace parallax {

using Ints = std::vector<int64_t>;
using Reals = std::vector<double>;
using Texts = std::vector<std::string>;

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_CONFIG_CONFIGLISTS_H
