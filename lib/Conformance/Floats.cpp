//===- Floats.cpp - Vectors of layers in float ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// C90 to C98.
//===----------------------------------------------------------------------===//
#include "Vectors.h"

#include <cmath>

namespace parallax::conformance {
namespace {

/// Halves, zeros of both signs, subnormals, and what is not a number.
Fill special() {
  return cycle({0.5,   -0.5,   1.5,      2.5,       -2.5, 0.0,  -0.0,
                1e-40, -1e-40, INFINITY, -INFINITY, NAN,  3.75, -1.25,
                6.5,   100.3,  -7.125,   0.1,       88.5, -3.0});
}

void unary(Vectors &to, const std::string &name, const std::string &clause,
           const std::string &attributes = "", const Fill &fill = special()) {
  to.push_back({"float-" + name,
                clause,
                "nn." + name,
                attributes,
                {input("60", "f32", fill)},
                {result("60", "f32")}});
}

void addElementwise(Vectors &to) {
  for (const char *name :
       {"neg", "abs", "sqrt", "floor", "ceil", "round", "reciprocal", "relu",
        "sign", "softsign", "hard_swish"})
    unary(to, name, "C90");
  unary(to, "clip", "C90", "min = -1.0 : f64, max = 2.0 : f64");
  unary(to, "leaky_relu", "C90", "alpha = 0.3 : f32");
  unary(to, "thresholded_relu", "C90", "alpha = 1.5 : f32");
  unary(to, "shrink", "C90", "lambd = 0.5 : f32, bias = 0.3 : f32");
  unary(to, "hard_sigmoid", "C90", "alpha = 0.3 : f32, beta = 0.4 : f32");
  for (const char *name : {"add", "sub", "mul", "div", "max", "min"})
    to.push_back({std::string("float-") + name,
                  "C90",
                  std::string("nn.") + name,
                  "",
                  {input("23x20", "f32", special()),
                   input("23x1", "f32",
                         cycle({1.5, -0.0, 0.0, NAN, INFINITY, -2.5, 0.1}))},
                  {result("23x20", "f32")}});
  for (bool isFmod : {false, true})
    to.push_back({isFmod ? "float-fmod" : "float-mod",
                  "C90",
                  "nn.mod",
                  isFmod ? "fmod = true" : "fmod = false",
                  {input("8x8", "f32", between(-9, 9)),
                   input("8x8", "f32", between(-3, 3))},
                  {result("8x8", "f32")}});
  for (const char *name : {"i32", "i8"})
    to.push_back({std::string("float-cast-") + name,
                  "C90",
                  "nn.cast",
                  std::string("to = ") + name,
                  {input("20", "f32", special())},
                  {result("20", name)}});
  for (const char *name :
       {"equal", "less", "less_or_equal", "greater", "greater_or_equal"})
    to.push_back({std::string("float-") + name,
                  "C90",
                  std::string("nn.") + name,
                  "",
                  {input("20x5", "f32", special()),
                   input("1x5", "f32", cycle({0.5, NAN, 0, -2.5, INFINITY}))},
                  {result("20x5", "i1")}});
  to.push_back(
      {"float-arg-max",
       "C90",
       "nn.arg_max",
       "axis = 1 : i64",
       {input("4x5", "f32", cycle({1,  3,  3,  2,  0,  1, NAN, 5,    2,   NAN,
                                   -1, -1, -2, -3, -1, 0, 0.5, -0.0, 0.5, 0}))},
       {result("4x1", "i64")}});
  to.push_back(
      {"float-hardmax",
       "C90",
       "nn.hardmax",
       "axis = 1 : i64",
       {input("3x5", "f32",
              cycle({1, 3, 3, 2, 0, 1, NAN, 5, 2, 4, NAN, -1, 2, -3, -1}))},
       {result("3x5", "f32")}});
  unary(to, "normalize", "C90",
        "mean = array<f32: 0.3>, std = array<f32: 0.7>, axis = 0 : i64");
  to.back().operands[0].shape = to.back().results[0].shape = "1x60";
  Fill range = between(-4, 4);
  for (const char *name :
       {"exp", "erf", "sin", "cos", "tan", "atan", "sinh", "cosh", "asinh",
        "tanh", "sigmoid", "softplus", "silu", "mish", "selu"})
    unary(to, name, "C95", "", range);
  for (const char *name : {"log", "acosh"})
    unary(to, name, "C95", "", between(0.9, 9));
  for (const char *name : {"asin", "acos", "atanh"})
    unary(to, name, "C95", "", between(-1, 1));
  unary(to, "elu", "C95", "alpha = 0.7 : f32", range);
  unary(to, "celu", "C95", "alpha = 0.7 : f32", range);
  unary(to, "gelu", "C95", "approximate = \"none\"", range);
  to.push_back({"float-gelu-tanh",
                "C95",
                "nn.gelu",
                "approximate = \"tanh\"",
                {input("60", "f32", range)},
                {result("60", "f32")}});
  to.push_back({"float-pow",
                "C95",
                "nn.pow",
                "",
                {input("9x7", "f32", between(0, 4)),
                 input("7", "f32", cycle({2, -1.5, 0.5, 0, 3.3, 1, -2}))},
                {result("9x7", "f32")}});
}

void addFloatProducts(Vectors &to) {
  Fill range = between(-4, 4);
  to.push_back({"float-matmul",
                "C91",
                "nn.matmul",
                "",
                {input("5x33", "f32", range), input("33x6", "f32", range)},
                {result("5x6", "f32")}});
  to.push_back({"float-gemm",
                "C91",
                "nn.gemm",
                "alpha = 0.3 : f32, beta = 1.7 : f32, trans_b = true",
                {input("5x33", "f32", range), input("6x33", "f32", range),
                 input("6", "f32", range)},
                {result("5x6", "f32")}});
  to.push_back({"float-fc",
                "C91",
                "nn.fully_connected",
                "",
                {input("5x33", "f32", range), constant("6x33", "f32", range),
                 constant("6", "f32", range)},
                {result("5x6", "f32")}});
  to.push_back(
      {"float-conv",
       "C91",
       "nn.conv",
       "strides = array<i64: 2, 1>, dilations = array<i64: 1, 1>, "
       "pads = array<i64: 1, 0, 1, 1>, group = 2 : i64",
       {input("1x4x6x5", "f32", range), constant("6x2x3x3", "f32", range),
        constant("6", "f32", range)},
       {result("1x6x3x4", "f32")}});
  to.push_back(
      {"float-conv-transpose",
       "C91",
       "nn.conv_transpose",
       "strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, "
       "pads = array<i64: 0, 1, 0, 1>, output_padding = array<i64: 0, "
       "0>, group = 2 : i64",
       {input("1x4x6x5", "f32", range), constant("4x3x2x3", "f32", range)},
       {result("1x6x12x9", "f32")}});
}

void addFloatSums(Vectors &to) {
  Fill range = between(-9, 9);
  for (const char *name : {"sum", "mean", "l1", "l2", "log_sum_exp", "max",
                           "min", "prod", "sum_square"})
    to.push_back({std::string("float-reduce-") + name,
                  "C92",
                  std::string("nn.reduce_") + name,
                  "axes = array<i64: 1, 3>",
                  {input("2x3x5x7", "f32", range)},
                  {result("2x1x5x1", "f32")}});
  to.push_back({"float-reduce-log_sum",
                "C92",
                "nn.reduce_log_sum",
                "axes = array<i64: 1, 3>",
                {input("2x3x5x7", "f32", between(0.1, 9))},
                {result("2x1x5x1", "f32")}});
  for (const char *name : {"max_pool", "average_pool"})
    to.push_back({std::string("float-") + name,
                  "C92",
                  std::string("nn.") + name,
                  "kernel = array<i64: 3, 3>, strides = array<i64: 2, 1>, "
                  "dilations = array<i64: 1, 2>, pads = array<i64: 1, 0, 1, 1>",
                  {input("2x3x5x7", "f32", range)},
                  {result("2x3x3x4", "f32")}});
  to.push_back({"float-cum-sum",
                "C92",
                "nn.cum_sum",
                "axis = 1 : i64",
                {input("3x40", "f32", range)},
                {result("3x40", "f32")}});
}

void addFloatRows(Vectors &to) {
  Fill range = between(-5, 5), positive = between(0.2, 3);
  for (const char *name : {"softmax", "log_softmax"})
    to.push_back({std::string("float-") + name,
                  "C93",
                  std::string("nn.") + name,
                  "axis = -1 : i64",
                  {input("6x19", "f32", range)},
                  {result("6x19", "f32")}});
  to.push_back({"float-layer-norm",
                "C94",
                "nn.layer_normalization",
                "axis = -1 : i64, epsilon = 0.001 : f32",
                {input("6x19", "f32", range), constant("19", "f32", range),
                 constant("19", "f32", range)},
                {result("6x19", "f32")}});
  to.push_back({"float-rms-norm",
                "C94",
                "nn.rms_normalization",
                "axis = -1 : i64, epsilon = 0.001 : f32",
                {input("6x19", "f32", range), constant("19", "f32", range)},
                {result("6x19", "f32")}});
  to.push_back({"float-group-norm",
                "C94",
                "nn.group_normalization",
                "num_groups = 2 : i64, epsilon = 0.001 : f32",
                {input("2x6x4x3", "f32", range), constant("6", "f32", range),
                 constant("6", "f32", range)},
                {result("2x6x4x3", "f32")}});
  to.push_back({"float-batch-norm",
                "C96",
                "nn.batch_normalization",
                "epsilon = 0.001 : f32",
                {input("2x6x5", "f32", range), constant("6", "f32", range),
                 constant("6", "f32", range), constant("6", "f32", range),
                 constant("6", "f32", positive)},
                {result("2x6x5", "f32")}});
  to.push_back({"float-lp-norm",
                "C96",
                "nn.lp_normalization",
                "axis = 1 : i64, p = 1 : i64, epsilon = 2.5 : f32",
                {input("2x6x5", "f32", range)},
                {result("2x6x5", "f32")}});
  to.push_back({"float-lrn",
                "C96",
                "nn.lrn",
                "size = 4 : i64, alpha = 0.2 : f32, beta = 0.6 : f32, bias = "
                "1.5 : f32",
                {input("2x6x3x3", "f32", range)},
                {result("2x6x3x3", "f32")}});
  to.push_back({"float-mvn",
                "C96",
                "nn.mean_variance_normalization",
                "axes = array<i64: 0, 2, 3>",
                {input("2x6x3x3", "f32", range)},
                {result("2x6x3x3", "f32")}});
}

} // namespace

void addFloatLayers(Vectors &to) {
  addElementwise(to);
  addFloatProducts(to);
  addFloatSums(to);
  addFloatRows(to);
}

void addFloatSampling(Vectors &to) {
  Fill range = between(-5, 5);
  for (const char *mode : {"linear", "cubic"})
    to.push_back({std::string("float-resize-") + mode,
                  "C97",
                  "nn.resize",
                  std::string("sizes = array<i64: 1, 2, 8, 4>, scales = "
                              "array<f32: 1.0, 1.0, 1.6, 0.6666667>, mode = "
                              "\"") +
                      mode +
                      "\", coordinate_mode = \"half_pixel\", nearest_mode = "
                      "\"floor\", cubic_coeff_a = -0.5 : f32",
                  {input("1x2x5x6", "f32", range)},
                  {result("1x2x8x4", "f32")}});
  for (const char *mode : {"linear", "cubic", "nearest"})
    for (const char *padding : {"zeros", "border", "reflection"})
      to.push_back({std::string("float-grid-") + mode + "-" + padding,
                    "C98",
                    "nn.grid_sample",
                    std::string("mode = \"") + mode + "\", padding_mode = \"" +
                        padding + "\", align_corners = false",
                    {input("1x2x5x6", "f32", range),
                     input("1x7x4x2", "f32", between(-1.6, 1.6))},
                    {result("1x2x7x4", "f32")}});
  // Halfway between pixels.
  to.push_back({"float-grid-halves",
                "C98",
                "nn.grid_sample",
                "mode = \"nearest\", padding_mode = \"zeros\", align_corners = "
                "false",
                {input("1x2x4x4", "f32", range),
                 input("1x3x3x2", "f32", cycle({-0.5, 0, 0.5, 0.25, 0}))},
                {result("1x2x3x3", "f32")}});
  for (const char *mode : {"avg", "max"})
    to.push_back(
        {std::string("float-roi-") + mode,
         "C98a",
         "nn.roi_align",
         std::string("mode = \"") + mode +
             "\", output_height = 2 : i64, output_width = 3 : i64, "
             "sampling_ratio = 2 : i64, spatial_scale = 0.5 : f32, "
             "coordinate_mode = \"half_pixel\"",
         {input("1x2x6x7", "f32", range),
          constant("2x4", "f32", cycle({1, 2, 9.5, 10, -1, 3, 13, 14})),
          constant("2", "i64", cycle({0, 0}))},
         {result("2x2x2x3", "f32")}});
  // The last box overlaps the fourth by exactly a half; scores are equal.
  to.push_back(
      {"float-nms",
       "C98b",
       "nn.non_max_suppression",
       "max_output_boxes_per_class = 4 : i64, iou_threshold = 0.5 : "
       "f32",
       {input("1x6x4", "f32", cycle({0, 0, 2, 2, 0, 0.5, 2, 2.5, 0, 1, 2, 3,
                                     5, 5, 7, 8, 7, 8,   5, 5,   5, 6, 7, 9})),
        input("1x2x6", "f32",
              cycle({0.5, 0.75, 0.75, 0.25, 0.25, 0.125, 1, 1, 1, 1, 1, 1}))},
       {result("?x3", "i64")}});
}

} // namespace parallax::conformance
