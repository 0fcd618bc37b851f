//===- SealedFile.cpp - Zip files with their own digest -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A zip file ends with a record of 22 bytes, whose last two are the length of
// the comment, and the comment.
//===----------------------------------------------------------------------===//
#include "SealedFile.h"

#include "parallax/Support/Error.h"
#include "parallax/Support/MappedFile.h"

#include <algorithm>
#include <fmt/format.h>

namespace parallax {

void refuseCase(const std::filesystem::path &path, std::string_view reason) {
  throw Error(fmt::format("cannot read '{}': {}", path.string(), reason));
}

namespace {

using namespace std::string_view_literals;
using Bytes = std::span<const std::byte>;

constexpr size_t endRecordSize = 22;
constexpr std::string_view sealPrefix = "parallax-case sha256:";
constexpr size_t sealSize = sealPrefix.size() + 64;
static_assert(sealSize < 256, "the length of a comment is set in one byte");

Bytes bytesOf(std::string_view text) { return std::as_bytes(std::span(text)); }

bool startsWith(Bytes bytes, std::string_view text) {
  Bytes start = bytesOf(text);
  return bytes.size() >= start.size() &&
         std::equal(start.begin(), start.end(), bytes.begin());
}

std::shared_ptr<MappedFile> openSealed(const std::filesystem::path &path) {
  std::shared_ptr<MappedFile> file = MappedFile::open(path);
  Bytes bytes = file->bytes();
  if (bytes.empty())
    refuseCase(path, "it is empty; copy it again from where it was packed");
  if (!startsWith(bytes, "PK\3\4"))
    refuseCase(path,
               "it is no case, because it does not begin like a zip file");
  bool isSealed = bytes.size() > endRecordSize + sealSize;
  if (isSealed) {
    Bytes end = bytes.last(endRecordSize + sealSize);
    isSealed = startsWith(end, "PK\5\6") &&
               end[endRecordSize - 2] == std::byte(sealSize) &&
               end[endRecordSize - 1] == std::byte(0) &&
               startsWith(end.subspan(endRecordSize), sealPrefix);
  }
  if (!isSealed)
    refuseCase(path,
               "it does not end like a case: it is cut off, or another "
               "program packed it; copy it again, or pack its folder with "
               "'parallax case pack'");
  return file;
}

} // namespace

void SealedFile::write(Bytes bytes) {
  tail.insert(tail.end(), bytes.begin(), bytes.end());
  if (tail.size() <= endRecordSize)
    return;
  auto end = tail.end() - endRecordSize;
  pass({tail.begin(), end});
  tail.erase(tail.begin(), end);
}

uint64_t SealedFile::size() const { return passed + tail.size() + sealSize; }

void SealedFile::commit() {
  if (tail.size() == endRecordSize)
    tail[endRecordSize - 2] = std::byte(sealSize);
  pass(tail);
  file.write(std::string(sealPrefix) + digest.finish());
  file.commit();
}

void SealedFile::pass(Bytes bytes) {
  digest.update(bytes);
  file.write(bytes);
  passed += bytes.size();
}

void requireSeal(const std::filesystem::path &path) { openSealed(path); }

void checkSeal(const std::filesystem::path &path) {
  std::shared_ptr<MappedFile> file = openSealed(path);
  Bytes bytes = file->bytes();
  size_t sealed = bytes.size() - sealSize;
  std::string expected =
      std::string(sealPrefix) + sha256Of(bytes.first(sealed));
  if (!startsWith(bytes.subspan(sealed), expected))
    refuseCase(path, "it is damaged: its bytes are not those that were packed; "
                     "copy it again from where it was packed");
}

} // namespace parallax
