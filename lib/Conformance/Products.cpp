//===- Products.cpp - Vectors of conversions and products -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// C2 to C7, C13 and C20 to C26.
//===----------------------------------------------------------------------===//
#include "Vectors.h"

#include <cmath>

namespace parallax::conformance {

void addConversions(Vectors &to) {
  // Between codes, beyond them, and what is not a number.
  to.push_back(
      {"quantize-halves",
       "C2 C4 C6",
       "",
       "",
       {input("15", "u8:f32, 0.5:10",
              cycle({9.5, 10.5, 11.5, 12.5, 8.5, 7.5, 254.5, 255.5, -0.5, 0.5,
                     1e9, -1e9, NAN, INFINITY, -INFINITY}))},
       {result("15", "u8:f32, 0.5:10")}});
  to.push_back({"quantize-limits",
                "C3 C4 C6",
                "",
                "",
                {input("9", "i8<-60:100>:f32, 0.25:-20",
                       cycle({-128, -61, -60, -20, 99.5, 100, 101, 127, NAN}))},
                {result("9", "i8<-60:100>:f32, 0.25:-20")}});
  // Halves of a scale that is not a power of two: the quotient's rounding, and
  // no other, makes them exact.
  to.push_back({"quantize-division",
                "C6 C7",
                "",
                "",
                {input("2048", "i16:f32, 0.013:-7", ramp(-1024.5, 1023.5))},
                {result("2048", "i16:f32, 0.013:-7")}});
  to.push_back({"dequantize",
                "C2 C7",
                "",
                "",
                {input("512", "u16:f32, 0.3:12345")},
                {result("512", "u16:f32, 0.3:12345")}});
}

void addProducts(Vectors &to) {
  const char *weights = "i8<-127:127>:f32:0, {0.5, 0.25, 0.125, 0.5, 1.0, "
                        "0.0625}";
  const char *window = "strides = array<i64: 2, 1>, dilations = array<i64: 1, "
                       "2>, pads = array<i64: 1, 2, 0, 1>, group = 2 : i64";
  to.push_back(
      {"conv-u8",
       "C2 C4 C13 C21 C25",
       "nn.conv",
       window,
       {input("2x4x7x6", "u8:f32, 0.5:100"), constant("6x2x3x2", weights),
        constant("6", "f32", cycle({64, -32, 0, 16, -128, 8}))},
       {result("2x6x3x7", "u8:f32, 20.0:120")}});
  // Many halves.
  to.push_back({"conv-halves",
                "C2 C4 C10 C13 C21 C25",
                "nn.conv",
                window,
                {input("2x4x7x6", "u8<0:31>:f32, 0.5:10"),
                 constant("6x2x3x2", "i8<-127:127>:f32, 0.5", between(-3, 3))},
                {result("2x6x3x7", "i8:f32, 1.0:5")}});
  const char *line = "strides = array<i64: 1>, dilations = array<i64: 1>, pads "
                     "= array<i64: 1, 1>, group = 1 : i64";
  to.push_back({"conv-s8",
                "C2 C13 C21 C25",
                "nn.conv",
                line,
                {input("1x3x9", "i8:f32, 0.5:-30"),
                 constant("4x3x3", "i8<-127:127>:f32, 0.25")},
                {result("1x4x9", "i8:f32, 13.0:9")}});
  to.push_back({"conv-u16",
                "C13 C20 C21 C25",
                "nn.conv",
                line,
                {input("1x3x9", "u16:f32, 0.5:30000"),
                 constant("4x3x3", "i16<-32767:32767>:f32, 0.25")},
                {result("1x4x9", "i16:f32, 7000.0:9")}});
  to.push_back({"conv-depthwise",
                "C13 C21 C25",
                "nn.conv",
                "strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, "
                "pads = array<i64: 1, 1, 1, 1>, group = 5 : i64",
                {input("1x5x6x6", "u8:f32, 0.5:255"),
                 constant("5x1x3x3", "i8<-127:127>:f32:0, {0.5, 0.25, 0.125, "
                                     "1.0, 2.0}")},
                {result("1x5x6x6", "u8:f32, 90.0:80")}});
  to.push_back({"conv-transposed",
                "C2 C10 C13 C22 C25",
                "nn.conv_transpose",
                "strides = array<i64: 2, 3>, dilations = array<i64: 1, 2>, "
                "pads = array<i64: 1, 0, 0, 1>, output_padding = array<i64: 0, "
                "0>, group = 2 : i64",
                {input("1x4x4x3", "u8<0:31>:f32, 0.5:10"),
                 constant("4x3x3x2", "i8<-127:127>:f32, 0.5", between(-9, 9))},
                {result("1x6x8x8", "i8:f32, 1.0:5")}});

  to.push_back({"fc-u8",
                "C2 C4 C13 C23 C25",
                "nn.fully_connected",
                "",
                {input("3x8", "u8:f32, 0.5:100"),
                 constant("5x8", "i8<-127:127>:f32:0, {0.5, 0.25, 0.125, 0.5, "
                                 "1.0}"),
                 constant("5", "f32", cycle({640, -320, 0, 160, -128}))},
                {result("3x5", "u8:f32, 31.0:100")}});
  to.push_back({"fc-halves",
                "C4 C10 C13 C23 C25",
                "nn.fully_connected",
                "",
                {input("16x4", "u8:f32, 0.5:10"),
                 constant("5x4", "i8<-127:127>:f32, 0.5", between(-2, 2))},
                {result("16x5", "i8:f32, 1.0:-5")}});
  to.push_back({"fc-limits",
                "C3 C4 C23 C25",
                "nn.fully_connected",
                "",
                {input("8x8", "u8:f32, 0.5:100"),
                 constant("5x8", "i8<-127:127>:f32, 0.5")},
                {result("8x5", "u8<90:150>:f32, 60.0:100")}});
  to.push_back({"fc-float",
                "C26",
                "nn.fully_connected",
                "",
                {input("8x8", "u16:f32, 0.3:100"),
                 constant("5x8", "i8<-127:127>:f32:0, {0.1, 0.2, 0.3, 0.4, "
                                 "0.7}")},
                {result("8x5", "f32")}});
  // Sums of 36 bits: times a multiplier of 31 they exceed 64.
  to.push_back({"fc-wide",
                "C13 C20 C23 C25",
                "nn.fully_connected",
                "",
                {input("4x32", "u16:f32, 0.00390625:0", between(60000, 65535)),
                 constant("3x32", "i16<-32767:32767>:f32, 0.0003",
                          between(20000, 32767))},
                {result("4x3", "u16:f32, 2.5:0")}});
  // Shifts of 64.
  to.push_back(
      {"fc-shift-64",
       "C13 C20 C23 C25",
       "nn.fully_connected",
       "",
       {input("2x4096", "u16:f32, 0.000244140625:0", between(60000, 65535)),
        constant("3x4096", "i16<-32767:32767>:f32, 0.000244140625",
                 between(20000, 32767))},
       {result("2x3", "u16:f32, 800.0:0")}});
  to.push_back(
      {"matmul-u8",
       "C2 C13 C23 C25",
       "nn.matmul",
       "",
       {input("2x1x3x5", "u8:f32, 0.5:100"), input("4x5x2", "i8:f32, 0.5:-20")},
       {result("2x4x3x2", "u8:f32, 64.0:100")}});
  to.push_back({"matmul-halves",
                "C10 C23 C25",
                "nn.matmul",
                "",
                {input("8x4", "u8<0:15>:f32, 0.5:7"),
                 input("4x8", "i8<-8:7>:f32, 0.5:1")},
                {result("8x8", "i8:f32, 1.0:0")}});
  // A constant without a sign is not a weight.
  to.push_back(
      {"matmul-constant",
       "C1 C23",
       "nn.matmul",
       "",
       {input("2x3x5", "u8:f32, 0.5:100"), constant("2x5x4", "u8:f32, 0.25:7")},
       {result("2x3x4", "u8:f32, 64.0:100")}});
}

} // namespace parallax::conformance
