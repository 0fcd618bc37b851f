//===- Plugin.cpp - Our libraries that are loaded when needed -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// They lie beside what asks for them, so that an installation can be moved.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Plugin.h"

#include <dlfcn.h>

namespace fs = std::filesystem;

namespace parallax {

fs::path pluginPath(const char *fileName) {
  fs::path file = fs::path("parallax") / fileName;
  std::error_code ignored;
  Dl_info self{};
  dladdr(reinterpret_cast<void *>(&pluginPath), &self);
  fs::path library = self.dli_fname ? self.dli_fname : "";
  // Never from the current folder, which anybody may have written to.
  for (const char *below : {"", "lib"})
    if (fs::path place = library.parent_path() / below / file;
        library.is_absolute() && fs::exists(place, ignored))
      return place;
  fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  return program.parent_path().parent_path() / "lib" / file;
}

} // namespace parallax
