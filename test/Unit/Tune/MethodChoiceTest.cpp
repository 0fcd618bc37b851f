//===- MethodChoiceTest.cpp - Which tensor gets which calibration ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// On tables of losses that are made up.
//===----------------------------------------------------------------------===//
#include "../../../lib/Tune/MethodChoice.h"

#include <gtest/gtest.h>

using namespace parallax;

namespace {

using Tensors = std::vector<std::string>;

AffineParams codes(float scale) { return {scale, 0, 0, 255}; }

/// Losses of the tensors a, b and c, each with codes of its own.
MethodLosses lossesOf(const std::string &method, double a, double b, double c,
                      float scale) {
  MethodLosses losses{{method}, {}, {}};
  losses.losses.push_back({{"a", a}, {"b", b}, {"c", c}});
  losses.codes = {
      {"a", codes(scale)}, {"b", codes(scale * 2)}, {"c", codes(scale * 3)}};
  return losses;
}

TEST(MethodChoiceTest, EachTensorHasTheMethodThatItLosesLeastWith) {
  MethodChoice choice = chooseMethods({lossesOf("MinMax", 4, 2, 1, 1),
                                       lossesOf("MSE", 2, 3, 0.5, 0.5),
                                       lossesOf("KL", 1, 2.5, 0.6, 0.25)},
                                      0.95);
  EXPECT_EQ(choice.tensors[{"KL"}], Tensors{"a"});
  EXPECT_EQ(choice.tensors[{"MSE"}], Tensors{"c"});
  EXPECT_FALSE(choice.tensors.contains({"MinMax"}));
  EXPECT_EQ(choice.before, 7);
  EXPECT_EQ(choice.after, 1 + 2 + 0.5);
}

TEST(MethodChoiceTest, LittleIsNotWorthAnEntry) {
  std::vector<MethodLosses> methods = {lossesOf("MinMax", 4, 2, 0.0001, 1),
                                       lossesOf("MSE", 1, 1.8, 0, 0.5)};
  MethodChoice brave = chooseMethods(methods, 0.95);
  EXPECT_EQ(brave.tensors[{"MSE"}], (Tensors{"a", "b"}));
  MethodChoice careful = chooseMethods(methods, 0.5);
  EXPECT_EQ(careful.tensors[{"MSE"}], Tensors{"a"});
}

TEST(MethodChoiceTest, WhatSharesItsCodesStaysTogether) {
  std::vector<MethodLosses> methods = {lossesOf("MinMax", 4, 2, 1, 1),
                                       lossesOf("MSE", 1, 4, 0.9, 0.5)};
  for (MethodLosses &method : methods)
    method.codes["b"] = method.codes["a"];
  MethodChoice choice = chooseMethods(methods, 0.95);
  EXPECT_EQ(choice.tensors[{"MSE"}], (Tensors{"a", "b", "c"}));
  EXPECT_DOUBLE_EQ(choice.after, 1 + 4 + 0.9);
  // Not if that is worse for both together.
  methods[1].losses[0]["b"] = 6;
  EXPECT_EQ(chooseMethods(methods, 0.95).tensors[{"MSE"}], Tensors{"c"});
}

TEST(MethodChoiceTest, WhatHelpsOnSomeSamplesMustNotHarmOthers) {
  std::vector<MethodLosses> methods = {lossesOf("MinMax", 4, 2, 1, 1),
                                       lossesOf("MSE", 1, 1, 0.5, 0.5),
                                       lossesOf("KL", 2, 1.5, 0.75, 0.25)};
  for (MethodLosses &method : methods)
    method.losses.push_back(method.losses[0]);
  methods[1].losses[1]["a"] = 4.5;
  MethodChoice choice = chooseMethods(methods, 0.95);
  EXPECT_EQ(choice.tensors[{"MSE"}], (Tensors{"b", "c"}));
  EXPECT_EQ(choice.tensors[{"KL"}], Tensors{"a"}) << "the next best";
  EXPECT_DOUBLE_EQ(choice.before, 14);
  EXPECT_DOUBLE_EQ(choice.after, 4 + 2 + 1);
}

TEST(MethodChoiceTest, WhatIsFloatHasNoMethod) {
  std::vector<MethodLosses> methods = {lossesOf("MinMax", 4, 2, 1, 1),
                                       lossesOf("MSE", 1, 4, 0.5, 0.5)};
  for (MethodLosses &method : methods)
    method.codes.erase("a");
  EXPECT_EQ(chooseMethods(methods, 0.95).tensors[{"MSE"}], Tensors{"c"});
}

} // namespace
