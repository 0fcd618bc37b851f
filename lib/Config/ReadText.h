//===- ReadText.h - The text of a file -------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Files are named by users, so they may be missing, folders, or far larger than
// a file that was written by hand.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_CONFIG_READTEXT_H
#define PARALLAX_LIB_CONFIG_READTEXT_H

#include <filesystem>
#include <string>

namespace parallax::config {

/// The first `maxBytes` of a file; throws Error if there is no such `kind` of
/// file.
std::string readText(const std::filesystem::path &file, size_t maxBytes,
                     std::string_view kind);

} // namespace parallax::config

#endif // PARALLAX_LIB_CONFIG_READTEXT_H
