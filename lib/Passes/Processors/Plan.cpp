//===- Plan.cpp - What an input or output needs ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The network fixes the shape of its own tensor; what arrives follows from it,
// backwards through the layers.
//===----------------------------------------------------------------------===//
#include "Plan.h"

#include "parallax/Support/NearestNames.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <map>

namespace parallax::processors {
namespace {

constexpr std::string_view everyPort = "DEFAULT";

/// Whether integers of the type hold the value; floats hold all.
bool holds(DType dtype, int64_t value) {
  return dispatch(dtype, [&]<typename T>(TypeTag<T>) {
    if constexpr (!std::is_integral_v<T>)
      return true;
    else if constexpr (std::is_unsigned_v<T>)
      return value >= 0 && uint64_t(value) <= std::numeric_limits<T>::max();
    else
      return value >= std::numeric_limits<T>::min() &&
             value <= std::numeric_limits<T>::max();
  });
}

class InputPlanner {
public:
  InputPlanner(mlir::Location loc, const PortInfo &port,
               const InputRequest &request, std::vector<std::string> &warnings)
      : loc(loc), port(port), request(request), processor(request.processor),
        warnings(warnings) {}

  FailureOr<InputPlan> run() {
    for (LogicalResult (InputPlanner::*step)() :
         {&InputPlanner::checkFormats, &InputPlanner::chooseLayout,
          &InputPlanner::chooseType, &InputPlanner::chooseNormalization,
          &InputPlanner::undoPadding, &InputPlanner::undoSlicing,
          &InputPlanner::undoColors})
      if (failed((this->*step)()))
        return failure();
    return std::move(plan);
  }

private:
  template <typename... Args>
  LogicalResult fail(fmt::format_string<Args...> text, Args &&...args) const {
    return emitError(loc) << "input '" << port.name << "': "
                          << fmt::format(text, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void warn(fmt::format_string<Args...> text, Args &&...args) const {
    warnings.push_back(
        fmt::format("input '{}': {}", port.name,
                    fmt::format(text, std::forward<Args>(args)...)));
  }

  bool convertsColors() const { return isYuv(processor.srcFormat); }

  LogicalResult checkFormats() {
    if (processor.srcFormat == ColorSpace::Raw)
      return fail(
          "src_format RAW is not supported; convert to RGB, BGR, GRAY or YUV "
          "before the model");
    if (convertsColors())
      return success();
    if (processor.cscMode != CscMode::None)
      warn("csc_mode has no effect, because src_format {} is not YUV",
           configName(processor.srcFormat));
    if (processor.srcFormat != ColorSpace::Auto &&
        processor.tensorFormat != ColorSpace::Auto &&
        processor.srcFormat != processor.tensorFormat)
      warn("src_format {} and tensor_format {} differ, but only YUV is "
           "converted; channels are taken as they arrive",
           configName(processor.srcFormat), configName(processor.tensorFormat));
    return success();
  }

  /// The order of dimensions that arrives, and the shape in it.
  LogicalResult chooseLayout() {
    plan.shape = port.shape;
    size_t rank = port.shape.size();
    TensorLayout tensor = processor.tensorLayout == TensorLayout::NHWC
                              ? TensorLayout::NHWC
                              : TensorLayout::NCHW;
    TensorLayout source =
        convertsColors() ? TensorLayout::NHWC : processor.srcLayout;
    if (source == TensorLayout::Default)
      source = tensor;
    if (rank != 4) {
      if (convertsColors())
        return fail(
            "src_format {} needs a picture, but the input has {} dimensions, "
            "not 4; leave src_format out",
            configName(processor.srcFormat), rank);
      if (source != tensor && !request.isDefault)
        return fail(
            "src_layout {} and tensor_layout {} are of 4 dimensions, but the "
            "input has {}; leave both out",
            configName(source), configName(tensor), rank);
      plan.channelAxis = rank > 1 ? 1 : 0;
      return success();
    }
    plan.channelAxis = source == TensorLayout::NHWC ? 3 : 1;
    if (source == tensor)
      return success();
    plan.perm =
        source == TensorLayout::NHWC ? Shape{0, 3, 1, 2} : Shape{0, 2, 3, 1};
    for (size_t i = 0; i < rank; ++i)
      plan.shape[size_t(plan.perm[i])] = port.shape[i];
    return success();
  }

  LogicalResult chooseType() {
    std::optional<DType> dtype = parseDType(configName(processor.srcDtype));
    if (!dtype)
      return fail("src_dtype {} is not a type that can arrive",
                  configName(processor.srcDtype));
    plan.dtype = *dtype;
    if (convertsColors() && plan.dtype != DType::U8)
      return fail(
          "src_format {} consists of bytes; write \"src_dtype\": \"U8\"",
          configName(processor.srcFormat));
    // The default is FP32, which says nothing about token ids or masks.
    if (!isFloat(port.dtype) && isFloat(plan.dtype)) {
      if (plan.dtype != DType::F32)
        return fail(
            "the model takes {} here, which can't arrive as {}; write an "
            "integer src_dtype, such as S32",
            nameOf(port.dtype), configName(processor.srcDtype));
      plan.dtype = port.dtype;
    }
    plan.casts = plan.dtype != port.dtype;
    if (processor.scale == 0)
      return success();
    bool isKnown = plan.dtype != DType::U32 && !isFloat(plan.dtype);
    if (port.dtype != DType::F32 || !isKnown)
      return fail(
          "scale is for codes of a quantized model before this one, which "
          "arrive as U8, S8, U16, S16 or S32 and enter as float32, not from "
          "{} to {}; leave scale out, or write the src_dtype of the codes",
          configName(processor.srcDtype), nameOf(port.dtype));
    if (!(processor.scale > 0) || !std::isfinite(float(processor.scale)) ||
        float(processor.scale) == 0)
      return fail("scale is {}, but must be a positive number",
                  float(processor.scale));
    if (!holds(plan.dtype, processor.zeropoint))
      return fail(
          "zeropoint {} is not a code of {}; write the one of the model before "
          "this one",
          processor.zeropoint, configName(processor.srcDtype));
    plan.scale = processor.scale;
    plan.zeropoint = processor.zeropoint;
    plan.dequantizes = plan.scale != 1 || plan.zeropoint != 0;
    plan.casts = !plan.dequantizes;
    return success();
  }

  /// A network of NHWC that nobody has said to be one.
  std::string layoutAdvice() const {
    const Shape &shape = port.shape;
    auto isCount = [](int64_t dim) { return dim == 1 || dim == 3; };
    bool looksLikeNhwc = shape.size() == 4 && !isCount(shape[1]) &&
                         isCount(shape[3]) &&
                         processor.tensorLayout != TensorLayout::NHWC;
    return looksLikeNhwc ? fmt::format("; {} looks like NHWC: give "
                                       "tensor_layout NHWC",
                                       toString(shape))
                         : "";
  }

  /// One value for each channel: that of the processor, or of the calibration.
  LogicalResult perChannel(std::string_view field,
                           const std::vector<double> &own,
                           std::vector<double> InputQuantConfig::*other,
                           float neutral, std::vector<float> &all) const {
    bool isOwn = !own.empty() || !request.calibration;
    const std::vector<double> &values =
        isOwn ? own : request.calibration->*other;
    if (values.empty())
      return success();
    int64_t channels = plan.shape.empty() ? 1 : plan.shape[plan.channelAxis];
    if (values.size() > 1 && int64_t(values.size()) != channels)
      return fail("{}{} has {} values, but the input has {} channels{}",
                  isOwn ? "" : "calibration_", field, values.size(), channels,
                  layoutAdvice().empty() ? "; give one value per channel"
                                         : layoutAdvice());
    auto count = size_t(channels);
    all.assign(count, float(values[0]));
    if (values.size() > 1)
      all.assign(values.begin(), values.end());
    bool isNeutral = std::all_of(all.begin(), all.end(),
                                 [&](float value) { return value == neutral; });
    if (isNeutral)
      all.clear();
    return success();
  }

  LogicalResult chooseNormalization() {
    if (port.dtype != DType::F32) {
      if (!processor.mean.empty() || !processor.std.empty()) {
        if (request.isDefault)
          return success();
        return fail(
            "mean and std are for float32 inputs, but the model takes {}; "
            "leave them out",
            nameOf(port.dtype));
      }
      return success();
    }
    if (failed(perChannel("mean", processor.mean,
                          &InputQuantConfig::calibrationMean, 0, plan.mean)) ||
        failed(perChannel("std", processor.std,
                          &InputQuantConfig::calibrationStd, 1, plan.std)))
      return failure();
    if (plan.mean.empty() && plan.std.empty())
      return success();
    if (plan.shape.empty())
      return fail("mean and std need at least one dimension; leave them out");
    for (float value : plan.std)
      if (!(value > 0) || !std::isfinite(value))
        return fail("std is a divisor and must be positive, not {}", value);
    auto channels = size_t(plan.shape[plan.channelAxis]);
    if (plan.mean.empty())
      plan.mean.assign(channels, 0);
    if (plan.std.empty())
      plan.std.assign(channels, 1);
    return success();
  }

  /// A begin and an end for each dimension.
  LogicalResult checkPairs(std::string_view field,
                           const std::vector<int64_t> &values) const {
    size_t rank = plan.shape.size();
    if (values.size() != 2 * rank)
      return fail(
          "{} has {} values; write {}, a begin and an end for each of the {} "
          "dimensions {}",
          field, values.size(), 2 * rank, rank, toString(plan.shape));
    for (int64_t value : values)
      if (value < 0 || value > std::numeric_limits<int32_t>::max())
        return fail("{} holds {}; write numbers of elements, 0 or more", field,
                    value);
    return success();
  }

  static bool isAllZero(const std::vector<int64_t> &values) {
    return std::all_of(values.begin(), values.end(),
                       [](int64_t value) { return value == 0; });
  }

  LogicalResult undoPadding() {
    if (processor.padding.empty())
      return success();
    if (failed(checkPairs("padding", processor.padding)))
      return failure();
    if (isAllZero(processor.padding))
      return success();
    if (!holds(plan.dtype, processor.paddingConstantValue))
      return fail(
          "padding_constant_value {} is not a value of {}; write one that can "
          "arrive",
          processor.paddingConstantValue, nameOf(plan.dtype));
    size_t rank = plan.shape.size();
    plan.padValue = processor.paddingConstantValue;
    plan.pads.resize(2 * rank);
    for (size_t i = 0; i < rank; ++i) {
      int64_t begin = processor.padding[2 * i],
              end = processor.padding[2 * i + 1];
      plan.pads[i] = begin;
      plan.pads[rank + i] = end;
      if (plan.shape[i] - begin - end < 1)
        return fail(
            "padding adds {} elements to dimension {}, which has only {} in "
            "the model; write fewer",
            begin + end, i, plan.shape[i]);
      plan.shape[i] -= begin + end;
    }
    return success();
  }

  LogicalResult undoSlicing() {
    if (processor.slicing.empty())
      return success();
    if (failed(checkPairs("slicing", processor.slicing)))
      return failure();
    if (isAllZero(processor.slicing))
      return success();
    plan.sliceSizes = plan.shape;
    for (size_t i = 0; i < plan.shape.size(); ++i) {
      plan.sliceStarts.push_back(processor.slicing[2 * i]);
      plan.shape[i] += processor.slicing[2 * i] + processor.slicing[2 * i + 1];
    }
    return success();
  }

  LogicalResult undoColors() {
    if (!convertsColors())
      return success();
    int64_t &height = plan.shape[1], &width = plan.shape[2],
            &channels = plan.shape[3];
    ColorSpace target = processor.tensorFormat;
    // As where calibration pictures are read.
    if (target == ColorSpace::Auto)
      target = channels == 1 ? ColorSpace::Gray : ColorSpace::Bgr;
    if (channels != (target == ColorSpace::Gray ? 1 : 3))
      return fail("tensor_format {} does not fit {} channels{}",
                  configName(target), channels,
                  layoutAdvice().empty()
                      ? "; write GRAY for one, RGB or BGR for three, "
                        "and check tensor_layout"
                      : layoutAdvice());
    bool sharesRows = processor.srcFormat == ColorSpace::Yuv420sp ||
                      processor.srcFormat == ColorSpace::Yvu420sp;
    if (width % 2 != 0 || (sharesRows && height % 2 != 0))
      return fail(
          "{} shares chroma between pixels and can't hold a picture of {} x "
          "{} (height x width); pad or slice to even numbers",
          configName(processor.srcFormat), height, width);
    if (processor.cscMode == CscMode::None)
      return fail(
          "src_format {} needs a csc_mode; write FullRange if luma goes "
          "from 0 to 255, LimitedRange if it goes from 16 to 235, or "
          "Matrix with a csc_mat",
          configName(processor.srcFormat));
    if (processor.cscMode == CscMode::Matrix && target != ColorSpace::Gray &&
        processor.cscMat.size() != 12)
      return fail("csc_mat has {} values; write 12, the rows of a 3x4 matrix",
                  processor.cscMat.size());
    plan.color = planColors(processor, target);
    channels = sharesRows ? 1 : 2;
    if (sharesRows)
      height += height / 2;
    return success();
  }

  mlir::Location loc;
  const PortInfo &port;
  const InputRequest &request;
  const InputProcessor &processor;
  std::vector<std::string> &warnings;
  InputPlan plan;
};

} // namespace

FailureOr<InputPlan> planInput(mlir::Location loc, const PortInfo &port,
                               const InputRequest &request,
                               std::vector<std::string> &warnings) {
  return InputPlanner(loc, port, request, warnings).run();
}

FailureOr<OutputPlan> planOutput(mlir::Location loc, const PortInfo &port,
                                 const OutputProcessor &processor) {
  OutputPlan plan;
  size_t rank = port.shape.size();
  const std::vector<int64_t> &perm = processor.dstPerm;
  if (!perm.empty()) {
    Shape sorted = perm;
    std::sort(sorted.begin(), sorted.end());
    Shape all(rank);
    for (size_t i = 0; i < rank; ++i)
      all[i] = int64_t(i);
    if (sorted != all)
      return emitError(loc, fmt::format("output '{}': dst_perm is [{}]; write "
                                        "each of the dimensions 0 to {} "
                                        "once, because the output has {}",
                                        port.name, fmt::join(perm, ", "),
                                        int64_t(rank) - 1, rank));
    if (perm != all)
      plan.perm = perm;
  }
  plan.leavesAsU8 = processor.outputDtype == DataType::U8;
  if (plan.leavesAsU8 && !isFloat(port.dtype))
    return emitError(loc,
                     fmt::format("output '{}': output_dtype U8 is for float "
                                 "outputs, but this one is {}; leave it out",
                                 port.name, nameOf(port.dtype)));
  return plan;
}

static std::string unknownPort(std::string_view what, std::string_view name,
                               const std::vector<std::string> &names) {
  std::string hint = didYouMean(name, names);
  if (hint.empty())
    hint =
        fmt::format("; write '{}' or {}", fmt::join(names, "', '"), everyPort);
  return fmt::format("{}_processors name '{}', but the model has no such {}{}",
                     what, name, what, hint);
}

template <typename Entry>
FailureOr<std::vector<const Entry *>>
assign(mlir::Location loc, std::string_view what,
       std::span<const Entry> entries, std::span<const PortInfo> ports) {
  std::vector<std::string> names;
  for (const PortInfo &port : ports)
    names.push_back(port.name);
  std::map<std::string_view, const Entry *> byName;
  for (const Entry &entry : entries) {
    std::string_view name = entry.tensorName;
    if (name != everyPort &&
        std::count(names.begin(), names.end(), entry.tensorName) == 0)
      return emitError(loc, unknownPort(what, name, names));
    if (!byName.emplace(name, &entry).second)
      return emitError(
          loc, fmt::format("{}_processors name '{}' twice; write one entry "
                           "with all that is to be done",
                           what, name));
  }
  std::vector<const Entry *> assigned;
  for (const PortInfo &port : ports) {
    auto it = byName.find(port.name);
    if (it == byName.end())
      it = byName.find(everyPort);
    assigned.push_back(it == byName.end() ? nullptr : it->second);
  }
  return assigned;
}

template FailureOr<std::vector<const InputProcessor *>>
    assign(mlir::Location, std::string_view, std::span<const InputProcessor>,
           std::span<const PortInfo>);
template FailureOr<std::vector<const OutputProcessor *>>
    assign(mlir::Location, std::string_view, std::span<const OutputProcessor>,
           std::span<const PortInfo>);

} // namespace parallax::processors
