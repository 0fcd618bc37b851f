//===- Image.cpp - Pictures as network inputs -----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Decoding and resizing are done by Pixels/, which is loaded when it is needed.
//===----------------------------------------------------------------------===//
#include "parallax/Data/Image.h"
#include "PalettePng.h"
#include "Pixels/Pixels.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Plugin.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>

namespace parallax {
namespace {

/// More than an uncompressed picture of the largest size has; OpenCV counts
/// the bytes of a file in an int.
constexpr size_t maxFileSize = size_t(1) << 30;

bool isChannelCount(int64_t dim) { return dim == 1 || dim == 3; }

/// A function of the decoder, which is loaded with the first picture.
template <typename Fn> Fn *decoderFunction(const char *name) {
  std::string path = pluginPath("libparallax-pixels.so").string();
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, name) : nullptr;
  if (!symbol)
    throw Error(fmt::format("cannot load the picture decoder: {}; build or "
                            "install all of Parallax",
                            dlerror()));
  return reinterpret_cast<Fn *>(symbol);
}

void checkFile(std::span<const std::byte> bytes, std::string_view sourceName) {
  if (bytes.size() > maxFileSize)
    throw Error(fmt::format("cannot read '{}': {} bytes are too many for a "
                            "picture",
                            sourceName, bytes.size()));
}

void checkDecoded(const char *problem, std::string_view sourceName) {
  if (problem)
    throw Error(fmt::format("cannot decode '{}': {}", sourceName, problem));
}

ParallaxPixelFit pixelFit(ImageFit fit) {
  return fit == ImageFit::Letterbox    ? ParallaxLetterbox
         : fit == ImageFit::CenterCrop ? ParallaxCrop
                                       : ParallaxStretch;
}

ParallaxPixelOrder pixelOrder(ColorSpace order) {
  return order == ColorSpace::Gray  ? ParallaxGray
         : order == ColorSpace::Rgb ? ParallaxRGB
                                    : ParallaxBGR;
}

std::vector<float> perChannel(std::string_view inputName,
                              std::string_view field,
                              std::span<const float> values, int64_t channels,
                              float neutral) {
  if (values.size() > 1 && int64_t(values.size()) != channels)
    throw Error(fmt::format("input '{}': {} has {} values, but the input has "
                            "{} channels; give one value per channel",
                            inputName, field, values.size(), channels));
  for (float value : values)
    if (!std::isfinite(value))
      throw Error(fmt::format("input '{}': {} is not finite; check its values",
                              inputName, field));
  std::vector<float> all(size_t(channels), neutral);
  for (size_t channel = 0; channel < all.size() && !values.empty(); ++channel)
    all[channel] = values.size() == 1 ? values[0] : values[channel];
  return all;
}

} // namespace

bool isPictureName(const std::filesystem::path &file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png" ||
         extension == ".bmp";
}

Shape ImageForm::shape() const {
  return channelsLast ? Shape{batch, height, width, channels}
                      : Shape{batch, channels, height, width};
}

ImageForm imageFormOf(std::string_view inputName, DType dtype,
                      const Shape &shape, ColorSpace order, TensorLayout layout,
                      std::span<const float> mean, std::span<const float> std) {
  auto fail = [&](std::string_view reason) {
    throw Error(fmt::format("input '{}' ({} of {}) can't be given pictures: {}",
                            inputName, toString(shape), nameOf(dtype), reason));
  };
  if (shape.size() != 4)
    fail("it has no four dimensions; use arrays");
  ImageForm form;
  form.dtype = dtype;
  form.channelsLast = layout == TensorLayout::NHWC ||
                      (layout == TensorLayout::Default &&
                       !isChannelCount(shape[1]) && isChannelCount(shape[3]));
  form.batch = shape[0];
  form.channels = form.channelsLast ? shape[3] : shape[1];
  form.height = form.channelsLast ? shape[1] : shape[2];
  form.width = form.channelsLast ? shape[2] : shape[3];
  if (form.batch < 1 || std::min(form.height, form.width) < 1 ||
      form.height > maxImagePixels / form.width)
    fail("it is not between 1 and 2^26 pixels large");
  if (!isChannelCount(form.channels))
    fail(fmt::format("{} channels are neither 1 (GRAY) nor 3 (BGR, RGB); check "
                     "tensor_layout, or use arrays",
                     form.channels));

  if (order == ColorSpace::Auto)
    order = form.channels == 1 ? ColorSpace::Gray : ColorSpace::Bgr;
  form.order = order;
  if ((order == ColorSpace::Gray) != (form.channels == 1))
    fail(fmt::format("tensor_format {} does not fit {} channels",
                     configName(order), form.channels));

  form.mean = perChannel(inputName, "mean", mean, form.channels, 0);
  form.std = perChannel(inputName, "std", std, form.channels, 1);
  if (std::count(form.std.begin(), form.std.end(), 0.0f) > 0)
    fail("std is a divisor and must not be 0");
  bool normalizes = std::any_of(form.mean.begin(), form.mean.end(),
                                [](float value) { return value != 0; }) ||
                    std::any_of(form.std.begin(), form.std.end(),
                                [](float value) { return value != 1; });
  if (!isFloat(dtype) && normalizes)
    fail("mean and std need a float input");
  if (dtype == DType::I8 || dtype == DType::Bool)
    fail("pixels from 0 to 255 don't fit its type");
  return form;
}

Tensor readImage(std::span<const std::byte> bytes, std::string_view sourceName,
                 const ImageForm &form, Placement *placement) {
  static auto *const decode =
      decoderFunction<decltype(parallaxDecodePixels)>("parallaxDecodePixels");
  imageSizeOf(bytes, sourceName);
  checkFile(bytes, sourceName);
  Tensor pixels(DType::U8, {form.height, form.width, form.channels});
  ParallaxPixelForm target{int(form.width),        int(form.height),
                           pixelOrder(form.order), pixelFit(form.fit),
                           form.cropFraction,      form.border};
  ParallaxPixelPlacement place{};
  checkDecoded(decode(bytes.data(), bytes.size(), &target,
                      pixels.data<uint8_t>(), &place),
               sourceName);
  if (placement)
    *placement = {place.width,  place.height,  place.scaleX,
                  place.scaleY, place.offsetX, place.offsetY};

  Tensor tensor(form.dtype, form.shape());
  int64_t plane = form.height * form.width;
  int64_t pixelStride = form.channelsLast ? form.channels : 1;
  int64_t channelStride = form.channelsLast ? 1 : plane;
  dispatch(form.dtype, [&]<typename T>(TypeTag<T>) {
    T *image = tensor.data<T>();
    for (int64_t channel = 0; channel < form.channels; ++channel) {
      float mean = form.mean[size_t(channel)], std = form.std[size_t(channel)];
      for (int64_t y = 0; y < form.height; ++y) {
        const uint8_t *line =
            pixels.data<uint8_t>() + y * form.width * form.channels + channel;
        T *target =
            image + channel * channelStride + y * form.width * pixelStride;
        for (int64_t x = 0; x < form.width; ++x)
          target[x * pixelStride] =
              T((float(line[x * form.channels]) - mean) / std);
      }
    }
    for (int64_t copy = 1; copy < form.batch; ++copy)
      std::copy_n(image, plane * form.channels,
                  image + copy * plane * form.channels);
  });
  return tensor;
}

Tensor readMask(std::span<const std::byte> bytes, std::string_view sourceName) {
  static auto *const decode =
      decoderFunction<decltype(parallaxDecodeMask)>("parallaxDecodeMask");
  ImageSize size = imageSizeOf(bytes, sourceName);
  checkFile(bytes, sourceName);
  // OpenCV would turn the numbers of a palette into colors.
  std::optional<GrayPng> numbers = withoutPalette(bytes);
  if (numbers)
    bytes = numbers->bytes;
  Tensor mask(DType::U8, {size.height, size.width});
  checkDecoded(decode(bytes.data(), bytes.size(), int(size.width),
                      int(size.height), mask.data<uint8_t>()),
               sourceName);
  if (numbers)
    for (int64_t i = 0; i < mask.size(); ++i)
      mask.data<uint8_t>()[i] /= numbers->step;
  return mask;
}

Thumbnail thumbnailOf(std::span<const std::byte> bytes,
                      std::string_view sourceName, int longest) {
  static auto *const make =
      decoderFunction<decltype(parallaxMakeThumbnail)>("parallaxMakeThumbnail");
  Thumbnail result;
  result.fullSize = imageSizeOf(bytes, sourceName);
  checkFile(bytes, sourceName);
  auto take = [](void *context, const void *file, size_t size, int width,
                 int height) {
    auto *own = static_cast<Thumbnail *>(context);
    const auto *first = static_cast<const std::byte *>(file);
    own->file.assign(first, first + size);
    own->size = {width, height};
  };
  checkDecoded(make(bytes.data(), bytes.size(), int(result.fullSize.width),
                    int(result.fullSize.height), longest, take, &result),
               sourceName);
  return result;
}

} // namespace parallax
