//===- config-doc.cpp - The page and the schema of configurations ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Prints docs/config.md or configs/schema.json from the description that the
// reader of configurations uses.
//===----------------------------------------------------------------------===//
#include "parallax/Config/Description.h"

#include <fmt/format.h>
#include <string_view>

using namespace parallax;

int main(int argc, char **argv) {
  std::string_view what = argc == 2 ? argv[1] : "";
  if (what != "page" && what != "schema") {
    fmt::print(stderr, "usage: config-doc page|schema\n");
    return 2;
  }
  fmt::print("{}", what == "page" ? configPage() : configSchema());
  return 0;
}
