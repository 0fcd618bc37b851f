//===- ModelFile.cpp - A model in memory as a file ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Linux gives every open file a path, also one that is in memory only.
//===----------------------------------------------------------------------===//
#include "ModelFile.h"

#include "parallax/Support/Error.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace parallax::python {

ModelFile::ModelFile(std::string_view bytes)
    : descriptor(::memfd_create("parallax-model", MFD_CLOEXEC)) {
  while (descriptor >= 0 && !bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      break;
    bytes.remove_prefix(size_t(written));
  }
  if (descriptor >= 0 && bytes.empty())
    return;
  std::string why = std::strerror(errno);
  if (descriptor >= 0)
    ::close(descriptor);
  throw Error(fmt::format("cannot keep the model in memory: {}; write it to a "
                          "file and give its path",
                          why));
}

ModelFile::~ModelFile() { ::close(descriptor); }

std::string ModelFile::path() const {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

void ModelFile::rename(const std::function<void()> &work) const {
  try {
    work();
  } catch (const Error &error) {
    std::string text = error.what(), name = path();
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
      text.replace(at, name.size(), "the model in memory");
    throw Error(text);
  }
}

} // namespace parallax::python
