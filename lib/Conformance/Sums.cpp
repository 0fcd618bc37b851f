//===- Sums.cpp - Vectors of pools, reductions and resizes ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// C36 to C39.
//===----------------------------------------------------------------------===//
#include "Vectors.h"

namespace parallax::conformance {

void addSums(Vectors &to) {
  // The last row of windows reaches beyond the pads.
  const std::string window =
      "kernel = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = "
      "array<i64: 1, 1, 1, 0>, dilations = array<i64: 1, 1>, ceil_mode = true";
  to.push_back({"average-pool",
                "C2 C10 C36",
                "nn.average_pool",
                window,
                {input("2x4x6x5", "u8<0:63>:f32, 0.5:20")},
                {result("2x4x4x3", "i8:f32, 0.5:-20")}});
  to.push_back({"average-pool-pads",
                "C10 C36",
                "nn.average_pool",
                window + ", count_include_pad = true",
                {input("2x4x6x5", "u8<0:63>:f32, 0.5:20")},
                {result("2x4x4x3", "i8:f32, 0.5:-20")}});
  const std::string outside =
      "kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 1, "
      "1>, dilations = array<i64: 2>";
  to.push_back({"average-pool-nothing",
                "C36",
                "nn.average_pool",
                outside,
                {input("1x3x1", "u8:f32, 0.5:20")},
                {result("1x3x1", "u8<5:200>:f32, 0.5:60")}});
  to.push_back({"max-pool-nothing",
                "C48",
                "nn.max_pool",
                outside,
                {input("1x3x1", "i8:f32, 0.5:20")},
                {result("1x3x1", "i8:f32, 0.5:20")}});
  to.push_back({"lp-pool-1",
                "C2 C10 C36a",
                "nn.lp_pool",
                window + ", p = 1 : i64",
                {input("2x4x6x5", "u8<0:63>:f32, 0.5:20")},
                {result("2x4x4x3", "u8:f32, 1.0:3")}});
  to.push_back({"lp-pool-2",
                "C2 C36a C38a",
                "nn.lp_pool",
                window + ", p = 2 : i64",
                {input("2x4x6x5", "u8:f32, 0.5:120")},
                {result("2x4x4x3", "u8:f32, 0.75:3")}});
  struct Reduction {
    const char *name, *clauses, *x, *y;
  };
  for (const Reduction &one :
       {Reduction{"reduce_sum", "C2 C10 C37", "u8<0:63>:f32, 0.5:20",
                  "i8:f32, 1.0:5"},
        Reduction{"reduce_mean", "C10 C37", "u8<0:63>:f32, 0.5:20",
                  "i8:f32, 0.5:-20"},
        Reduction{"reduce_l1", "C10 C37", "u8<0:63>:f32, 0.5:20",
                  "u8:f32, 1.0:5"},
        Reduction{"reduce_sum_square", "C10 C38", "u8<0:15>:f32, 0.5:7",
                  "u8:f32, 0.5:5"},
        Reduction{"reduce_l2", "C38a", "u8:f32, 0.5:100", "u8:f32, 1.0:5"}})
    to.push_back({one.name,
                  one.clauses,
                  std::string("nn.") + one.name,
                  "axes = array<i64: 1>",
                  {input("16x4x6", one.x)},
                  {result("16x1x6", one.y)}});
  to.push_back({"reduce-l2-halves",
                "C10 C38a",
                "nn.reduce_l2",
                "axes = array<i64: 1>",
                {input("6x2", "u8:f32, 0.5:100",
                       cycle({103, 104, 100, 101, 103, 96, 100, 107, 105, 112,
                              100, 95}))},
                {result("6x1", "u8:f32, 1.0:5")}});
  // sqrt(10) M is below an exact half of 2^S by less than a half: Q of C38a is
  // rounded down, so the result is too. The factors were searched for.
  to.push_back({"reduce-l2-last-bit",
                "C38a",
                "nn.reduce_l2",
                "axes = array<i64: 1>",
                {input("1x2", "i8:f32, 4178.4755859375:0", cycle({1, 3}))},
                {result("1x1", "u16:f32, 1.0:0")}});
  to.push_back({"reduce-axes",
                "C37",
                "nn.reduce_sum",
                "axes = array<i64: 0, 2>",
                {input("3x5x4", "i16:f32, 0.3:77")},
                {result("1x5x1", "i16:f32, 1.7:5")}});
  for (bool exclusive : {false, true})
    for (bool reverse : {false, true})
      to.push_back({std::string("cum-sum") + (exclusive ? "-exclusive" : "") +
                        (reverse ? "-reverse" : ""),
                    "C2 C10 C37a",
                    "nn.cum_sum",
                    std::string("axis = 1 : i64, exclusive = ") +
                        (exclusive ? "true" : "false") +
                        ", reverse = " + (reverse ? "true" : "false"),
                    {input("5x7x3", "u8<0:63>:f32, 0.5:30")},
                    {result("5x7x3", "i8:f32, 1.0:5")}});
  to.push_back({"resize-linear",
                "C2 C10 C39",
                "nn.resize",
                "sizes = array<i64: 1, 2, 9, 8>, scales = array<f32: 1.0, 1.0, "
                "1.8, 2.0>, mode = \"linear\", coordinate_mode = "
                "\"half_pixel\", nearest_mode = \"floor\"",
                {input("1x2x5x4", "u8<0:63>:f32, 0.5:20")},
                {result("1x2x9x8", "i8:f32, 0.5:-10")}});
  // Weights of a half and a quarter.
  to.push_back({"resize-halves",
                "C10 C39",
                "nn.resize",
                "sizes = array<i64: 1, 4, 16>, scales = array<f32: 1.0, 1.0, "
                "2.0>, mode = \"linear\", coordinate_mode = \"asymmetric\", "
                "nearest_mode = \"floor\"",
                {input("1x4x8", "u8<0:63>:f32, 0.5:20")},
                {result("1x4x16", "i8:f32, 0.5:-10")}});
  to.push_back({"resize-cubic",
                "C39",
                "nn.resize",
                "sizes = array<i64: 1, 3, 13>, scales = array<f32: 1.0, 1.0, "
                "1.625>, mode = \"cubic\", coordinate_mode = \"half_pixel\", "
                "nearest_mode = \"floor\"",
                {input("1x3x8", "u16:f32, 0.5:3000")},
                {result("1x3x13", "u16:f32, 0.7:20000")}});
}

} // namespace parallax::conformance
