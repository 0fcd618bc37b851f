//===- HostName.cpp - The name of this machine ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// As the system has it, without a question to any server.
//===----------------------------------------------------------------------===//
#include "parallax/Support/HostName.h"

#include <unistd.h>

namespace parallax {

std::string hostName() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 && name[0] ? name
                                                               : "unknown";
}

} // namespace parallax
