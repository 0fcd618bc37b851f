//===- ImageSize.cpp - Sizes of pictures before they are decoded ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A picture of a hundred bytes can claim a hundred thousand lines, and decoders
// believe it. They also fill the rest of a truncated picture with gray and call
// that success. Both are found here, by reading the few fields that matter.
//===----------------------------------------------------------------------===//
#include "parallax/Data/Image.h"
#include "parallax/Support/Error.h"

#include <cstdlib>
#include <fmt/format.h>

namespace parallax {
namespace {

class HeaderReader {
public:
  HeaderReader(std::string_view text, std::string_view source)
      : text(text), source(source) {}

  ImageSize read() const {
    if (text.starts_with("\xff\xd8"))
      return readJpeg();
    if (text.starts_with("\x89PNG\r\n\x1a\n"))
      return readPng();
    if (text.starts_with("BM"))
      return readBmp();
    fail("it is not a JPEG, PNG or BMP picture");
  }

  [[noreturn]] void fail(std::string_view reason) const {
    throw Error(fmt::format("cannot read '{}': {}", source, reason));
  }

private:
  uint32_t byteAt(size_t offset) const {
    if (offset >= text.size())
      fail("the picture is truncated");
    return uint8_t(text[offset]);
  }
  int64_t bigEndian(size_t offset, size_t count) const {
    uint32_t value = 0;
    for (size_t byte = 0; byte < count; ++byte)
      value = value << 8 | byteAt(offset + byte);
    return value;
  }
  int64_t littleEndian(size_t offset, size_t count) const {
    uint32_t value = 0;
    for (size_t byte = count; byte-- > 0;)
      value = value << 8 | byteAt(offset + byte);
    return value;
  }

  ImageSize readPng() const {
    if (text.find("IEND", 24) == std::string_view::npos)
      fail("the picture is truncated");
    if (text.substr(12, 4) != "IHDR")
      fail("the PNG does not begin with its header");
    return {bigEndian(16, 4), bigEndian(20, 4)};
  }

  ImageSize readBmp() const {
    int64_t headerSize = littleEndian(14, 4);
    if (headerSize == 12) // OS/2
      return {littleEndian(18, 2), littleEndian(20, 2)};
    if (headerSize < 40)
      fail("the BMP has an unknown header");
    // A negative height means that the first line is on top.
    auto height = int32_t(littleEndian(22, 4));
    ImageSize size{int32_t(littleEndian(18, 4)), std::abs(int64_t(height))};
    bool compressed = littleEndian(30, 4) != 0;
    int64_t bitsPerPixel = littleEndian(28, 2);
    checkPixels(size);
    int64_t lineBytes = (size.width * bitsPerPixel + 31) / 32 * 4;
    if (!compressed &&
        littleEndian(10, 4) + lineBytes * size.height > int64_t(text.size()))
      fail("the picture is truncated");
    return size;
  }

  /// Walks over the segments to the one that starts a frame.
  ImageSize readJpeg() const {
    size_t offset = 2;
    for (;;) {
      // Bytes that belong to nothing may stand before a marker.
      uint32_t marker = byteAt(offset + 1);
      if (byteAt(offset) != 0xff || marker == 0xff || marker == 0) {
        ++offset;
        continue;
      }
      // All but DHT, JPG and DAC in this range start a frame.
      bool isFrame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 &&
                     marker != 0xc8 && marker != 0xcc;
      if (isFrame)
        break;
      if (marker == 0xd9 || marker == 0xda)
        fail("the JPEG has no frame");
      bool standsAlone = marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8);
      if (!standsAlone && bigEndian(offset + 2, 2) < 2)
        fail("the JPEG is damaged");
      offset += standsAlone ? 2 : 2 + size_t(bigEndian(offset + 2, 2));
    }
    // A preview inside of the header has an end marker of its own.
    if (text.find("\xff\xd9", offset) == std::string_view::npos)
      fail("the picture is truncated");
    return {bigEndian(offset + 7, 2), bigEndian(offset + 5, 2)};
  }

public:
  void checkPixels(ImageSize size) const {
    if (size.width <= 0 || size.height <= 0 ||
        size.width > maxImagePixels / size.height)
      fail(fmt::format("a picture of {}x{} pixels is not between 1 and 2^26 "
                       "pixels large",
                       size.width, size.height));
  }

private:
  std::string_view text, source;
};

} // namespace

ImageSize imageSizeOf(std::span<const std::byte> bytes,
                      std::string_view sourceName) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  HeaderReader reader(text, sourceName);
  ImageSize size = reader.read();
  reader.checkPixels(size);
  return size;
}

} // namespace parallax
