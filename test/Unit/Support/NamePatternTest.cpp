//===- NamePatternTest.cpp - Regular expressions for names ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What matches, what is refused, and that nothing takes forever.
//===----------------------------------------------------------------------===//
#include "parallax/Support/NamePattern.h"
#include "parallax/Support/Error.h"

#include <gtest/gtest.h>

using namespace parallax;

namespace {

std::string errorOf(const std::string &pattern) {
  try {
    NamePattern made(pattern);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(NamePatternTest, TheWholeNameMatches) {
  NamePattern conv("/blocks\\.\\d{1,2}/(attn|mlp)/.*");
  EXPECT_TRUE(conv.matches("/blocks.11/attn/MatMul_1"));
  EXPECT_FALSE(conv.matches("x/blocks.11/attn/MatMul_1"));
  EXPECT_FALSE(conv.matches("/blocks.111/attn/MatMul_1"));
  EXPECT_FALSE(NamePattern("Conv").matches("Conv_1"));
  NamePattern except("(?!.*head).*Conv(?=_1).*");
  EXPECT_TRUE(except.matches("body/Conv_1"));
  EXPECT_FALSE(except.matches("head/Conv_1"));
  EXPECT_FALSE(except.matches("body/Conv_2"));
  EXPECT_FALSE(NamePattern(".*").matches(std::string(1025, 'a')));
}

TEST(NamePatternTest, MistakesAreExplained) {
  EXPECT_EQ(errorOf("Conv_(1"),
            "is not a regular expression: '(' and ')' don't pair up");
  EXPECT_EQ(errorOf("Conv_[1"),
            "is not a regular expression: a '[' is not closed");
  EXPECT_EQ(errorOf("*Conv"), "is not a regular expression: '*', '+', '?' or "
                              "'{' has nothing before it to repeat");
  EXPECT_EQ(errorOf("(a)\\1"), "is not a regular expression: it refers back to "
                               "a group, which is not supported");
  EXPECT_EQ(errorOf("[b-a]"), "is not a regular expression: a range between "
                              "'[' and ']' ends before it begins");
  EXPECT_EQ(errorOf(std::string(256, 'a')), "");
  EXPECT_EQ(errorOf(std::string(257, 'a')), "is longer than 256 characters");
}

TEST(NamePatternTest, CostIsBounded) {
  // Takes 2^40 steps if alternatives are tried one after the other.
  EXPECT_FALSE(NamePattern("(a+)+b").matches(std::string(40, 'a')));
  EXPECT_FALSE(NamePattern("(a|a)*(a|a)*c").matches(std::string(1000, 'a')));
  EXPECT_EQ(errorOf("(a{10}b){10}"), "");
  EXPECT_EQ(errorOf("[{]a\\{999"), "");
  const std::string tooMany = "repeats something more than 100 times with '{' "
                              "and '}'; use '*' or '+'";
  EXPECT_EQ(errorOf("(a{10}b){11}"), tooMany);
  EXPECT_EQ(errorOf("a{1,99999999999999999999}"), tooMany);
  EXPECT_EQ(errorOf("(?=.*(?!.*a))"),
            "has a lookahead inside of another one, which would take too long");
  EXPECT_EQ(errorOf("(?!a)(?!b).*"), "");
}

} // namespace
