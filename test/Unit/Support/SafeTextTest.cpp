//===- SafeTextTest.cpp - Names from outside in texts of ours -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each kind of text, and the console and log file that check all of it.
//===----------------------------------------------------------------------===//
#include "parallax/Support/SafeText.h"
#include "TempDir.h"
#include "parallax/Support/ConsoleListener.h"
#include "parallax/Support/LogFile.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/Terminal.h"

#include <cstdio>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace parallax;

namespace {

TEST(SafeText, LinesKeepLineFeedsAndOurColors) {
  EXPECT_EQ(safeText(TextKind::Line, "a\nb\033[2J"), "a\uFFFDb\uFFFD[2J");
  EXPECT_EQ(safeText(TextKind::Lines, "a\n\033[31mb\033[0m\033]0;t\a\r"),
            "a\n\033[31mb\033[0m\uFFFD]0;t\uFFFD\uFFFD");
  EXPECT_EQ(safeText(TextKind::Lines, "\xff层"), "\uFFFD层");
}

TEST(SafeText, CsvFieldsAreNoFormulas) {
  for (const char *name : {"=1+1", "+cmd|x", "-f(x)", "@SUM(A1)", " =1"})
    EXPECT_EQ(safeText(TextKind::CsvField, name), std::string("'") + name);
  EXPECT_EQ(safeText(TextKind::CsvField, "=\"a\",b"), "\"'=\"\"a\"\",b\"");
  for (const char *same :
       {"-0.5", "+1e-3", "-inf", "-", "", "conv", "a=b", "1e400", "-1e400"})
    EXPECT_EQ(safeText(TextKind::CsvField, same), same);
  EXPECT_EQ(safeText(TextKind::CsvField, "a\033b\nc"), "\"a\uFFFDb\nc\"");
}

TEST(SafeText, MarkupIsText) {
  EXPECT_EQ(safeText(TextKind::Mermaid, "a\"]<b>"), "a#34;#93;#60;b#62;");
  EXPECT_EQ(safeText(TextKind::Markdown, "<b>|[x](y)\n`*"),
            "&#60;b\\>\\|\\[x\\](y)\uFFFD\\`\\*");
  EXPECT_EQ(safeText(TextKind::Markdown, "output y_1 is bad: 0.5"),
            "output y_1 is bad: 0.5");
}

TEST(SafeText, ConsoleAndLogFileCheckAllThatTheyShow) {
  TempDir dir;
  std::string messages = (dir / "messages").string(),
              results = (dir / "results").string(),
              logged = (dir / "log").string();
  int descriptor = ::open(messages.c_str(), O_WRONLY | O_CREAT, 0600);
  std::FILE *file = std::fopen(results.c_str(), "w");
  {
    Console console(descriptor);
    ConsoleListener listener({}, console, file);
    LogFile log(listener);
    log.open(logged);
    log.onMessage(LogLevel::Info, "layer 'a\033[2J'\nsecond");
    log.onResult("row a\033]0;title\a\n");
  }
  std::fclose(file);
  ::close(descriptor);
  EXPECT_EQ(readText(messages), "layer 'a\uFFFD[2J'\nsecond\n");
  EXPECT_EQ(readText(results), "row a\uFFFD]0;title\uFFFD\n");
  EXPECT_EQ(readText(logged),
            "layer 'a\uFFFD[2J'\nsecond\nrow a\uFFFD]0;title\uFFFD\n");
}

} // namespace
