//===- ProgressTest.cpp - A progress bar for long work --------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One line in a log, a bar on a terminal, and many threads.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Progress.h"
#include "Pty.h"
#include "parallax/Support/ConsoleListener.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace parallax;

namespace {

TEST(Progress, PipeGetsOneLineAtBeginAndEnd) {
  Screen screen(0);
  Console console(screen.file());
  ConsoleListener listener({}, console);
  ListenerScope scope(listener);
  {
    Progress bar("Calibrating", 3);
    EXPECT_EQ(screen.output(), "Calibrating: 0/3\n");
    for (int step = 0; step < 3; ++step)
      bar.advance();
    EXPECT_EQ(screen.output(), "");
  }
  std::string end = screen.output();
  EXPECT_EQ(end.find("Calibrating: 3/3 in "), 0u) << end;
  EXPECT_EQ(std::count(end.begin(), end.end(), '\n'), 1);
  EXPECT_EQ(end.find('\033'), std::string::npos);
}

TEST(Progress, SaysHowFarUnfinishedWorkCame) {
  Screen screen(0);
  Console console(screen.file());
  ConsoleListener listener({}, console);
  ListenerScope scope(listener);
  {
    Progress bar("Calibrating", 3);
    bar.advance(2);
  }
  EXPECT_NE(screen.output().find("2/3 (stopped)"), std::string::npos);
}

TEST(Progress, AsciiWhereThereIsNoUnicode) {
  for (auto [name, value] :
       {std::pair("LC_ALL", "C"), std::pair("TERM", "dumb")}) {
    Screen screen(80);
    ASSERT_TRUE(screen.isOpen());
    ::setenv(name, value, 1);
    Console console(screen.file());
    std::FILE *results = ::fdopen(::dup(screen.file()), "w");
    ConsoleListener listener({}, console, results);
    ListenerScope scope(listener);
    {
      Progress bar("Calibrating", 3);
    }
    listener.onMessage(LogLevel::Warning, "A → B");
    listener.onResult("┌─┐\n│…│\n");
    std::fclose(results);
    std::string text = screen.output();
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c > 0; }))
        << name << text;
    EXPECT_NE(text.find("A > B"), std::string::npos) << text;
    EXPECT_NE(text.find("+-+"), std::string::npos) << text;
    if (value == std::string_view("dumb"))
      EXPECT_EQ(text.find('\033'), std::string::npos) << text;
  }
  // Files are UTF-8 in any case.
  EXPECT_TRUE(drawsUnicode(Screen(0).file()));
}

TEST(Progress, ErrorsAloneOnRequest) {
  Screen screen(0), prints(0);
  Console console(screen.file());
  std::FILE *results = ::fdopen(::dup(prints.file()), "w");
  ConsoleListener listener({LogLevel::Error}, console, results);
  ListenerScope scope(listener);
  {
    Progress bar("Calibrating", 3);
  }
  listener.onMessage(LogLevel::Warning, "w");
  listener.onResult("table");
  EXPECT_EQ(screen.output() + prints.output(), "");
  listener.onMessage(LogLevel::Error, "e");
  EXPECT_EQ(screen.output(), "error: e\n");
  std::fclose(results);
}

TEST(Progress, TerminalIsRedrawnAtMostTenTimesASecond) {
  Screen screen(80);
  ASSERT_TRUE(screen.isOpen());
  Console console(screen.file());
  ConsoleListener listener({}, console);
  ListenerScope scope(listener);
  auto begin = std::chrono::steady_clock::now();
  {
    Progress bar("Calibrating", 1 << 20);
    for (int step = 0; step < 1 << 20; ++step)
      bar.advance();
  }
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  std::string output = screen.output();
  auto draws = std::count(output.begin(), output.end(), '\r');
  // The first and the last line, and the line feed that the terminal expands.
  EXPECT_LE(double(draws), 3 + seconds * 10);
  EXPECT_NE(output.find("░"), std::string::npos);
  EXPECT_NE(output.find("1048576/1048576 in "), std::string::npos);
}

TEST(Progress, BarFitsTheTerminal) {
  for (unsigned short width : {20, 40, 80, 200}) {
    Screen screen(width);
    ASSERT_TRUE(screen.isOpen());
    Console console(screen.file());
    ConsoleListener listener({}, console);
    ListenerScope scope(listener);
    Progress bar("层一 Calibrating with many samples", 1000000);
    std::string line = screen.output();
    ASSERT_EQ(line.find("\r\033[K"), 0u);
    EXPECT_LT(displayWidth(line.substr(4)), width);
  }
}

TEST(Progress, LogLinesReplaceTheBar) {
  Screen screen(80);
  ASSERT_TRUE(screen.isOpen());
  Console console(screen.file());
  ConsoleListener listener({}, console);
  ListenerScope scope(listener);
  Progress bar("Work", 10);
  screen.output();
  console.writeLine("message");
  EXPECT_EQ(screen.output(), "\r\033[Kmessage\r\n");
  console.writeLine("again");
  EXPECT_EQ(screen.output(), "again\r\n");
}

TEST(Progress, CountsFromManyThreads) {
  Screen screen(0);
  Console console(screen.file());
  ConsoleListener listener({}, console);
  ListenerScope scope(listener);
  {
    Progress bar("Work", 4000);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&] {
        for (int step = 0; step < 1000; ++step)
          bar.advance();
      });
    for (std::thread &thread : threads)
      thread.join();
  }
  EXPECT_NE(screen.output().find("4000/4000 in "), std::string::npos);
}

TEST(Progress, EmptyWorkAndQuietLevel) {
  Screen screen(80);
  ASSERT_TRUE(screen.isOpen());
  Console console(screen.file());
  ConsoleListener listener({}, console);
  ListenerScope scope(listener);
  { Progress bar("Nothing", 0); }
  EXPECT_NE(screen.output().find("0/0 in"), std::string::npos);
  ConsoleListener quiet({LogLevel::Warning}, console);
  ListenerScope quietScope(quiet);
  { Progress bar("Quiet", 5); }
  EXPECT_EQ(screen.output(), "");
}

} // namespace
