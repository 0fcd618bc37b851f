//===- RelaxedJsonTest.cpp - JSON as people write it ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Comments and trailing commas go, everything else stays where it is.
//===----------------------------------------------------------------------===//
#include "parallax/Config/RelaxedJson.h"

#include <gtest/gtest.h>

using namespace parallax;

namespace {

TEST(RelaxedJson, StrictJsonIsUnchanged) {
  for (const char *text :
       {"", "{}", "[]", "3", R"({"a": [1, 2, {"b": null}], "c": "d"})",
        "{\r\n\t\"a\": 1\r\n}", "\xef\xbb\xbf{}"})
    EXPECT_EQ(toStrictJson(text), text);
}

TEST(RelaxedJson, CommentsBecomeBlanks) {
  EXPECT_EQ(toStrictJson("1 // x\n2"), "1     \n2");
  EXPECT_EQ(toStrictJson("1 # x\r\n2"), "1    \r\n2");
  EXPECT_EQ(toStrictJson("1 /* x\ny */ 2"), "1     \n     2");
  EXPECT_EQ(toStrictJson("#"), " ");
  EXPECT_EQ(toStrictJson("//"), "  ");
  EXPECT_EQ(toStrictJson("/**/"), "    ");
  // Each byte of a letter outside ASCII, so that columns hold.
  EXPECT_EQ(toStrictJson("#\xc3\xa4\n"), "   \n");
  EXPECT_EQ(toStrictJson("// \"quoted\n1"), "          \n1");
  EXPECT_EQ(toStrictJson("# // /*\n1 # */"), "       \n1     ");
}

TEST(RelaxedJson, TrailingCommasBecomeBlanks) {
  EXPECT_EQ(toStrictJson("[1,]"), "[1 ]");
  EXPECT_EQ(toStrictJson("{\"a\": [1, 2, ], }"), "{\"a\": [1, 2  ]  }");
  EXPECT_EQ(toStrictJson("[[],]"), "[[] ]");
  EXPECT_EQ(toStrictJson("[\"a\",\n]"), "[\"a\" \n]");
  EXPECT_EQ(toStrictJson("[1, // last\n]"), "[1         \n]");
  EXPECT_EQ(toStrictJson("[1 /**/, # last\n\n /**/ ]"),
            "[1             \n\n      ]");
}

TEST(RelaxedJson, OtherCommasStay) {
  for (const char *text : {"[,]", "{,}", "[1,,]", "[1,,2]", "{\"a\":,}", "[1],",
                           "[,1]", ",]", ",", "[1, 2", "[1,"})
    EXPECT_EQ(toStrictJson(text), text);
  EXPECT_EQ(toStrictJson("[1,#\n,]"), "[1, \n,]");
}

TEST(RelaxedJson, StringsStay) {
  for (const char *text :
       {R"(["// a", "# b", "/* c */", ",]", ",}"])", R"(["\"# a", "\\"])",
        R"(["a\",]"])", R"({"http://x#y": 1})"})
    EXPECT_EQ(toStrictJson(text), text);
  EXPECT_EQ(toStrictJson(R"(["\\",] # "x")"), R"(["\\" ]      )");
}

TEST(RelaxedJson, WhatHasNoEndStays) {
  for (const char *text :
       {"[1, /* x ]", "/*", "/*/", "/", "\"", "\"a # b", "\"\\", "[\"a // b,]"})
    EXPECT_EQ(toStrictJson(text), text);
}

} // namespace
