//===- faulty.cpp - The program `parallax-faulty` -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// `parallax` on a machine with a broken kernel, which PARALLAX_TEST_FAULT
// names. A variable, because the builds that `case` starts have to be broken as
// well.
//===----------------------------------------------------------------------===//
#include "../../tools/parallax/parallax.h"
#include "TestFault.h"

#include "parallax/Support/Error.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
  const char *request = std::getenv("PARALLAX_TEST_FAULT");
  if (!request)
    return parallax::runTool(argc, argv);
  try {
    parallax::TestFault fault(request);
    int code = parallax::runTool(argc, argv);
    fault.checkFound();
    return code;
  } catch (const parallax::Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
