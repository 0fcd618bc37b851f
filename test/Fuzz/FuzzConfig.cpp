//===- FuzzConfig.cpp - Hostile configurations and targets ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes must end as a configuration or as an Error, and so must they as the
// description of a chip. What was accepted is written and read again as the
// same: all else is a finding.
//===----------------------------------------------------------------------===//
#include "parallax/Config/BuildConfig.h"
#include "parallax/Config/Target.h"
#include "parallax/Support/Error.h"

#include <cstdint>
#include <cstdlib>

using namespace parallax;

namespace {

void readConfig(std::string_view text) {
  std::vector<std::string> warnings;
  BuildConfig config = parseBuildConfig(text, "fuzz.json", {}, &warnings);
  std::string written = toJson(config);
  if (toJson(parseBuildConfig(written, "written.json")) != written)
    std::abort();
}

void readChip(std::string_view text) {
  std::string written = toJson(parseTarget(text, "fuzz.json"));
  if (toJson(parseTarget(written, "written.json")) != written)
    std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  for (auto *read : {readConfig, readChip})
    try {
      read({reinterpret_cast<const char *>(data), size});
    } catch (const Error &) {
    }
  return 0;
}
