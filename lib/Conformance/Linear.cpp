//===- Linear.cpp - Vectors of elementwise layers -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// C30 to C35, C40 to C46, and tables (C50 to C53).
//===----------------------------------------------------------------------===//
#include "Vectors.h"

namespace parallax::conformance {
namespace {

void addCombinations(Vectors &to) {
  to.push_back(
      {"add-u8",
       "C2 C4 C10 C31",
       "nn.add",
       "",
       {input("16x16", "u8:f32, 0.5:10"), input("16x16", "u8:f32, 0.25:200")},
       {result("16x16", "u8:f32, 1.0:90")}});
  to.push_back(
      {"sub-s8",
       "C2 C10 C31",
       "nn.sub",
       "",
       {input("5x7", "i8:f32, 0.5:-10"), input("1x7", "u8:f32, 0.25:20")},
       {result("5x7", "i8:f32, 0.5:3")}});
  to.push_back({"add-u16",
                "C31",
                "nn.add",
                "",
                {input("12x12", "u16:f32, 0.3:10000"),
                 input("12x12", "i16:f32, 0.7:20")},
                {result("12x12", "u16:f32, 1.1:30000")}});
  to.push_back({"requantize-halves",
                "C4 C10 C31",
                "nn.requantize",
                "",
                {input("256", "u8:f32, 0.5:100", ramp())},
                {result("256", "i8:f32, 1.0:-9")}});
  to.push_back({"requantize-u16",
                "C31",
                "nn.requantize",
                "",
                {input("256", "i16:f32, 0.013:17")},
                {result("256", "u8:f32, 3.1:130")}});
  to.push_back({"relu",
                "C3 C4 C31",
                "nn.relu",
                "",
                {input("256", "u8:f32, 0.5:100", ramp())},
                {result("256", "u8:f32, 0.25:30")}});
  to.push_back({"clip",
                "C3 C4 C31",
                "nn.clip",
                "min = -3.0 : f64, max = 20.0 : f64",
                {input("256", "u8:f32, 0.5:100", ramp())},
                {result("256", "i8:f32, 0.25:-30")}});
  // f = v s_x / s_y and t = (beta - v mean) / s_y, with v = gamma here.
  to.push_back({"batch-norm",
                "C10 C33",
                "nn.batch_normalization",
                "epsilon = 0.0 : f32",
                {input("2x4x33", "u8:f32, 0.5:100"),
                 constant("4", "f32", cycle({1, -1, 0.5, 3})),
                 constant("4", "f32", cycle({0, 3, 0.25, -7})),
                 constant("4", "f32", cycle({0, 1, 2, -4})),
                 constant("4", "f32", cycle({1, 1, 4, 16}))},
                {result("2x4x33", "u8:f32, 1.0:90")}});
  // The product ends at a quarter, and the offset too.
  to.push_back({"affine-once",
                "C33",
                "nn.batch_normalization",
                "epsilon = 0.0 : f32",
                {input("1x3x64", "i8:f32, 0.25:3"),
                 constant("3", "f32", cycle({1, -1, 3})),
                 constant("3", "f32", cycle({0.25, 0.25, -0.25})),
                 constant("3", "f32", cycle({0, 0, 0})),
                 constant("3", "f32", cycle({1, 1, 1}))},
                {result("1x3x64", "i8:f32, 1.0:0")}});
  to.push_back({"hard-sigmoid-u16",
                "C3 C33",
                "nn.hard_sigmoid",
                "alpha = 0.25 : f32, beta = 0.5 : f32",
                {input("300", "u16:f32, 0.0001220703125:32768")},
                {result("300", "u16:f32, 0.000030517578125:0")}});
}

void addPairs(Vectors &to) {
  to.push_back(
      {"mul-u8",
       "C2 C10 C40",
       "nn.mul",
       "",
       {input("16x16", "u8:f32, 0.5:100"), input("16x1", "u8:f32, 0.25:130")},
       {result("16x16", "u8:f32, 4.0:120")}});
  to.push_back({"mul-u16",
                "C13 C40",
                "nn.mul",
                "",
                {input("16x16", "u16:f32, 0.0005:30000"),
                 input("16x16", "i16:f32, 0.0003:-100")},
                {result("16x16", "i16:f32, 0.003:70")}});
  to.push_back({"hard-swish-u16",
                "C33 C40",
                "nn.hard_swish",
                "",
                {input("300", "u16:f32, 0.0001220703125:32768")},
                {result("300", "u16:f32, 0.0001220703125:4000")}});
  to.push_back(
      {"prelu",
       "C2 C10 C42",
       "nn.prelu",
       "",
       {input("24x8", "u8:f32, 0.5:100"),
        constant("8", "u8:f32, 0.25:3", cycle({0, 1, 2, 3, 4, 5, 9, 200}))},
       {result("24x8", "u8:f32, 1.0:90")}});
  to.push_back({"leaky-relu-u16",
                "C42",
                "nn.leaky_relu",
                "alpha = 0.1 : f32",
                {input("300", "u16:f32, 0.001:32768")},
                {result("300", "u16:f32, 0.0007:10000")}});
  // Divisors of both signs and of zero.
  to.push_back({"div-halves",
                "C2 C10 C44",
                "nn.div",
                "",
                {input("16x16", "u8:f32, 0.5:10", between(0, 20)),
                 input("16x16", "i8:f32, 0.5:-4", between(-9, 1))},
                {result("16x16", "i8:f32, 1.0:5")}});
  to.push_back({"div-limits",
                "C3 C44",
                "nn.div",
                "",
                {input("16x16", "u8:f32, 0.5:10", between(0, 20)),
                 input("16x16", "i8:f32, 0.25:-4", between(-6, -2))},
                {result("16x16", "u8<20:220>:f32, 0.125:100")}});
  to.push_back({"div-u16",
                "C44",
                "nn.div",
                "",
                {input("16x16", "u16:f32, 0.3:30000"),
                 input("16x16", "u16:f32, 0.7:100")},
                {result("16x16", "i16:f32, 0.0003:-77")}});
  for (const char *kind :
       {"equal", "less", "less_or_equal", "greater", "greater_or_equal"})
    to.push_back({std::string("compare-") + kind,
                  "C2 C46",
                  std::string("nn.") + kind,
                  "",
                  {input("16x8", "u8:f32, 0.5:100", between(90, 110)),
                   input("1x8", "u8:f32, 0.25:80", between(70, 95))},
                  {result("16x8", "i1")}});
  // A ratio that 31 bits don't express: near equality counts the sign.
  to.push_back({"compare-near",
                "C46",
                "nn.less",
                "",
                {input("64x16", "u16:f32, 0.3:1000", between(1000, 1999)),
                 input("64x16", "u16:f32, 0.1:1000", between(1000, 1999))},
                {result("64x16", "i1")}});
}

} // namespace

void addLinear(Vectors &to) {
  addCombinations(to);
  addPairs(to);
}

void addTables(Vectors &to) {
  to.push_back({"table-u8",
                "C51",
                "nn.sigmoid",
                "",
                {input("256", "u8:f32, 0.05:100", ramp())},
                {result("256", "u8:f32, 0.00390625:0")}});
  to.push_back({"table-s8",
                "C51",
                "nn.sigmoid",
                "",
                {input("256", "i8:f32, 0.05:-30", ramp())},
                {result("256", "i8:f32, 0.00390625:-128")}});
  // A window in front of the table takes what is outside of it.
  to.push_back({"table-u16",
                "C4 C53",
                "nn.tanh",
                "",
                {input("1024", "u16:f32, 0.0001:32768")},
                {result("1024", "u16:f32, 0.000030517578125:32768")}});
  // Knots and simple fractions between them: there halves are exact.
  to.push_back({"table-s16",
                "C4 C10 C52 C53",
                "nn.tanh",
                "",
                {input("16384", "i16:f32, 0.00004:0", ramp(-32768, 32764, 4))},
                {result("16384", "i16:f32, 0.000030517578125:0")}});
  to.push_back({"table-s16-to-u8",
                "C4 C10 C52 C53",
                "nn.sigmoid",
                "",
                {input("4096", "i16:f32, 0.0001:-500", between(-20000, 20000))},
                {result("4096", "u8<40:200>:f32, 0.00390625:60")}});
}

} // namespace parallax::conformance
