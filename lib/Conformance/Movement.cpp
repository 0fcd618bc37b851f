//===- Movement.cpp - Vectors of movement, comparison and integers --------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// C47 to C49b.
//===----------------------------------------------------------------------===//
#include "Vectors.h"

namespace parallax::conformance {
namespace {

constexpr const char *codes = "u8:f32, 0.5:10";
constexpr const char *signedCodes = "i8:f32, 0.5:10";

/// A layer with one operand of codes.
void addMove(Vectors &to, const std::string &name, const std::string &clauses,
             const std::string &operation, const std::string &attributes,
             const std::string &from, const std::string &shape) {
  to.push_back({name,
                clauses,
                operation,
                attributes,
                {input(from, codes, any())},
                {result(shape, codes)}});
}

void addPads(Vectors &to) {
  const char *extents = "pads = array<i64: 0, 1, -1, 0, 2, 3>, mode = ";
  // 3.25 is 6.5 steps: 6.
  addMove(to, "pad-constant", "C47 C47a", "nn.pad",
          std::string(extents) + "\"constant\", value = 3.25 : f64", "2x4x5",
          "2x7x7");
  for (const char *mode : {"edge", "reflect", "wrap"})
    addMove(to, std::string("pad-") + mode, "C47a", "nn.pad",
            std::string(extents) + "\"" + mode + "\"", "2x4x5", "2x7x7");
  // Longer than the axis.
  for (const char *mode : {"edge", "wrap"})
    addMove(to, std::string("pad-long-") + mode, "C47a", "nn.pad",
            std::string("pads = array<i64: 7, 2, 8, 1>, mode = \"") + mode +
                "\"",
            "3x1", "18x4");
}

void addNearest(Vectors &to) {
  for (const char *nearest :
       {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})
    for (const char *coordinates :
         {"half_pixel", "asymmetric", "align_corners"})
      addMove(to, std::string("nearest-") + nearest + "-" + coordinates, "C47",
              "nn.resize",
              std::string("sizes = array<i64: 1, 2, 8, 3>, scales = array<f32: "
                          "1.0, 1.0, 2.0, 0.5>, mode = \"nearest\", "
                          "coordinate_mode = \"") +
                  coordinates + "\", nearest_mode = \"" + nearest + "\"",
              "1x2x4x6", "1x2x8x3");
}

void addIndexed(Vectors &to) {
  Fill indices = cycle({2, -1, 0, -3, 1, -2});
  to.push_back({"gather",
                "C47 C47b",
                "nn.gather",
                "axis = 1 : i64",
                {input("2x3x4", codes), constant("2x3", "i64", indices)},
                {result("2x2x3x4", codes)}});
  to.push_back({"gather-elements",
                "C47 C47b",
                "nn.gather_elements",
                "axis = 1 : i64",
                {input("2x3x3", codes), constant("2x2x3", "i64", indices)},
                {result("2x2x3", codes)}});
  to.push_back({"gather-nd",
                "C47 C47b",
                "nn.gather_nd",
                "batch_dims = 1 : i64",
                {input("2x3x3x4", codes), constant("2x3x2", "i64", indices)},
                {result("2x3x4", codes)}});
  for (const char *reduction : {"none", "max", "min"}) {
    std::string kind = std::string(", reduction = \"") + reduction + "\"";
    to.push_back({std::string("scatter-elements-") + reduction,
                  "C47 C47b",
                  "nn.scatter_elements",
                  "axis = 1 : i64" + kind,
                  {input("2x3x2", codes),
                   constant("2x2x2", "i64", cycle({2, -1, 0, -2})),
                   input("2x2x2", codes)},
                  {result("2x3x2", codes)}});
    to.push_back(
        {std::string("scatter-nd-") + reduction,
         "C47 C47b",
         "nn.scatter_nd",
         kind.substr(2),
         {input("4x3", codes), constant("3x1", "i64", cycle({3, -3, 0})),
          input("3x3", codes)},
         {result("4x3", codes)}});
  }
  to.push_back({"reverse-sequence",
                "C47",
                "nn.reverse_sequence",
                "batch_axis = 1 : i64, time_axis = 0 : i64",
                {input("4x3x2", codes), constant("3", "i64", cycle({2, 4, 1}))},
                {result("4x3x2", codes)}});
  to.push_back({"one-hot",
                "C47b",
                "nn.one_hot",
                "depth = 4 : i64",
                {input("7", "i64", cycle({0, 3, -1, -4, 4, -5, 100})),
                 constant("2", "f32", cycle({0.5, 2}))},
                {result("7x4", "f32")}});
}

void addComparisons(Vectors &to) {
  Fill few = between(-3, 3);
  for (const char *operation : {"max", "min"}) {
    to.push_back({operation,
                  "C48",
                  std::string("nn.") + operation,
                  "",
                  {input("5x6", signedCodes), input("1x6", signedCodes)},
                  {result("5x6", signedCodes)}});
    to.push_back({std::string("reduce-") + operation,
                  "C48",
                  std::string("nn.reduce_") + operation,
                  "axes = array<i64: 0, 2>",
                  {input("3x4x5", signedCodes)},
                  {result("1x4x1", signedCodes)}});
    for (bool isLast : {false, true})
      to.push_back({std::string("arg-") + operation + (isLast ? "-last" : ""),
                    "C49",
                    std::string("nn.arg_") + operation,
                    std::string("axis = 1 : i64, select_last_index = ") +
                        (isLast ? "true" : "false"),
                    {input("6x9", signedCodes, few)},
                    {result("6x1", "i64")}});
    to.push_back({std::string("top-k-") + operation,
                  "C49",
                  "nn.top_k",
                  std::string("k = 5 : i64, axis = 1 : i64, largest = ") +
                      (operation[1] == 'a' ? "true" : "false"),
                  {input("6x9", signedCodes, few)},
                  {result("6x5", signedCodes), result("6x5", "i64")}});
  }
  // Below all that the type calls 0, beside pads.
  to.push_back({"max-pool",
                "C48",
                "nn.max_pool",
                "kernel = array<i64: 3, 2>, strides = array<i64: 2, 1>, pads = "
                "array<i64: 1, 1, 1, 0>, dilations = array<i64: 1, 2>",
                {input("1x3x6x5", signedCodes, between(-128, -20))},
                {result("1x3x3x4", signedCodes)}});
}

} // namespace

void addMovement(Vectors &to) {
  addPads(to);
  addNearest(to);
  addIndexed(to);
  addComparisons(to);
  addMove(to, "transpose", "C47", "nn.transpose", "perm = array<i64: 2, 0, 1>",
          "2x3x4", "4x2x3");
  addMove(to, "reshape", "C47", "nn.reshape", "shape = array<i64: 4, 6>",
          "2x3x4", "4x6");
  addMove(to, "slice", "C47", "nn.slice",
          "starts = array<i64: 1, 5>, sizes = array<i64: 2, 3>, steps = "
          "array<i64: 2, -2>",
          "5x6", "2x3");
  addMove(to, "expand", "C47", "nn.expand", "shape = array<i64: 3, 2, 4>",
          "2x1", "3x2x4");
  addMove(to, "tile", "C47", "nn.tile", "repeats = array<i64: 2, 3>", "2x3",
          "4x9");
  addMove(to, "depth-to-space-dcr", "C47", "nn.depth_to_space",
          "blocksize = 2 : i64, mode = \"DCR\"", "1x8x2x3", "1x2x4x6");
  addMove(to, "depth-to-space-crd", "C47", "nn.depth_to_space",
          "blocksize = 2 : i64, mode = \"CRD\"", "1x8x2x3", "1x2x4x6");
  addMove(to, "space-to-depth", "C47", "nn.space_to_depth",
          "blocksize = 2 : i64", "1x2x4x6", "1x8x2x3");
  addMove(to, "channel-shuffle", "C47", "nn.channel_shuffle",
          "groups = 2 : i64", "1x6x2", "1x6x2");
  addMove(to, "trilu", "C47", "nn.trilu", "k = 1 : i64, upper = false", "2x4x5",
          "2x4x5");
  to.push_back({"concat",
                "C47",
                "nn.concat",
                "axis = 1 : i64",
                {input("2x3x2", codes), input("2x1x2", codes)},
                {result("2x4x2", codes)}});
  to.push_back({"split",
                "C47",
                "nn.split",
                "axis = 1 : i64, sizes = array<i64: 3, 1>",
                {input("2x4x2", codes)},
                {result("2x3x2", codes), result("2x1x2", codes)}});
  to.push_back({"where",
                "C47",
                "nn.where",
                "",
                {input("5x1", "i1"), input("5x4", codes), input("1x4", codes)},
                {result("5x4", codes)}});
}

/// C80: BT.601 in units of 2^-16.
static void addColors(Vectors &to) {
  struct Picture {
    const char *name, *format, *shape;
  };
  for (const Picture &picture : {Picture{"color-nv12", "YUV420SP", "1x6x4x1"},
                                 Picture{"color-nv21", "YVU420SP", "1x6x4x1"},
                                 Picture{"color-yuyv", "YUYV422", "1x4x4x2"},
                                 Picture{"color-uyvy", "UYVY422", "1x4x4x2"}})
    to.push_back({picture.name,
                  "C80",
                  "nn.color_convert",
                  std::string("format = \"") + picture.format +
                      "\", matrix = array<i64: 65536, 0, 91881, -11760768, "
                      "65536, -22554, -46802, 8877568, 65536, 116130, 0, "
                      "-14864640>, min_luma = 16 : i64",
                  {input(picture.shape, "ui8")},
                  {result("1x4x4x3", "ui8")}});
}

void addIntegers(Vectors &to) {
  addColors(to);
  constexpr double most = 2147483647, least = -2147483648;
  Fill left =
      cycle({7, -7, 7, -7, most, least, least, 5, 0, 65537, -13, 46341});
  Fill right = cycle({3, 3, -3, -3, most, -1, 1, 0, 0, 65537, 5, 46341});
  for (const char *name : {"add", "sub", "mul", "div", "mod", "max", "min"})
    to.push_back({std::string("integer-") + name,
                  "C49a",
                  std::string("nn.") + name,
                  "",
                  {input("12", "i32", left), input("12", "i32", right)},
                  {result("12", "i32")}});
  to.push_back({"integer-fmod",
                "C49a",
                "nn.mod",
                "fmod = true",
                {input("12", "i32", left), input("12", "i32", right)},
                {result("12", "i32")}});
  for (const char *name : {"neg", "abs"})
    to.push_back({std::string("integer-") + name,
                  "C49a",
                  std::string("nn.") + name,
                  "",
                  {input("12", "i32", left)},
                  {result("12", "i32")}});
  to.push_back({"integer-cum-sum",
                "C49a",
                "nn.cum_sum",
                "axis = 0 : i64",
                {input("12", "i32", left)},
                {result("12", "i32")}});
  to.push_back(
      {"integer-pow",
       "C49a",
       "nn.pow",
       "",
       {input("10", "i32", cycle({3, -2, 1, -1, 0, 2, 10, 5, -1, 7})),
        input("10", "i32", cycle({4, 5, -3, -3, -1, -1, 11, 0, -2, 13}))},
       {result("10", "i32")}});
  for (const char *direction : {"LEFT", "RIGHT"})
    to.push_back({std::string("integer-shift-") +
                      (direction[0] == 'L' ? "left" : "right"),
                  "C49a",
                  "nn.bit_shift",
                  std::string("direction = \"") + direction + "\"",
                  {input("6", "ui8", cycle({1, 200, 255, 7, 9, 128})),
                   input("6", "ui8", cycle({3, 1, 8, 100, 0, 7}))},
                  {result("6", "ui8")}});
  Fill wide = cycle({4294967297, -4294967295, 300, -300, 0, 16777217, 33554435,
                     -2147483649, 9007199254740992});
  to.push_back({"cast-i64-i32",
                "C49b",
                "nn.cast",
                "to = i32",
                {input("9", "i64", wide)},
                {result("9", "i32")}});
  to.push_back(
      {"cast-i64-bool",
       "C49b",
       "nn.cast",
       "to = i1",
       {input("9", "i64", cycle({0, 1, 256, -1, 4294967296, 0, 2, 3, 4}))},
       {result("9", "i1")}});
  to.push_back({"cast-bool-i32",
                "C49b",
                "nn.cast",
                "to = i32",
                {input("9", "i1")},
                {result("9", "i32")}});
  to.push_back({"cast-i64-f32",
                "C49b",
                "nn.cast",
                "to = f32",
                {input("9", "i64", wide)},
                {result("9", "f32")}});
}

} // namespace parallax::conformance
