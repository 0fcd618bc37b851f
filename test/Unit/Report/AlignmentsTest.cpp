//===- AlignmentsTest.cpp - What becomes of tensors that meet -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The line on the screen, and the file.
//===----------------------------------------------------------------------===//
#include "parallax/Report/Alignments.h"

#include <gtest/gtest.h>

namespace parallax {
namespace {

TEST(Alignments, TellsWhoHas16BitsAndWhoHasTooFewSteps) {
  AlignmentChoice fine{"merge", "a", Alignment::Shared, 1, 1, "same"};
  AlignmentChoice starved{"merge", "b", Alignment::Shared, 0.01f, 1, "same"};
  EXPECT_EQ(describeAlignments({fine}), "");
  EXPECT_EQ(describeAlignments({fine, starved}),
            "the common scale of a layer leaves fewer than 3 steps to 'b'");
  fine.bits = starved.bits = 16;
  fine.wideCodes = starved.wideCodes = "16 bits, because 8 would leave 2.6 of "
                                       "255 steps";
  EXPECT_EQ(describeAlignments({fine, starved}),
            "what meets in 'merge' has 16 bits, because 8 would leave too few "
            "steps to a part");
  EXPECT_NE(toJson({starved}).find("\"wide_codes\": \"16 bits, because 8"),
            std::string::npos);
  starved.wideCodes.clear();
  EXPECT_EQ(toJson({starved}).find("wide_codes"), std::string::npos);
}

} // namespace
} // namespace parallax
