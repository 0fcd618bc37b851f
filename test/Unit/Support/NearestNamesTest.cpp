//===- NearestNamesTest.cpp - Suggestions for a misspelled name -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Near names are suggested in order, distant ones are not suggested at all.
//===----------------------------------------------------------------------===//
#include "parallax/Support/NearestNames.h"

#include <gtest/gtest.h>

using namespace parallax;

namespace {

using Names = std::vector<std::string>;

TEST(NearestNames, OrdersByDistance) {
  Names names = {"conv_10", "conv_1", "conv_12", "pool_1", "relu"};
  // One edit, one edit, two edits; "pool_1" needs four.
  EXPECT_EQ(nearestNames("conv_11", names),
            (Names{"conv_10", "conv_1", "conv_12"}));
  EXPECT_EQ(nearestNames("conv1", names),
            (Names{"conv_1", "conv_10", "conv_12"}));
  EXPECT_EQ(nearestNames("conv_11", names, 1), (Names{"conv_10"}));
  EXPECT_EQ(nearestNames("conv_11", names, 0), Names{});
}

TEST(NearestNames, CountsEachKindOfEdit) {
  EXPECT_EQ(nearestNames("abcdef", Names{"abcxef"}).size(), 1u);
  EXPECT_EQ(nearestNames("abcdef", Names{"abdef"}).size(), 1u);
  EXPECT_EQ(nearestNames("abcdef", Names{"abcdxef"}).size(), 1u);
  // Two letters in the wrong order are two edits, and two are allowed here.
  EXPECT_EQ(nearestNames("abcdef", Names{"abdcef"}).size(), 1u);
  EXPECT_EQ(nearestNames("abcdef", Names{"bacdxf"}), Names{});
}

TEST(NearestNames, FarNamesAreNotOffered) {
  Names names = {"kernel_shape", "pads", "strides"};
  EXPECT_EQ(nearestNames("zzzzzz", names), Names{});
  EXPECT_EQ(nearestNames("x", names), Names{});
  EXPECT_EQ(nearestNames("", names), Names{});
  EXPECT_EQ(nearestNames("pads", Names{}), Names{});
}

TEST(NearestNames, OffersNamesAroundTheName) {
  Names names = {"/features/pool6/MaxPool", "/pool6/Max", "pool5"};
  EXPECT_EQ(nearestNames("pool6", names),
            (Names{"pool5", "/pool6/Max", "/features/pool6/MaxPool"}));
}

TEST(NearestNames, OffersAPlaceOnce) {
  EXPECT_EQ(nearestNames("pool", Names{"pool1", "pool1", "pool2"}),
            (Names{"pool1", "pool2"}));
}

TEST(NearestNames, CaseDoesNotCount) {
  EXPECT_EQ(nearestNames("W", Names{"w", "x"}), Names{"w"});
  EXPECT_EQ(nearestNames("CONV1", Names{"conv1"}), Names{"conv1"});
}

TEST(NearestNames, OffersNamesInsideTheName) {
  EXPECT_EQ(nearestNames("/model/conv1", Names{"conv1", "relu"}),
            Names{"conv1"});
}

TEST(NearestNames, LongNames) {
  std::string name(900, 'a');
  std::string near = name, far(900, 'b');
  near[450] = 'b';
  EXPECT_EQ(nearestNames(name, Names{far, near}), Names{near});
  // Nobody has typed this, and comparing takes the square of its length.
  std::string endless(100'000, 'a');
  EXPECT_EQ(nearestNames(endless, Names{std::string(100'000, 'b')}), Names{});
}

TEST(DidYouMean, IsTheEndOfASentence) {
  EXPECT_EQ(didYouMean("zzzzzz", Names{"pads"}), "");
  EXPECT_EQ(didYouMean("pad", Names{"pads"}), "; did you mean 'pads'?");
  EXPECT_EQ(didYouMean("pool", Names{"pool1", "pool2"}),
            "; did you mean 'pool1' or 'pool2'?");
  EXPECT_EQ(didYouMean("pool", Names{"pool1", "pool2", "pool3", "pool4"}),
            "; did you mean 'pool1', 'pool2' or 'pool3'?");
}

} // namespace
