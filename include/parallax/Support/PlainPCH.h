//===- PlainPCH.h - Precompiled headers of plain C++ -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What the libraries without MLIR share. Sources still include what they use
// and build without this file.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_PLAINPCH_H
#define PARALLAX_SUPPORT_PLAINPCH_H

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#endif // PARALLAX_SUPPORT_PLAINPCH_H
