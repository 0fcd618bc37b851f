//===- config-doc.cpp - The page and the schema of configurations ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Prints docs/config.md, configs/schema.json or their like for target files
// from the description that the reader uses.
//===----------------------------------------------------------------------===//
#include "parallax/Config/Description.h"

#include <fmt/format.h>
#include <map>
#include <string_view>

using namespace parallax;

int main(int argc, char **argv) {
  const std::map<std::string_view, std::string (*)()> texts = {
      {"page", configPage},
      {"schema", configSchema},
      {"target-page", targetPage},
      {"target-schema", targetSchema}};
  auto text = texts.find(argc == 2 ? argv[1] : "");
  if (text == texts.end()) {
    fmt::print(stderr,
               "usage: config-doc page|schema|target-page|target-schema\n");
    return 2;
  }
  fmt::print("{}", text->second());
  return 0;
}
