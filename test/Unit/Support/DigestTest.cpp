//===- DigestTest.cpp - Fingerprints of files -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The expected digests are what `sha256sum` prints.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Digest.h"
#include "TempDir.h"

using namespace parallax;

namespace {

constexpr std::string_view ofNothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr std::string_view ofAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(Digest, IsThatOfTheSystem) {
  TempDir dir;
  EXPECT_EQ(sha256OfFile(dir.write("abc", "abc")), ofAbc);
  EXPECT_EQ(sha256OfFile(dir.write("empty", "")), ofNothing);
  EXPECT_EQ(sha256Of(bytesOf("abc")), ofAbc);
}

TEST(Digest, OfPiecesIsThatOfTheWhole) {
  std::string text(100'000, 'x');
  for (size_t at = 0; at < text.size(); ++at)
    text[at] = char(at * at >> 5);
  Sha256 digest;
  for (size_t at = 0; at < text.size(); at += 777)
    digest.update(bytesOf(std::string_view(text).substr(at, 777)));
  EXPECT_EQ(digest.finish(), sha256Of(bytesOf(text)));
}

TEST(Digest, BeginsAnew) {
  Sha256 digest;
  EXPECT_EQ(digest.finish(), ofNothing);
  digest.update(bytesOf("abc"));
  EXPECT_EQ(digest.finish(), ofAbc);
  EXPECT_EQ(digest.finish(), ofNothing);
}

} // namespace
