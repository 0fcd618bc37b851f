//===- Digest.cpp - Fingerprints of files ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Nettle uses the instructions that processors have for this: models are large.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Digest.h"
#include "parallax/Support/Error.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <nettle/sha2.h>
#include <vector>

namespace parallax {

struct Sha256::State {
  sha256_ctx context;
};

Sha256::Sha256() : state(std::make_unique<State>()) {
  sha256_init(&state->context);
}

Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::byte> bytes) {
  sha256_update(&state->context, bytes.size(),
                reinterpret_cast<const uint8_t *>(bytes.data()));
}

std::string Sha256::finish() {
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(&state->context, sizeof(digest), digest);
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : digest)
    text.append({digits[byte >> 4], digits[byte & 15]});
  return text;
}

std::string sha256Of(std::span<const std::byte> bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.finish();
}

std::string sha256OfFile(const std::filesystem::path &path) {
  // Read, not mapped: all of a large model would count as memory in use.
  if (!std::filesystem::is_regular_file(path))
    throw Error(fmt::format("cannot read '{}': it is not a regular file",
                            path.string()));
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(1 << 20);
  Sha256 digest;
  while (file) {
    file.read(block.data(), std::streamsize(block.size()));
    digest.update(std::as_bytes(std::span(block).first(size_t(file.gcount()))));
  }
  // The last block ends at the end of the file, and any other one is an error.
  if (!file.eof())
    throw Error(fmt::format("cannot read '{}': {}", path.string(),
                            std::strerror(errno)));
  return digest.finish();
}

} // namespace parallax
