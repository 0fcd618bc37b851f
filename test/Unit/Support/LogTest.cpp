//===- LogTest.cpp - Messages on standard error ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Levels filter, prefixes name them, and a file gets no colors.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Log.h"
#include "Pty.h"
#include "TempDir.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LogFile.h"
#include "parallax/Support/Terminal.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

using namespace parallax;

namespace {

std::string logAll(LogLevel level) {
  testing::internal::CaptureStderr();
  setLogLevel(level);
  log(LogLevel::Error, "e{}", 1);
  log(LogLevel::Warning, "w{}", 2);
  log(LogLevel::Info, "i{}", 3);
  log(LogLevel::Debug, "d{}", 4);
  setLogLevel(LogLevel::Info);
  return testing::internal::GetCapturedStderr();
}

TEST(Log, LevelsFilter) {
  EXPECT_EQ(logAll(LogLevel::Error), "error: e1\n");
  EXPECT_EQ(logAll(LogLevel::Warning), "error: e1\nwarning: w2\n");
  EXPECT_EQ(logAll(LogLevel::Info), "error: e1\nwarning: w2\ni3\n");
  EXPECT_EQ(logAll(LogLevel::Debug), "error: e1\nwarning: w2\ni3\ndebug: d4\n");
}

TEST(Log, NamesRoundTrip) {
  for (LogLevel level :
       {LogLevel::Error, LogLevel::Warning, LogLevel::Info, LogLevel::Debug})
    EXPECT_EQ(parseLogLevel(nameOf(level)), level);
  EXPECT_EQ(parseLogLevel("loud"), std::nullopt);
  EXPECT_EQ(parseLogLevel(""), std::nullopt);
}

TEST(Terminal, ColorNeedsATerminalWithoutNoColor) {
  Screen terminal(80), pipe(0);
  ASSERT_TRUE(terminal.isOpen());
  ::unsetenv("NO_COLOR");
  EXPECT_TRUE(colorAllowed(terminal.file()));
  EXPECT_FALSE(colorAllowed(pipe.file()));
  EXPECT_EQ(terminalWidth(terminal.file()), 80);
  EXPECT_EQ(terminalWidth(pipe.file()), 0);
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(colorAllowed(terminal.file()));
  ::unsetenv("NO_COLOR");
}

TEST(LogFile, KeepsWhatWasShownFromTheStart) {
  TempDir folder;
  closeLogFile();
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  log(LogLevel::Warning, "early");
  openLogFile(folder.path() / "deep" / "build.log");
  log(LogLevel::Info, "saved");
  log(LogLevel::Debug, "not shown");
  printResult("\x1b[31mred\x1b[0m table\n");
  closeLogFile();
  log(LogLevel::Info, "late");
  closeLogFile();
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "\x1b[31mred\x1b[0m table\n");
  std::ifstream file(folder.path() / "deep" / "build.log");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text, "warning: early\nsaved\nred table\n");
}

TEST(LogFile, RefusesAFolder) {
  TempDir folder;
  EXPECT_THROW(openLogFile(folder.path()), Error);
}

} // namespace
