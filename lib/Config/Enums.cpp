//===- Enums.cpp - The named choices of a configuration -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One table per enum.
//===----------------------------------------------------------------------===//
#include "parallax/Config/DataTypes.h"

namespace parallax {

template <> std::span<const EnumName<ModelType>> enumNames() {
  static constexpr EnumName<ModelType> names[] = {
      {ModelType::Onnx, "ONNX"},
      {ModelType::QuantAxModel, "QuantAxModel"},
      {ModelType::QuantOnnx, "QuantONNX"},
      {ModelType::OptimizedQuantAxModel, "OptimizedQuantAxModel"},
      {ModelType::Isp, "ISP"}};
  return names;
}

template <> std::span<const EnumName<NpuMode>> enumNames() {
  static constexpr EnumName<NpuMode> names[] = {
      {NpuMode::NPU1, "NPU1"}, {NpuMode::NPU2, "NPU2"}, {NpuMode::NPU3, "NPU3"},
      {NpuMode::NPU4, "NPU4"}, {NpuMode::NPU5, "NPU5"}, {NpuMode::ISP1, "ISP1"},
      {NpuMode::ISP2, "ISP2"}, {NpuMode::ISP3, "ISP3"}};
  return names;
}

template <> std::span<const EnumName<DataType>> enumNames() {
  static constexpr EnumName<DataType> names[] = {
      {DataType::Default, "DefaultDataType"},
      {DataType::U8, "U8"},
      {DataType::S8, "S8"},
      {DataType::U16, "U16"},
      {DataType::S16, "S16"},
      {DataType::U32, "U32"},
      {DataType::S32, "S32"},
      {DataType::U64, "U64"},
      {DataType::S64, "S64"},
      {DataType::FP16, "FP16"},
      {DataType::FP32, "FP32"},
      {DataType::BF16, "BF16"},
      {DataType::NVFP4, "NVFP4"}};
  return names;
}

template <> std::span<const EnumName<QdqFormat>> enumNames() {
  static constexpr EnumName<QdqFormat> names[] = {{QdqFormat::U8S8, "U8S8"},
                                                  {QdqFormat::U8U8, "U8U8"}};
  return names;
}

template <> std::span<const EnumName<CscMode>> enumNames() {
  static constexpr EnumName<CscMode> names[] = {
      {CscMode::None, "NoCSC"},
      {CscMode::Matrix, "Matrix"},
      {CscMode::FullRange, "FullRange"},
      {CscMode::LimitedRange, "LimitedRange"}};
  return names;
}

template <> std::span<const EnumName<QuantMethod>> enumNames() {
  static constexpr EnumName<QuantMethod> names[] = {
#define CALIBRATION_METHOD(kind, name, ...) {QuantMethod::kind, name},
#include "parallax/Config/CalibrationMethods.def"
  };
  return names;
}

template <> std::span<const EnumName<AnalysisMethod>> enumNames() {
  static constexpr EnumName<AnalysisMethod> names[] = {
      {AnalysisMethod::PerLayer, "PerLayer"},
      {AnalysisMethod::EndToEnd, "EndToEnd"}};
  return names;
}

template <> std::span<const EnumName<PrecisionAnalysisMode>> enumNames() {
  static constexpr EnumName<PrecisionAnalysisMode> names[] = {
      {PrecisionAnalysisMode::Reference, "Reference"},
      {PrecisionAnalysisMode::NpuBackend, "NPUBackend"},
      {PrecisionAnalysisMode::Both, "Both"}};
  return names;
}

template <> std::span<const EnumName<AnalysisColumns>> enumNames() {
  static constexpr EnumName<AnalysisColumns> names[] = {
      {AnalysisColumns::Standard, "standard"}, {AnalysisColumns::Full, "full"}};
  return names;
}

template <> std::span<const EnumName<CheckMode>> enumNames() {
  static constexpr EnumName<CheckMode> names[] = {
      {CheckMode::Output, "CheckOutput"},
      {CheckMode::PerLayer, "CheckPerLayer"}};
  return names;
}

template <> std::span<const EnumName<ScheduleStrategy>> enumNames() {
  static constexpr EnumName<ScheduleStrategy> names[] = {
      {ScheduleStrategy::Tile, "Tile"}, {ScheduleStrategy::Slice, "Slice"}};
  return names;
}

template <> std::span<const EnumName<MatchMode>> enumNames() {
  static constexpr EnumName<MatchMode> names[] = {
      {MatchMode::Op, "Op"}, {MatchMode::Tensor, "Tensor"}};
  return names;
}

template <> std::span<const EnumName<EvaluationTask>> enumNames() {
  static constexpr EnumName<EvaluationTask> names[] = {
      {EvaluationTask::Classification, "Classification"},
      {EvaluationTask::Detection, "Detection"},
      {EvaluationTask::Segmentation, "Segmentation"},
      {EvaluationTask::Embedding, "Embedding"},
      {EvaluationTask::Regression, "Regression"},
      {EvaluationTask::Custom, "Custom"}};
  return names;
}

template <> std::span<const EnumName<DetectionHead>> enumNames() {
  static constexpr EnumName<DetectionHead> names[] = {
      {DetectionHead::Auto, "Auto"},
      {DetectionHead::YoloV5, "YOLOv5"},
      {DetectionHead::YoloV8, "YOLOv8"},
      {DetectionHead::Ssd, "SSD"}};
  return names;
}

template <> std::span<const EnumName<BoxFormat>> enumNames() {
  static constexpr EnumName<BoxFormat> names[] = {
      {BoxFormat::Default, "DefaultBoxes"},
      {BoxFormat::CenterSize, "CenterSize"},
      {BoxFormat::Corners, "Corners"},
      {BoxFormat::CornersYX, "CornersYX"}};
  return names;
}

template <> std::span<const EnumName<BoxUnit>> enumNames() {
  static constexpr EnumName<BoxUnit> names[] = {
      {BoxUnit::Default, "DefaultUnit"},
      {BoxUnit::Pixels, "Pixels"},
      {BoxUnit::Relative, "Relative"}};
  return names;
}

template <> std::span<const EnumName<Pooling>> enumNames() {
  static constexpr EnumName<Pooling> names[] = {
      {Pooling::Default, "DefaultPooling"},
      {Pooling::Mean, "Mean"},
      {Pooling::First, "First"},
      {Pooling::None, "None"}};
  return names;
}

template <> std::span<const EnumName<LossCriterion>> enumNames() {
  static constexpr EnumName<LossCriterion> names[] = {
      {LossCriterion::Relative, "relative"},
      {LossCriterion::Absolute, "absolute"}};
  return names;
}

template <> std::span<const EnumName<TuningStrategy>> enumNames() {
  static constexpr EnumName<TuningStrategy> names[] = {
      {TuningStrategy::Auto, "auto"},
      {TuningStrategy::Basic, "basic"},
      {TuningStrategy::Mse, "mse"},
      {TuningStrategy::Exhaustive, "exhaustive"},
      {TuningStrategy::Random, "random"},
      {TuningStrategy::Custom, "custom"}};
  return names;
}

template <> std::span<const EnumName<TuningObjective>> enumNames() {
  static constexpr EnumName<TuningObjective> names[] = {
      {TuningObjective::Cycles, "cycles"},
      {TuningObjective::Size, "size"},
      {TuningObjective::Traffic, "memory_traffic"}};
  return names;
}

template <> std::span<const EnumName<TuningLever>> enumNames() {
  static constexpr EnumName<TuningLever> names[] = {
      {TuningLever::Calibration, "calibration"},
      {TuningLever::Equalization, "equalization"},
      {TuningLever::SmoothQuant, "smooth_quant"},
      {TuningLever::EasyQuant, "easy_quant"},
      {TuningLever::BiasCorrection, "bias_correction"}};
  return names;
}

DataType dataTypeOf(DType type) {
  for (const EnumName<DataType> &entry : enumNames<DataType>())
    if (entry.name == configNameOf(type))
      return entry.value;
  return DataType::Default;
}

} // namespace parallax
