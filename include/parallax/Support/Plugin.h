//===- Plugin.h - Our libraries that are loaded when needed ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What few runs need, and what brings many libraries with it, stays in a
// library of its own.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_PLUGIN_H
#define PARALLAX_SUPPORT_PLUGIN_H

#include <filesystem>

namespace parallax {

/// Where such a library lies: in lib/parallax beside the bin of the program,
/// beside the library that this is a part of, or below a module of Python.
std::filesystem::path pluginPath(const char *fileName);

} // namespace parallax

#endif // PARALLAX_SUPPORT_PLUGIN_H
