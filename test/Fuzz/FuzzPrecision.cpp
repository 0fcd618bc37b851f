//===- FuzzPrecision.cpp - Hostile precision analyses ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes must end as an analysis or as an Error. What was accepted is
// written, compared with itself and shown, and what was written is read again
// as the same: all else is a finding.
//===----------------------------------------------------------------------===//
#include "parallax/Report/PrecisionDiff.h"
#include "parallax/Support/Error.h"

#include <cstdint>
#include <cstdlib>

using namespace parallax;

namespace {

void process(std::string_view text) {
  PrecisionReport report = parsePrecisionJson(text, "fuzz.json");
  std::string written = precisionJson(report);
  if (precisionJson(parsePrecisionJson(written, "written.json")) != written)
    std::abort();
  precisionTableText(report, /*full=*/true);
  PrecisionDiff diff = diffPrecision(report, report, 0);
  renderDiff(diff, /*all=*/true);
  diffJson(diff);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    process({reinterpret_cast<const char *>(data), size});
  } catch (const Error &) {
  }
  return 0;
}
