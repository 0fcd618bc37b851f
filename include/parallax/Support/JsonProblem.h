//===- JsonProblem.h - Why a text is not JSON ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The words of the library that parses it, for messages of ours.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_JSONPROBLEM_H
#define PARALLAX_SUPPORT_JSONPROBLEM_H

#include <exception>
#include <string>

namespace parallax {

/// Without the library's own number of the mistake, which says nothing to a
/// user.
inline std::string jsonProblem(const std::exception &error) {
  std::string message = error.what();
  size_t end = message.find("] ");
  return end == std::string::npos ? message : message.substr(end + 2);
}

} // namespace parallax

#endif // PARALLAX_SUPPORT_JSONPROBLEM_H
