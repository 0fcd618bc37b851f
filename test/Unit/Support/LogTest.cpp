//===- LogTest.cpp - Messages on standard error ---------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Levels filter, prefixes name them, and a file gets no colors.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Log.h"
#include "Pty.h"
#include "TempDir.h"
#include "parallax/Support/ConsoleListener.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LogFile.h"
#include "parallax/Support/Parallel.h"
#include "parallax/Support/Progress.h"
#include "parallax/Support/Terminal.h"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

using namespace parallax;

namespace {

std::string logAll(LogLevel level) {
  testing::internal::CaptureStderr();
  ConsoleListener listener({level});
  ListenerScope scope(listener);
  log(LogLevel::Error, "e{}", 1);
  log(LogLevel::Warning, "w{}", 2);
  log(LogLevel::Info, "i{}", 3);
  log(LogLevel::Debug, "d{}", 4);
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

TEST(Listener, IsSilentByDefault) {
  testing::internal::CaptureStderr();
  log(LogLevel::Error, "nobody listens");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Listener, IsThatOfTheThreadAndOfItsLoops) {
  class Counter : public Listener {
  public:
    void onMessage(LogLevel, std::string_view) override { ++count; }
    std::atomic<int> count = 0;
  };
  Counter ours, theirs;
  ListenerScope scope(ours);
  ThreadCountScope threads(4);
  parallelFor(100, 1, [](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      log(LogLevel::Info, "step {}", i);
  });
  std::thread other([&] {
    ListenerScope scope(theirs);
    log(LogLevel::Info, "elsewhere");
  });
  other.join();
  EXPECT_EQ(ours.count, 100);
  EXPECT_EQ(theirs.count, 1);
}

TEST(Listener, StopsLongWork) {
  class Impatient : public Listener {
  public:
    void onProgress(const ProgressEvent &event) override { last = event.done; }
    bool isCancelled() const override { return last >= 3; }
    int64_t last = 0;
  };
  Impatient listener;
  ListenerScope scope(listener);
  auto work = [] {
    Progress progress("Work", 10);
    for (int i = 0; i < 10; ++i)
      progress.advance();
  };
  EXPECT_THROW(work(), Cancelled);
  EXPECT_EQ(listener.last, 3);
  EXPECT_THROW(stopIfCancelled(), Cancelled);
}

TEST(LogFile, KeepsWhatWasShownFromTheStart) {
  TempDir folder;
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  ConsoleListener console;
  LogFile file(console);
  ListenerScope scope(file);
  log(LogLevel::Warning, "early");
  file.open(folder.path() / "deep" / "build.log");
  log(LogLevel::Info, "saved");
  log(LogLevel::Debug, "not shown");
  showResult("\x1b[31mred\x1b[0m table\n");
  file.close();
  log(LogLevel::Info, "late");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning: early\nsaved\nlate\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "\x1b[31mred\x1b[0m table\n");
  std::ifstream written(folder.path() / "deep" / "build.log");
  std::string text((std::istreambuf_iterator<char>(written)), {});
  EXPECT_EQ(text, "warning: early\nsaved\nred table\n");
}

TEST(LogFile, RefusesAFolder) {
  TempDir folder;
  LogFile file(currentListener());
  EXPECT_THROW(file.open(folder.path()), Error);
}

} // namespace
