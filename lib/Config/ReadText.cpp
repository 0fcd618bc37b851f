//===- ReadText.cpp - The text of a file ----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reads at most a given number of bytes, so that a wrong path, such as that of
// a model, costs neither memory nor time.
//===----------------------------------------------------------------------===//
#include "ReadText.h"

#include "parallax/Support/Error.h"

#include <fmt/format.h>
#include <fstream>

namespace parallax::config {

std::string readText(const std::filesystem::path &path, size_t maxBytes,
                     std::string_view kind) {
  std::ifstream file(path, std::ios::binary);
  std::error_code ignored;
  if (!file || std::filesystem::is_directory(path, ignored))
    throw Error(
        fmt::format("{}: there is no such {} file", path.string(), kind));
  std::string text(maxBytes, '\0');
  file.read(text.data(), std::streamsize(text.size()));
  text.resize(size_t(file.gcount()));
  return text;
}

} // namespace parallax::config
