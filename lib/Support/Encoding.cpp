//===- Encoding.cpp - Bytes inside of text --------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Both formats are those that browsers read: nettle writes one, zlib the other.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Encoding.h"
#include "parallax/Support/Error.h"

#include <nettle/base64.h>
#include <zlib.h>

namespace parallax {

std::string base64Of(std::span<const std::byte> bytes) {
  std::string text(BASE64_ENCODE_RAW_LENGTH(bytes.size()), '\0');
  base64_encode_raw(text.data(), bytes.size(),
                    reinterpret_cast<const uint8_t *>(bytes.data()));
  return text;
}

std::string gzipOf(std::string_view bytes) {
  z_stream stream{};
  constexpr int window = 15, asGzip = 16, memory = 8;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window + asGzip,
                   memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error("there is too little memory to compress a file");
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = uInt(bytes.size());
  stream.next_out = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_out = uInt(packed.size());
  int code = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (code != Z_STREAM_END)
    throw Error("a file could not be compressed");
  return packed;
}

} // namespace parallax
