//===- EditTest.cpp - Changes of a configuration in its own words ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A changed configuration must say what it said before, and one thing more.
//===----------------------------------------------------------------------===//
#include "parallax/Config/Edit.h"
#include "parallax/Support/Error.h"

#include <gtest/gtest.h>

using namespace parallax;

namespace {

std::string edited(std::string_view config, std::string_view field,
                   std::string_view value, bool appends) {
  JsonDocument document = parseRelaxedJson(config);
  editField(document.root, field, value, appends);
  return printJson(document.root);
}

std::string normal(std::string_view text) {
  return printJson(parseRelaxedJson(text).root);
}

TEST(Edit, SetsFields) {
  EXPECT_EQ(
      edited(R"({"a": 1, "b": {"c": [1], "d": 2}})", "b.d", "true", false),
      normal(R"({"a": 1, "b": {"c": [1], "d": true}})"));
  EXPECT_EQ(edited(R"({"a": 1})", "b.c.d", R"("x")", false),
            normal(R"({"a": 1, "b": {"c": {"d": "x"}}})"));
}

TEST(Edit, AppendsToLists) {
  EXPECT_EQ(edited(R"({"q": {"l": [{"n": 1}]}})", "q.l", R"({"n": 2})", true),
            normal(R"({"q": {"l": [{"n": 1}, {"n": 2}]}})"));
  EXPECT_EQ(edited("{}", "q.l", R"({"n": 2})", true),
            normal(R"({"q": {"l": [{"n": 2}]}})"));
}

TEST(Edit, TheLastOfTwoMembersCounts) {
  EXPECT_EQ(edited(R"({"a": 1, "a": 2})", "a", "3", false),
            normal(R"({"a": 1, "a": 3})"));
}

TEST(Edit, RefusesWhatDoesNotFit) {
  EXPECT_THROW(edited(R"({"a": 1})", "a.b", "1", false), Error);
  EXPECT_THROW(edited(R"({"a": 1})", "a", "1", true), Error);
  EXPECT_THROW(edited("{}", "a", "{", false), Error);
}

} // namespace
