//===- EvidenceTest.cpp - Digests of layers -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What was written is read again, and what is not the same is found.
//===----------------------------------------------------------------------===//
#include "parallax/Analysis/Evidence.h"
#include "parallax/Support/Error.h"

#include <gtest/gtest.h>

namespace parallax {
namespace {

Evidence sampleEvidence() {
  Evidence evidence;
  evidence.machine = {{"conv \"0\"", "größe", "uint8", {1, 2, 3}, "aa"},
                      {"relu", "relu_out", "uint16", {}, "bb"}};
  evidence.reference = {{"conv", "größe", "uint8", {1, 2, 3}, "cc"}};
  return evidence;
}

TEST(Evidence, SurvivesItsFile) {
  Evidence evidence = sampleEvidence();
  EXPECT_EQ(parseEvidence(toJson(evidence), "a file"), evidence);
  EXPECT_EQ(parseEvidence(toJson(Evidence()), "a file"), Evidence());
}

TEST(Evidence, RefusesWhatIsNone) {
  std::string text = toJson(sampleEvidence());
  for (size_t size = 0; size + 2 < text.size(); ++size)
    EXPECT_THROW(parseEvidence(text.substr(0, size), "a file"), Error) << size;
  for (const char *wrong :
       {"[]", "{}", R"({"schema":2,"npu":[],"reference":[]})",
        R"({"schema":1,"npu":{},"reference":[]})",
        R"({"schema":1,"npu":[1],"reference":[]})",
        R"({"schema":1,"npu":[{"layer":"a"}],"reference":[]})",
        R"({"schema":1,"npu":[{"layer":"a","tensor":"b","dtype":"c",)"
        R"("shape":["x"],"sha256":"d"}],"reference":[]})"})
    EXPECT_THROW(parseEvidence(wrong, "a file"), Error) << wrong;
}

TEST(Evidence, FindsTheFirstDifference) {
  std::vector<TensorEvidence> expected = sampleEvidence().machine;
  size_t differing = 7;
  EXPECT_FALSE(firstDifference(expected, expected, differing));
  EXPECT_EQ(differing, 0u);

  std::vector<TensorEvidence> other = expected;
  other[1].sha256 = "xx";
  EvidenceDifference first = firstDifference(expected, other, differing);
  ASSERT_TRUE(first.expected && first.found);
  EXPECT_EQ(first.expected->tensor, "relu_out");
  EXPECT_EQ(differing, 1u);

  other = {expected[1], {"new", "new_out", "uint8", {}, "cc"}};
  first = firstDifference(expected, other, differing);
  ASSERT_TRUE(first.expected);
  EXPECT_EQ(first.expected->tensor, "größe");
  EXPECT_FALSE(first.found);
  EXPECT_EQ(differing, 2u) << "one is gone, and one is new";
}

} // namespace
} // namespace parallax
