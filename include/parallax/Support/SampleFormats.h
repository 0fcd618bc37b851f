//===- SampleFormats.h - How samples are stored and ordered ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Configurations give these by name, and those who read samples obey them.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_SAMPLEFORMATS_H
#define PARALLAX_SUPPORT_SAMPLEFORMATS_H

#include "parallax/Support/EnumNames.h"

namespace parallax {

enum class DataFormat { Image, Numpy, Binary, NumpyObject };

/// Auto is BGR for three channels and gray for one.
enum class ColorSpace {
  Auto,
  Gray,
  Bgr,
  Rgb,
  Rgba,
  Yuv420sp,
  Yvu420sp,
  Yuyv422,
  Uyvy422,
  Raw
};

enum class TensorLayout { Default, NHWC, NCHW };

/// How a picture is brought to the size of an input: stretched, whatever that
/// does to its proportions; as large as it fits, with borders; or so large that
/// it covers more than the input, of which the middle is cut out. Default is
/// Stretch, unless something else is said elsewhere.
enum class ImageFit { Default, Stretch, Letterbox, CenterCrop };

template <> std::span<const EnumName<DataFormat>> enumNames();
template <> std::span<const EnumName<ColorSpace>> enumNames();
template <> std::span<const EnumName<TensorLayout>> enumNames();
template <> std::span<const EnumName<ImageFit>> enumNames();

} // namespace parallax

#endif // PARALLAX_SUPPORT_SAMPLEFORMATS_H
