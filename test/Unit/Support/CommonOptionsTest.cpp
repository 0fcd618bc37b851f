//===- CommonOptionsTest.cpp - Flags that all subcommands share -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Accepted values, refused ones, and what they set.
//===----------------------------------------------------------------------===//
#include "parallax/Support/CommonOptions.h"
#include "parallax/Support/Parallel.h"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

using namespace parallax;

namespace {

/// The options of a command line, or nothing if it is refused.
std::optional<CommonOptions> parse(const std::string &arguments) {
  CommonOptions options;
  CLI::App app("", "parallax test");
  addCommonOptions(app, options);
  try {
    app.parse(arguments);
    return options;
  } catch (const CLI::ParseError &error) {
    ConsoleListener console;
    ListenerScope scope(console);
    testing::internal::CaptureStderr();
    EXPECT_EQ(reportParseError(app, error), 2);
    std::string message = testing::internal::GetCapturedStderr();
    EXPECT_EQ(message.find("error: "), 0u) << message;
    EXPECT_NE(message.find("see 'parallax test --help'"), std::string::npos);
    return std::nullopt;
  }
}

TEST(CommonOptions, Defaults) {
  auto options = parse("");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->threads, 0);
  EXPECT_EQ(options->console.level, LogLevel::Info);
  EXPECT_TRUE(options->console.color);
}

TEST(CommonOptions, AllFlags) {
  auto options = parse("--threads 2 --log-level debug --no-color");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->threads, 2);
  EXPECT_EQ(options->console.level, LogLevel::Debug);
  EXPECT_FALSE(options->console.color);
}

TEST(CommonOptions, RefusesNonsense) {
  for (const char *arguments :
       {"--threads -1", "--threads x", "--threads 99999999999999999999",
        "--threads 1.5", "--threads", "--log-level loud", "--log-level",
        "--no-color=maybe", "--unknown"})
    EXPECT_FALSE(parse(arguments)) << arguments;
}

TEST(CommonOptions, NoThreadsStandForAllCores) {
  CommonOptions options;
  EXPECT_EQ(options.threadsToUse(), hardwareThreads());
  options.threads = 3;
  EXPECT_EQ(options.threadsToUse(), 3);
}

} // namespace
