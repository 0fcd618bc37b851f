//===- ReadText.cpp - The text of a file ----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reads at most a given number of bytes, so that a wrong path, such as that of
// a model, costs neither memory nor time.
//===----------------------------------------------------------------------===//
#include "ReadText.h"

#include "parallax/Support/Error.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

namespace parallax::config {

std::string readText(const std::filesystem::path &path, size_t maxBytes,
                     std::string_view kind) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  int error = errno;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error(fmt::format("{}: this is a folder, not a {} file",
                            path.string(), kind));
  if (!file && error != 0 && error != ENOENT)
    throw Error(fmt::format("{}: cannot read the {} file: {}", path.string(),
                            kind, std::strerror(error)));
  if (!file)
    throw Error(
        fmt::format("{}: there is no such {} file", path.string(), kind));
  std::string text(maxBytes, '\0');
  file.read(text.data(), std::streamsize(text.size()));
  text.resize(size_t(file.gcount()));
  return text;
}

} // namespace parallax::config
