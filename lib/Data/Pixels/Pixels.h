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
enum ParallaxPixelFit { ParallaxStretch, ParallaxLetterbox, ParallaxCrop };

/// What the pixels have to become.
struct ParallaxPixelForm {
  int width, height;
  enum ParallaxPixelOrder order;
  enum ParallaxPixelFit fit;
  /// With ParallaxCrop, how much of the shorter side is kept.
  double crop;
  /// With ParallaxLetterbox, what is around the picture.
  uint8_t border;
};

/// Where they are: the point (x, y) of the picture is at
/// (x * scaleX + offsetX, y * scaleY + offsetY).
struct ParallaxPixelPlacement {
  int width, height;
  double scaleX, scaleY, offsetX, offsetY;
};

/// Decodes a file to 8-bit pixels of the form, channels innermost. Returns
/// null, or what went wrong: text that lives until the next call of the thread.
const char *parallaxDecodePixels(const void *file, size_t size,
                                 const struct ParallaxPixelForm *form,
                                 uint8_t *pixels,
                                 struct ParallaxPixelPlacement *placement);

/// Decodes a gray picture of `width` x `height` as it is.
const char *parallaxDecodeMask(const void *file, size_t size, int width,
                               int height, uint8_t *pixels);

/// Gets a picture that was made; the bytes live as long as the call.
typedef void (*ParallaxTakePicture)(void *context, const void *file,
                                    size_t size, int width, int height);

/// Makes a JPEG file of a picture of `width` by `height` pixels, with sides of
/// `longest` pixels at most, and gives it to `take`.
const char *parallaxMakeThumbnail(const void *file, size_t size, int width,
                                  int height, int longest,
                                  ParallaxTakePicture take, void *context);
}

#endif // PARALLAX_LIB_DATA_PIXELS_PIXELS_H
