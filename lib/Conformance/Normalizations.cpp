//===- Normalizations.cpp - Vectors of softmax and normalizations ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// C60 to C75.
//===----------------------------------------------------------------------===//
#include "Vectors.h"

namespace parallax::conformance {
namespace {

void addExponentials(Vectors &to) {
  to.push_back({"softmax-u8",
                "C60 C62 C64",
                "nn.softmax",
                "axis = 1 : i64",
                {input("6x9x2", "u8:f32, 0.05:100")},
                {result("6x9x2", "u8:f32, 0.00390625:0")}});
  // 1 / 512 is half a step.
  to.push_back({"softmax-halves",
                "C10 C64",
                "nn.softmax",
                "axis = -1 : i64",
                {input("2x512", "u8:f32, 0.05:100", cycle({7}))},
                {result("2x512", "u8:f32, 0.00390625:3")}});
  to.push_back({"softmax-u16",
                "C60 C62 C64",
                "nn.softmax",
                "axis = -1 : i64",
                {input("64x16", "u16:f32, 0.001:100", between(0, 4000))},
                {result("64x16", "u16:f32, 0.0000152587890625:0")}});
  // Distances at which a result lies within the last bits of a half; they were
  // searched for.
  to.push_back(
      {"softmax-last-bits",
       "C60 C62 C64",
       "nn.softmax",
       "axis = -1 : i64",
       {input("4x2", "u16:f32, 0.0001:0",
              cycle({40000, 37336, 40000, 5173, 40000, 39989, 40000, 39953}))},
       {result("4x2", "u16:f32, 0.0000152590218967:0")}});
  to.push_back(
      {"softmax-exponents",
       "C62 C64",
       "nn.softmax",
       "axis = -1 : i64",
       {input("2x2", "u16:f32, 0.0001:0", cycle({40000, 24396, 40000, 8322}))},
       {result("2x2", "u16:f32, 0.00001533:0")}});
  to.push_back({"log-softmax-u8",
                "C62 C66",
                "nn.log_softmax",
                "axis = 0 : i64",
                {input("9x6", "u8:f32, 0.05:100")},
                {result("9x6", "u8:f32, 0.05:250")}});
  // The greatest exponential is 1, and all others are 0.
  to.push_back({"log-softmax-halves",
                "C10 C66",
                "nn.log_softmax",
                "axis = -1 : i64",
                {input("1x10", "u8:f32, 0.5:0",
                       cycle({255, 5, 10, 33, 76, 77, 100, 121, 44, 15}))},
                {result("1x10", "i8:f32, 1.0:120")}});
  to.push_back({"log-softmax-u16",
                "C62 C66",
                "nn.log_softmax",
                "axis = -1 : i64",
                {input("64x16", "u16:f32, 0.001:100", between(0, 4000))},
                {result("64x16", "u16:f32, 0.00012:65535")}});
  to.push_back({"reduce-log-sum",
                "C2 C10 C67",
                "nn.reduce_log_sum",
                "axes = array<i64: 1>",
                {input("512x3", "u8:f32, 0.00390625:10", between(10, 255))},
                {result("512x1", "i16:f32, 0.00006103515625:0")}});
  to.push_back({"reduce-log-sum-below",
                "C10 C67",
                "nn.reduce_log_sum",
                "axes = array<i64: 1>",
                {input("512x3", "u16:f32, 0.0000152587890625:10",
                       between(13500, 21000))},
                {result("512x1", "i16:f32, 0.0000152587890625:0")}});
  // Sums that are not positive have the least code.
  to.push_back(
      {"reduce-log-sum-none",
       "C67",
       "nn.reduce_log_sum",
       "axes = array<i64: 1>",
       {input("4x3", "u8:f32, 0.5:100",
              cycle({100, 100, 100, 90, 100, 105, 0, 0, 0, 101, 100, 100}))},
       {result("4x1", "i8<-100:100>:f32, 0.03125:3")}});
  to.push_back({"reduce-log-sum-exp",
                "C2 C10 C62 C68",
                "nn.reduce_log_sum_exp",
                "axes = array<i64: 1>",
                {input("512x3", "u8:f32, 0.015625:100")},
                {result("512x1", "i16:f32, 0.00018310546875:0")}});
  to.push_back({"reduce-log-sum-exp-halves",
                "C10 C68",
                "nn.reduce_log_sum_exp",
                "axes = array<i64: 1>",
                {input("512x3", "u8:f32, 0.015625:100", between(60, 160))},
                {result("512x1", "i16:f32, 0.00006103515625:-3000")}});
}

void addRows(Vectors &to) {
  // Rows of +-1 have the normalized values +-1, rows of one code 0 (W = 0).
  Fill signs = cycle({4, 2, 2,  4,  4, 2,  4, 2,  3, 3, 3, 3, 3, 3, 3, 3,
                      9, 9, -3, -3, 9, -3, 9, -3, 5, 5, 5, 5, 5, 5, 5, 5});
  Fill factors = cycle({2.5, 1.5, 0.5, -0.5, -2.5, 3.5, -1.5, 4.5});
  to.push_back(
      {"layer-halves",
       "C10 C72 C75",
       "nn.layer_normalization",
       "axis = -1 : i64, epsilon = 0.0 : f32",
       {input("4x8", "i8:f32, 1.0:3", signs), constant("8", "f32", factors),
        constant("8", "f32", cycle({0, 0, 1, 0, 2, 0, 0, -3}))},
       {result("4x8", "i8:f32, 1.0:10")}});
  to.push_back({"rms-halves",
                "C10 C73 C75",
                "nn.rms_normalization",
                "axis = -1 : i64, epsilon = 0.0 : f32",
                {input("2x8", "i8:f32, 1.0:3",
                       cycle({4, 2, 2, 4, 4, 2, 4, 2, 3, 3, 3, 3, 3, 3, 3, 3})),
                 constant("8", "f32", factors)},
                {result("2x8", "i8:f32, 1.0:10")}});
  to.push_back(
      {"l2-halves",
       "C10 C74 C75",
       "nn.lp_normalization",
       "axis = -1 : i64, p = 2 : i64, epsilon = 0.0 : f32",
       {input("2x4", "i8:f32, 1.0:3", cycle({4, 2, 2, 4, 3, 3, 3, 3}))},
       {result("2x4", "i8:f32, 1.0:10")}});
  to.push_back({"layer-u8",
                "C2 C61 C71 C72 C75",
                "nn.layer_normalization",
                "axis = -1 : i64, epsilon = 0.5 : f32",
                {input("6x24", "u8:f32, 0.05:100"),
                 constant("24", "f32", between(-2, 2)),
                 constant("24", "f32", between(-1, 1))},
                {result("6x24", "u8:f32, 0.03:120")}});
  to.push_back({"rms-u16",
                "C2 C61 C73 C75",
                "nn.rms_normalization",
                "axis = -1 : i64, epsilon = 0.00001 : f32",
                {input("6x24", "u16:f32, 0.0005:30000"),
                 constant("24", "f32", between(-2, 2))},
                {result("6x24", "u16:f32, 0.0001:32768")}});
  to.push_back({"l2-s16",
                "C2 C61 C74 C75",
                "nn.lp_normalization",
                "axis = -1 : i64, p = 2 : i64, epsilon = 0.0 : f32",
                {input("6x24", "i16:f32, 0.0005:300")},
                {result("6x24", "i16:f32, 0.00003:0")}});
  to.push_back({"group-u8",
                "C2 C71 C72 C75",
                "nn.group_normalization",
                "num_groups = 2 : i64, epsilon = 0.001 : f32",
                {input("2x6x4x3", "u8:f32, 0.05:100"),
                 constant("6", "f32", cycle({1, -1, 0.5, 2, 0.25, -0.5})),
                 constant("6", "f32", cycle({0.5, 0, -0.5, 1, -1, 0.25}))},
                {result("2x6x4x3", "u8:f32, 0.03:120")}});
  to.push_back({"instance-s8",
                "C72 C75",
                "nn.instance_normalization",
                "epsilon = 0.001 : f32",
                {input("2x3x10", "i8:f32, 0.05:-9"),
                 constant("3", "f32", cycle({1, -1, 0.5})),
                 constant("3", "f32", cycle({0.5, 0, -0.5}))},
                {result("2x3x10", "i8:f32, 0.03:5")}});
  // The same for roots and their quotients.
  to.push_back(
      {"l2-last-bits",
       "C61 C74 C75",
       "nn.lp_normalization",
       "axis = -1 : i64, p = 2 : i64, epsilon = 0.0 : f32",
       {input("11x2", "i16:f32, 0.0005:0",
              cycle({-11388, 14300, -24449, 26564, -21277, 29706, 24416, 26622,
                     15523,  6878,  22831,  10999, 17065,  6757,  -1015, 11222,
                     -12177, 26081, 20095,  13426, 29162,  7568}))},
       {result("11x2", "i16:f32, 0.00003052:0")}});
}

} // namespace

void addNormalizations(Vectors &to) {
  addExponentials(to);
  addRows(to);
}

} // namespace parallax::conformance
