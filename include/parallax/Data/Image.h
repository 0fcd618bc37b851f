//===- Image.h - Pictures as network inputs --------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What a network saw in training is what it must see in calibration, so every
// step from the file to the tensor is fixed here: decode, resize, order the
// channels, subtract the mean, divide by the standard deviation.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DATA_IMAGE_H
#define PARALLAX_DATA_IMAGE_H

#include "parallax/Support/SampleFormats.h"
#include "parallax/Support/Tensor.h"

#include <filesystem>

namespace parallax {

/// Whether pictures are looked for under this name.
bool isPictureName(const std::filesystem::path &file);

/// How a picture becomes an input of a network.
struct ImageForm {
  int64_t batch = 1, height = 0, width = 0, channels = 0;
  bool channelsLast = false;
  ColorSpace order = ColorSpace::Bgr;
  DType dtype = DType::F32;
  /// One value for each channel.
  std::vector<float> mean, std;
  ImageFit fit = ImageFit::Stretch;
  /// With CenterCrop, how much of the shorter side of a picture is kept.
  double cropFraction = 0.875;
  /// With Letterbox, the value of the pixels around the picture.
  uint8_t border = 114;

  Shape shape() const;
};

/// Where a picture came to lie in an input: the point (x, y) of the picture is
/// at (x * scaleX + offsetX, y * scaleY + offsetY).
struct Placement {
  int64_t width = 0, height = 0;
  double scaleX = 1, scaleY = 1, offsetX = 0, offsetY = 0;
};

/// Throws Error, naming the input, if pictures can't be read for a tensor of
/// this type and shape. `mean` and `std` hold one value per channel, one for
/// all, or none. The default layout is NCHW if the second dimension can be
/// that of channels, else NHWC.
ImageForm imageFormOf(std::string_view inputName, DType dtype,
                      const Shape &shape, ColorSpace order, TensorLayout layout,
                      std::span<const float> mean, std::span<const float> std);

/// The largest picture that is read.
constexpr int64_t maxImagePixels = int64_t(1) << 26;

struct ImageSize {
  int64_t width = 0, height = 0;
};

/// What the header of a JPEG, PNG or BMP file says, without decoding it.
/// Throws Error if it is not one of them, if it is incomplete, or if it claims
/// no pixels or more than 2^26.
ImageSize imageSizeOf(std::span<const std::byte> bytes,
                      std::string_view sourceName);

/// The picture, repeated for every element of the batch: resized as
/// cv::resize does with INTER_LINEAR on 8-bit pixels, then (x - mean) / std in
/// single precision. Throws Error.
Tensor readImage(std::span<const std::byte> bytes, std::string_view sourceName,
                 const ImageForm &form, Placement *placement = nullptr);

/// The numbers of a gray picture in its own size, {height, width} of U8:
/// classes of pixels. Throws Error for a picture in color or with a palette,
/// whose numbers are not classes.
Tensor readMask(std::span<const std::byte> bytes, std::string_view sourceName);

/// A small picture for people to look at, as a JPEG file.
struct Thumbnail {
  std::vector<std::byte> file;
  ImageSize size, fullSize;
};

/// No side has more pixels than `longest`. Throws Error.
Thumbnail thumbnailOf(std::span<const std::byte> bytes,
                      std::string_view sourceName, int longest);

} // namespace parallax

#endif // PARALLAX_DATA_IMAGE_H
