//===- HostName.h - The name of this machine -------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A number of a process means nothing on another machine.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_HOSTNAME_H
#define PARALLAX_SUPPORT_HOSTNAME_H

#include <string>

namespace parallax {

/// "unknown" if the system does not tell.
std::string hostName();

} // namespace parallax

#endif // PARALLAX_SUPPORT_HOSTNAME_H
