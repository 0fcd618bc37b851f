//===- Enums.h - The named choices of a configuration ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Configurations give these by name. The names are those of Pulsar2, so that
// its files can be read as they are.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CONFIG_ENUMS_H
#define PARALLAX_CONFIG_ENUMS_H

#include "parallax/Support/EnumNames.h"
#include "parallax/Support/SampleFormats.h"

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

/// How raw color spaces become RGB or BGR.
enum class CscMode { None, Matrix, FullRange, LimitedRange };

enum class QuantMethod {
#define CALIBRATION_METHOD(kind, ...) kind,
#include "parallax/Config/CalibrationMethods.def"
};

/// The types of 8-bit weights in quant_axmodel.onnx: codes as they are, or
/// unsigned ones that stand for the same values.
enum class QdqFormat { U8S8, U8U8 };

/// Each layer gets the inputs of the float network, or what the quantized
/// layers before it gave.
enum class AnalysisMethod { PerLayer, EndToEnd };

/// Which modes of the analysis are compared with the float network.
enum class PrecisionAnalysisMode { Reference, NpuBackend, Both };

enum class AnalysisColumns { Standard, Full };

enum class CheckMode { Output, PerLayer };

enum class ScheduleStrategy { Tile, Slice };

enum class MatchMode { Op, Tensor };

/// What a network is for, and so how its answers are judged.
enum class EvaluationTask {
  Classification,
  Detection,
  Segmentation,
  Embedding,
  Regression,
  Custom
};

/// What the outputs of a detector are.
enum class DetectionHead { Auto, YoloV5, YoloV8, Ssd };

/// What the four numbers of a box are.
enum class BoxFormat { Default, CenterSize, Corners, CornersYX };

/// What the numbers of a box are measured in.
enum class BoxUnit { Default, Pixels, Relative };

/// How the vectors of the tokens of a text become one.
enum class Pooling { Default, Mean, First, None };

/// What a loss of accuracy is a part of.
enum class LossCriterion { Relative, Absolute };

/// In which order configurations are tried.
enum class TuningStrategy { Auto, Basic, Mse, Exhaustive, Random, Custom };

/// What of the compiled model should be small.
enum class TuningObjective { Cycles, Size, Traffic };

/// What can raise the accuracy without widening a layer.
enum class TuningLever {
  Calibration,
  Equalization,
  SmoothQuant,
  EasyQuant,
  BiasCorrection
};

template <> std::span<const EnumName<ModelType>> enumNames();
template <> std::span<const EnumName<NpuMode>> enumNames();
template <> std::span<const EnumName<DataType>> enumNames();
template <> std::span<const EnumName<CscMode>> enumNames();
template <> std::span<const EnumName<QdqFormat>> enumNames();
template <> std::span<const EnumName<QuantMethod>> enumNames();
template <> std::span<const EnumName<AnalysisMethod>> enumNames();
template <> std::span<const EnumName<PrecisionAnalysisMode>> enumNames();
template <> std::span<const EnumName<AnalysisColumns>> enumNames();
template <> std::span<const EnumName<CheckMode>> enumNames();
template <> std::span<const EnumName<ScheduleStrategy>> enumNames();
template <> std::span<const EnumName<MatchMode>> enumNames();
template <> std::span<const EnumName<EvaluationTask>> enumNames();
template <> std::span<const EnumName<DetectionHead>> enumNames();
template <> std::span<const EnumName<BoxFormat>> enumNames();
template <> std::span<const EnumName<BoxUnit>> enumNames();
template <> std::span<const EnumName<Pooling>> enumNames();
template <> std::span<const EnumName<LossCriterion>> enumNames();
template <> std::span<const EnumName<TuningStrategy>> enumNames();
template <> std::span<const EnumName<TuningObjective>> enumNames();
template <> std::span<const EnumName<TuningLever>> enumNames();

} // namespace parallax

#endif // PARALLAX_CONFIG_ENUMS_H
