//===- UnicodeTest.cpp - UTF-8 text on a terminal -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Widths of foreign scripts, broken bytes, and escape sequences.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Unicode.h"

#include <gtest/gtest.h>

using namespace parallax;

namespace {

TEST(Unicode, Widths) {
  EXPECT_EQ(displayWidth("conv"), 4);
  EXPECT_EQ(displayWidth("层一"), 4);
  EXPECT_EQ(displayWidth("한글 ｗ"), 7);
  EXPECT_EQ(displayWidth("é"), 1);
  EXPECT_EQ(displayWidth("e\u0301"), 1);
  EXPECT_EQ(displayWidth("🙂"), 2);
  EXPECT_EQ(displayWidth("│…"), 2);
}

TEST(Unicode, RoundTripsEveryPlane) {
  for (char32_t symbol : {U'\x7f', U'\x80', U'\u07ff', U'\u0800', U'\uffff',
                          U'\U00010000', U'\U0010ffff'}) {
    std::string text;
    appendUtf8(text, symbol);
    std::string_view rest = text;
    EXPECT_EQ(takeCodePoint(rest), symbol);
    EXPECT_TRUE(rest.empty());
  }
}

TEST(Unicode, BrokenBytesAreReplacedOneByOne) {
  EXPECT_EQ(printable("a\xff"), "a\ufffd");
  EXPECT_EQ(printable("\xe5\xb1"), "\ufffd\ufffd");           // cut short
  EXPECT_EQ(printable("\xc0\xaf"), "\ufffd\ufffd");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\ufffd\ufffd\ufffd"); // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\ufffd\ufffd\ufffd\ufffd");
}

TEST(Unicode, ControlCharactersNeverReachTheTerminal) {
  EXPECT_EQ(printable("a\033[31m\n"), "a\ufffd[31m\ufffd");
  EXPECT_EQ(printable("\u009b\u202e"), "\ufffd\ufffd");
  EXPECT_EQ(printable("层 é"), "层 é");
}

TEST(Unicode, ElideKeepsBothEnds) {
  EXPECT_EQ(elide("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(elide("abcdefgh", 5), "ab…gh");
  EXPECT_EQ(elide("abcdefgh", 4), "ab…h");
  EXPECT_EQ(elide("abcdefgh", 1), "…");
  EXPECT_EQ(elide("abcdefgh", 0), "");
  EXPECT_EQ(elide("层一输出", 5), "层…出");
  EXPECT_EQ(elide("xe\u0301\u0301y", 1), "…");
  for (int width = 0; width < 12; ++width)
    EXPECT_LE(displayWidth(elide("层a一b输c出\u0301d", width)), width);
}

TEST(Unicode, AsciiIsAsWideAsTheText) {
  EXPECT_EQ(asciiText("┌──┬┐ a│b █░ 1…2 → 【x】"),
            "+--++ a|b #. 1~2 >  [x] ");
  for (const char *text : {"层一", "Ω", "【PerLayer】", "🙂", "e\u0301", "plain"})
    EXPECT_EQ(displayWidth(asciiText(text)), displayWidth(text)) << text;
  EXPECT_EQ(asciiText("\033[31mred\033[0m\n"), "\033[31mred\033[0m\n");
}

TEST(Unicode, TheEndOfATextCanGetMoreRoom) {
  EXPECT_EQ(elide("abcdefghijklmnop", 9), "abcd…mnop");
  EXPECT_EQ(elide("abcdefghijklmnop", 9, 0.75), "ab…klmnop");
  EXPECT_EQ(elide("abcdefghijklmnop", 9, 1), "…ijklmnop");
}

} // namespace
