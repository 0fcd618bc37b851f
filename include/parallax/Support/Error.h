//===- Error.h - User errors of the plain C++ libraries --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The libraries without MLIR report a user's mistake by throwing Error. Its
// text is the whole message: it names the file, node or tensor and says what
// to do. Tools catch it once, in main.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_ERROR_H
#define PARALLAX_SUPPORT_ERROR_H

#include <stdexcept>
#include <string>

namespace parallax {

class Error : public std::runtime_error {
public:
  explicit Error(const std::string &message) : std::runtime_error(message) {}
};

/// No integers can express what a layer computes with its scales and values. The
/// layer can still compute in float.
class DerivationError : public Error {
public:
  using Error::Error;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_ERROR_H
