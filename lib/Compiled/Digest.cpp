//===- Digest.cpp - Fingerprints of files ---------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// SHA-256, so that anybody can check them with a tool of the system.
//===----------------------------------------------------------------------===//
#include "parallax/Compiled/CompiledInfo.h"
#include "parallax/Support/MappedFile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

namespace parallax {

std::string sha256Of(std::span<const std::byte> bytes) {
  llvm::SHA256 digest;
  digest.update(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()),
                               bytes.size()));
  return llvm::toHex(digest.final(), /*LowerCase=*/true);
}

std::string sha256OfFile(const std::filesystem::path &path) {
  return sha256Of(MappedFile::open(path)->bytes());
}

} // namespace parallax
