//===- Digest.h - Fingerprints of files -------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 identifies the content of a file. It is written as 64
// lower-case hexadecimal digits, as
// sha256sum prints it.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_DIGEST_H
#define PARALLAX_SUPPORT_DIGEST_H

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace parallax {

/// The length of a digest as text.
inline constexpr size_t digestDigits = 64;

/// The digest of bytes that arrive in pieces.
class Sha256 {
public:
  Sha256();
  ~Sha256();

  void update(std::span<const std::byte> bytes);

  /// Of all bytes so far; the next piece begins a new digest.
  std::string finish();

private:
  struct State;
  std::unique_ptr<State> state;
};

std::string sha256Of(std::span<const std::byte> bytes);
inline std::string sha256Of(std::string_view text) {
  return sha256Of(std::as_bytes(std::span(text)));
}
std::string sha256OfFile(const std::filesystem::path &path);

} // namespace parallax

#endif // PARALLAX_SUPPORT_DIGEST_H
