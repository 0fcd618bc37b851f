//===- Digest.cpp - Fingerprints of files ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Nettle uses the instructions that processors have for this: models are large.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Digest.h"
#include "parallax/Support/MappedFile.h"

#include <nettle/sha2.h>

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
  return sha256Of(MappedFile::open(path)->bytes());
}

} // namespace parallax
