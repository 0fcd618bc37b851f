//===- SampleFormats.cpp - How samples are stored and ordered -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One table per enum.
//===----------------------------------------------------------------------===//
#include "parallax/Support/SampleFormats.h"

namespace parallax {

template <> std::span<const EnumName<DataFormat>> enumNames() {
  static constexpr EnumName<DataFormat> names[] = {
      {DataFormat::Image, "Image"},
      {DataFormat::Numpy, "Numpy"},
      {DataFormat::Binary, "Binary"},
      {DataFormat::NumpyObject, "NumpyObject"}};
  return names;
}

template <> std::span<const EnumName<ColorSpace>> enumNames() {
  static constexpr EnumName<ColorSpace> names[] = {
      {ColorSpace::Auto, "AutoColorSpace"},
      {ColorSpace::Gray, "GRAY"},
      {ColorSpace::Bgr, "BGR"},
      {ColorSpace::Rgb, "RGB"},
      {ColorSpace::Rgba, "RGBA"},
      {ColorSpace::Yuv420sp, "YUV420SP"},
      {ColorSpace::Yvu420sp, "YVU420SP"},
      {ColorSpace::Yuyv422, "YUYV422"},
      {ColorSpace::Uyvy422, "UYVY422"},
      {ColorSpace::Raw, "RAW"}};
  return names;
}

template <> std::span<const EnumName<TensorLayout>> enumNames() {
  static constexpr EnumName<TensorLayout> names[] = {
      {TensorLayout::Default, "DefaultLayout"},
      {TensorLayout::NHWC, "NHWC"},
      {TensorLayout::NCHW, "NCHW"}};
  return names;
}

template <> std::span<const EnumName<ImageFit>> enumNames() {
  static constexpr EnumName<ImageFit> names[] = {
      {ImageFit::Default, "DefaultResize"},
      {ImageFit::Stretch, "Stretch"},
      {ImageFit::Letterbox, "Letterbox"},
      {ImageFit::CenterCrop, "CenterCrop"}};
  return names;
}

} // namespace parallax
