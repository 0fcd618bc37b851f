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
    EXPECT_NE(message.find("ee 'parallax test --help'"), std::string::npos);
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

TEST(CommonOptions, AMisspelledOptionIsNamed) {
  CommonOptions options;
  CLI::App app("", "parallax test");
  std::string config;
  app.add_option("--config", config)->required();
  addCommonOptions(app, options);
  auto messageOf = [&](const std::string &arguments) -> std::string {
    ConsoleListener console;
    ListenerScope scope(console);
    testing::internal::CaptureStderr();
    try {
      app.parse(arguments);
    } catch (const CLI::ParseError &error) {
      reportParseError(app, error);
    }
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(messageOf("--confg x"),
            "error: there is no option '--confg'; did you mean '--config'? "
            "See 'parallax test --help'\n");
  EXPECT_EQ(messageOf("--config x --log_level=debug"),
            "error: there is no option '--log_level'; did you mean "
            "'--log-level'? See 'parallax test --help'\n");
  EXPECT_EQ(messageOf("--log-level debug"),
            "error: --config is required; see 'parallax test --help'\n");
}

TEST(CommonOptions, NoThreadsStandForAllCores) {
  CommonOptions options;
  EXPECT_EQ(options.threadsToUse(), hardwareThreads());
  options.threads = 3;
  EXPECT_EQ(options.threadsToUse(), 3);
}

} // namespace
