//===- Pixels.h - The picture decoder, loaded when needed ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// OpenCV's decoders bring more than a hundred shared libraries along, which
// would double the time that the program takes to start. So they are behind a
// library of our own that is loaded with the first picture.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_DATA_PIXELS_PIXELS_H
#define PARALLAX_LIB_DATA_PIXELS_PIXELS_H

#include <cstddef>
#include <cstdint>

extern "C" {

enum ParallaxPixelOrder { ParallaxBGR, ParallaxRGB, ParallaxGray };

/// Decodes a file and resizes it to `width` x `height` 8-bit pixels with
/// channels innermost. Returns null, or what went wrong: text that lives until
/// the next call of the thread.
const char *parallaxDecodePixels(const void *file, size_t size, int width,
                                 int height, ParallaxPixelOrder order,
                                 uint8_t *pixels);
}

#endif // PARALLAX_LIB_DATA_PIXELS_PIXELS_H
