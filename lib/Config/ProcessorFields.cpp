//===- ProcessorFields.cpp - The fields about inputs and outputs ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What is done before the first layer of the network and after the last.
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include <fmt/format.h>

namespace parallax::config {
namespace {

constexpr size_t matrixSize = 12;

/// The last column of the 3x4 matrix is the bias, which the hardware holds in
/// fewer bits.
void checkMatrix(const std::vector<double> &matrix, const ObjectScope &scope) {
  if (matrix.size() != matrixSize)
    return scope.error("csc_mat",
                       fmt::format("must have 12 values, the rows of a 3x4 "
                                   "matrix, not {}",
                                   matrix.size()));
  for (size_t i = 0; i < matrix.size(); ++i) {
    bool isBias = i % 4 == 3;
    double lowest = isBias ? -9 : -524289, highest = isBias ? 8 : 524288;
    if (matrix[i] <= lowest || matrix[i] >= highest)
      scope.error("csc_mat",
                  fmt::format("holds {} at place {}, where a value above {} "
                              "and below {} must be",
                              matrix[i], i, lowest, highest));
  }
}

void checkProcessorInput(const InputProcessor &config,
                         const ObjectScope &scope) {
  checkNormalization(scope, {"mean", config.mean}, {"std", config.std});
  if (scope.hasErrors())
    return;
  if (!config.cscMat.empty())
    checkMatrix(config.cscMat, scope);
  else if (config.cscMode == CscMode::Matrix)
    scope.error("csc_mode", "is Matrix, which needs the field 'csc_mat'");
  for (const auto &[name, values] :
       {std::pair{"padding", &config.padding}, {"slicing", &config.slicing}})
    if (values->size() % 2)
      scope.error(name, fmt::format("must have a begin and an end for each "
                                    "axis, not {} values",
                                    values->size()));
  if (config.zeropoint != 0 && config.scale == 0)
    scope.error("zeropoint", "needs a 'scale' other than 0");
}

} // namespace

template <> Message describe<InputProcessor>() {
  using C = InputProcessor;
  return message<C>(
      "InputProcessor",
      "How an input arrives at run time (src_...) and how the model takes it "
      "(tensor_...); what lies between becomes part of the compiled model.",
      {
          field("tensor_name", &C::tensorName,
                "The input of the model, or DEFAULT for all of them.")
              .required(),
          field("tensor_format", &C::tensorFormat,
                "The order of colors that the model takes, also when "
                "calibration pictures are read.")
              .oneOf({"AutoColorSpace", "BGR", "RGB", "GRAY"}),
          field("tensor_layout", &C::tensorLayout,
                "The order of dimensions that the model takes, also when "
                "pictures are read and its shape leaves it open.")
              .oneOf({"NHWC", "NCHW"}),
          field("src_format", &C::srcFormat,
                "The color space that arrives; the YUV ones are converted, "
                "the others are taken as they are, and RAW is refused.")
              .oneOf({"AutoColorSpace", "GRAY", "BGR", "RGB", "YUYV422",
                      "UYVY422", "YUV420SP", "YVU420SP", "RAW"}),
          field("src_layout", &C::srcLayout,
                "The order of dimensions that arrives; always NHWC for YUV.")
              .oneOf({"NHWC", "NCHW"}),
          field("src_dtype", &C::srcDtype, "The type that arrives.")
              .oneOf({"U8", "S8", "U16", "S16", "U32", "S32", "FP16", "FP32"}),
          field("src_extra_shapes", &C::srcExtraShapes,
                "Further shapes to compile for; those at the same place of all "
                "inputs belong together.")
              .inactive("a model is compiled for one shape"),
          field("csc_mode", &C::cscMode, "How the color space is converted."),
          field("csc_mat", &C::cscMat,
                "For the mode Matrix: the rows of a 3x4 matrix."),
          field("mean", &C::mean,
                "Subtracted per channel; as in the calibration if empty."),
          field("std", &C::std,
                "Divisor per channel; as in the calibration if empty.")
              .above(0),
          field("padding", &C::padding,
                "What to add at the beginning and the end of each axis, "
                "after slicing: begin, end, begin, end, ..."),
          field("padding_mode", &C::paddingMode, "What is added.")
              .oneOf({"constant"}),
          field("padding_constant_value", &C::paddingConstantValue,
                "The value of what is added."),
          field("slicing", &C::slicing,
                "What to cut off at the beginning and the end of each axis: "
                "begin, end, begin, end, ..."),
          field("scale", &C::scale,
                "The scale of an input that arrives quantized by the model "
                "before this one; 0 means that it does not."),
          field("zeropoint", &C::zeropoint, "The zero point of that input."),
      },
      checkProcessorInput);
}

template <> Message describe<ExtraShape>() {
  using C = ExtraShape;
  return message<C>(
      "ExtraShape", "A further shape of an input.",
      {
          field("shape", &C::shape, "The dimensions.").atLeast(1).required(),
      });
}

template <> Message describe<OutputProcessor>() {
  using C = OutputProcessor;
  return message<C>(
      "OutputProcessor", "How an output leaves the compiled model.",
      {
          field("tensor_name", &C::tensorName,
                "The output of the model, or DEFAULT for all of them.")
              .required(),
          field("tensor_layout", &C::tensorLayout,
                "The order of dimensions that the model gives.")
              .inactive("it moves nothing; dst_perm does"),
          field("dst_perm", &C::dstPerm,
                "The order of the dimensions at run time, as indices of the "
                "model's dimensions.")
              .atLeast(0),
          field("output_dtype", &C::outputDtype, "The type at run time.")
              .oneOf({"FP32", "U8"}),
      });
}

} // namespace parallax::config
