//===- PalettePng.cpp - Numbers of a palette as gray ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A PNG file stores the number of a color as it stores a gray value. So a
// header that says gray, and no palette, make a decoder give the numbers.
//===----------------------------------------------------------------------===//
#include "PalettePng.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace parallax {
namespace {

constexpr size_t signatureSize = 8, nameSize = 4;
/// Its length, its name, and its checksum at the end.
constexpr size_t chunkOverhead = 12;
/// In the header, which is the first chunk.
constexpr size_t depthOffset = 24, colorOffset = 25, headerEnd = 33;
constexpr std::byte gray{0}, palette{3};

/// The polynomial of zip files.
uint32_t checksumOf(std::span<const std::byte> bytes) {
  uint32_t sum = ~0u;
  for (std::byte byte : bytes) {
    sum ^= uint32_t(byte);
    for (int bit = 0; bit < 8; ++bit)
      sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xedb88320 : 0);
  }
  return ~sum;
}

uint32_t bigEndianAt(std::span<const std::byte> bytes, size_t offset) {
  uint32_t value = 0;
  for (std::byte byte : bytes.subspan(offset, 4))
    value = value << 8 | uint32_t(byte);
  return value;
}

/// Decoders spread gray values of few bits over 0 to 255.
uint8_t stepOf(std::byte depth) {
  int bits = std::to_integer<int>(depth);
  return bits < 1 || bits > 7 ? 1 : uint8_t(255 / ((1 << bits) - 1));
}

} // namespace

std::optional<GrayPng> withoutPalette(std::span<const std::byte> bytes) {
  if (bytes.size() < headerEnd || bytes[0] != std::byte(0x89) ||
      bytes[colorOffset] != palette)
    return std::nullopt;
  GrayPng result{{bytes.begin(), bytes.begin() + headerEnd},
                 stepOf(bytes[depthOffset])};
  result.bytes[colorOffset] = gray;
  constexpr size_t sumOffset = headerEnd - 4;
  constexpr size_t named = signatureSize + nameSize;
  uint32_t sum = checksumOf(std::span<const std::byte>(result.bytes)
                                .subspan(named, sumOffset - named));
  for (size_t i = 0; i < 4; ++i)
    result.bytes[sumOffset + i] = std::byte(sum >> (24 - 8 * i) & 0xff);

  size_t at = headerEnd;
  while (bytes.size() - at >= chunkOverhead) {
    size_t size = chunkOverhead + bigEndianAt(bytes, at);
    auto *name = reinterpret_cast<const char *>(&bytes[at + 4]);
    size = std::min(size, bytes.size() - at);
    // All others belong to the palette, or describe colors.
    if (std::string_view kept(name, nameSize); kept == "IDAT" || kept == "IEND")
      result.bytes.insert(result.bytes.end(), bytes.begin() + long(at),
                          bytes.begin() + long(at + size));
    at += size;
  }
  return result;
}

} // namespace parallax
