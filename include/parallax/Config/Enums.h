//===- Enums.h - The named choices of a configuration ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Configurations give these by name. The names are those of Pulsar2, so that
// its files can be read as they are.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CONFIG_ENUMS_H
#define PARALLAX_CONFIG_ENUMS_H

#include <optional>
#include <span>
#include <string_view>

namespace parallax {

enum class ModelType {
  Onnx,
  QuantAxModel,
  QuantOnnx,
  OptimizedQuantAxModel,
  Isp
};

enum class NpuMode { NPU1, NPU2, NPU3, NPU4, NPU5, ISP1, ISP2, ISP3 };

enum class DataType {
  Default,
  U8,
  S8,
  U16,
  S16,
  U32,
  S32,
  U64,
  S64,
  FP16,
  FP32,
  BF16,
  NVFP4
};

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

/// How raw color spaces become RGB or BGR.
enum class CscMode { None, Matrix, FullRange, LimitedRange };

enum class DataFormat { Image, Numpy, Binary, NumpyObject };

enum class QuantMethod {
#define CALIBRATION_METHOD(kind, ...) kind,
#include "parallax/Config/CalibrationMethods.def"
};

enum class PrecisionAnalysisMethod { PerLayer, EndToEnd };

enum class PrecisionAnalysisMode { Reference, NpuBackend, Both };

enum class AnalysisColumns { Standard, Full };

enum class CheckMode { Output, PerLayer };

enum class ScheduleStrategy { Tile, Slice };

enum class MatchMode { Op, Tensor };

template <typename E> struct EnumName {
  E value;
  std::string_view name;
};

/// All values and their names, in the order in which they are documented.
template <typename E> std::span<const EnumName<E>> enumNames() = delete;

template <> std::span<const EnumName<ModelType>> enumNames();
template <> std::span<const EnumName<NpuMode>> enumNames();
template <> std::span<const EnumName<DataType>> enumNames();
template <> std::span<const EnumName<ColorSpace>> enumNames();
template <> std::span<const EnumName<TensorLayout>> enumNames();
template <> std::span<const EnumName<CscMode>> enumNames();
template <> std::span<const EnumName<DataFormat>> enumNames();
template <> std::span<const EnumName<QuantMethod>> enumNames();
template <> std::span<const EnumName<PrecisionAnalysisMethod>> enumNames();
template <> std::span<const EnumName<PrecisionAnalysisMode>> enumNames();
template <> std::span<const EnumName<AnalysisColumns>> enumNames();
template <> std::span<const EnumName<CheckMode>> enumNames();
template <> std::span<const EnumName<ScheduleStrategy>> enumNames();
template <> std::span<const EnumName<MatchMode>> enumNames();

/// The name that a configuration gives to `value`.
template <typename E> std::string_view configName(E value) {
  for (const EnumName<E> &entry : enumNames<E>())
    if (entry.value == value)
      return entry.name;
  return "";
}

/// The value that a configuration gives that name; nothing if it has none.
template <typename E> std::optional<E> parseEnum(std::string_view name) {
  for (const EnumName<E> &entry : enumNames<E>())
    if (entry.name == name)
      return entry.value;
  return std::nullopt;
}

} // namespace parallax

#endif // PARALLAX_CONFIG_ENUMS_H
