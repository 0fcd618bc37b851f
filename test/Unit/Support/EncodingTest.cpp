//===- EncodingTest.cpp - Bytes inside of text ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Texts of RFC 4648, and packs that zlib unpacks again.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Encoding.h"
#include "parallax/Support/Random.h"

#include <gtest/gtest.h>
#include <zlib.h>

using namespace parallax;

namespace {

std::string unpacked(const std::string &packed, size_t size) {
  std::string text(size + 1, '\0');
  z_stream stream{};
  constexpr int window = 15, asGzip = 16;
  EXPECT_EQ(inflateInit2(&stream, window + asGzip), Z_OK);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data()));
  stream.avail_in = uInt(packed.size());
  stream.next_out = reinterpret_cast<Bytef *>(text.data());
  stream.avail_out = uInt(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(Encoding, Base64) {
  constexpr std::pair<std::string_view, std::string_view> texts[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"\xff\xfe\xfd", "//79"}};
  for (auto [bytes, text] : texts)
    EXPECT_EQ(base64Of(std::as_bytes(std::span(bytes))), text);
}

TEST(Encoding, Gzip) {
  Random random(3);
  for (size_t size : {0, 1, 1000, 300'000}) {
    std::string repeated(size, 'x'), mixed;
    for (size_t i = 0; i < size; ++i)
      mixed += char(random.next());
    EXPECT_EQ(unpacked(gzipOf(repeated), size), repeated);
    EXPECT_EQ(unpacked(gzipOf(mixed), size), mixed);
    EXPECT_EQ(gzipOf(mixed), gzipOf(mixed));
    if (size == 300'000)
      EXPECT_LT(gzipOf(repeated).size(), 1000u);
  }
}

} // namespace
