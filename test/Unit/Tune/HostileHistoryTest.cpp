//===- HostileHistoryTest.cpp - Histories from anywhere -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Whatever a file holds, reading it ends with a history or with an Error that
// says where.
//===----------------------------------------------------------------------===//
#include "../Support/TempDir.h"
#include "TuneTestSupport.h"
#include "parallax/Support/Error.h"
#include "parallax/Tune/History.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

using namespace parallax;

namespace {

/// The first line, which is right.
std::string goodHeader() {
  TempDir folder;
  History(folder / "h", tuneIdentity, false);
  return contentsOf(folder / "h");
}

std::string errorOfHistory(const std::string &text) {
  TempDir folder;
  folder.write("h", text);
  try {
    History(folder / "h", tuneIdentity, true);
  } catch (const Error &error) {
    std::string message = error.what();
    EXPECT_EQ(contentsOf(folder / "h"), text) << "the file has changed";
    // Without the folder, which has another name every time.
    return message.substr(message.find("/h:") + 1);
  }
  return "";
}

/// A good trial in line 2, in which something is replaced.
std::string errorWith(const std::string &part, const std::string &other) {
  std::string line = historyLine(trialRecord(1));
  size_t at = line.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return errorOfHistory(goodHeader() + line.replace(at, part.size(), other) +
                        "\n");
}

const std::string anew = "; tune without --resume to start anew";

TEST(HostileHistory, FilesThatAreNone) {
  EXPECT_EQ(errorOfHistory(""),
            "h: the file is not a history of tuning" + anew);
  EXPECT_EQ(errorOfHistory("{"),
            "h: the file is not a history of tuning" + anew);
  EXPECT_EQ(errorOfHistory("\n"), "h:1: the line is not JSON" + anew);
  EXPECT_EQ(errorOfHistory("[]\n"), "h:1: the line is not an object" + anew);
  EXPECT_EQ(errorOfHistory("{}\n"), "h:1: format is missing" + anew);
  EXPECT_EQ(errorOfHistory("{\"format\": \"other\"}\n"),
            "h:1: the file is not a history of tuning" + anew);
  EXPECT_EQ(errorOfHistory("{\"format\": \"parallax-tuning-history\", "
                           "\"version\": 2}\n"),
            "h:1: the file was written by another version of Parallax" + anew);
  EXPECT_EQ(errorOfHistory("{\"format\": \"parallax-tuning-history\", "
                           "\"version\": 1, \"identity\": 7}\n"),
            "h:1: identity is not a text" + anew);
  EXPECT_NE(errorOfHistory(std::string(100, '\0') + "\n"), "");
  TempDir folder;
  EXPECT_THROW(History(folder.path(), tuneIdentity, true), Error);
}

TEST(HostileHistory, WrongTypes) {
  EXPECT_EQ(errorWith("\"number\":1", "\"number\":\"1\""),
            "h:2: number is not an integer of 64 bits" + anew);
  EXPECT_EQ(errorWith("\"number\":1", "\"number\":1.5"),
            "h:2: number is not an integer of 64 bits" + anew);
  EXPECT_EQ(errorWith("\"number\":1", "\"numbr\":1"),
            "h:2: number is missing" + anew);
  EXPECT_EQ(errorWith("\"purpose\":\"cut 3\"", "\"purpose\":null"),
            "h:2: purpose is not a text" + anew);
  EXPECT_EQ(errorWith("\"edits\":[", "\"edits\":7,\"x\":["),
            "h:2: edits is not a list" + anew);
  EXPECT_EQ(errorWith("\"edits\":[", "\"edits\":[[],"),
            "h:2: edits[0] is not an object" + anew);
  EXPECT_EQ(errorWith("\"appends\":false", "\"appends\":0"),
            "h:2: edits[1].appends is neither true nor false" + anew);
  EXPECT_EQ(errorWith("\"metric\":{", "\"metric\":1,\"x\":{"),
            "h:2: metric is not an object" + anew);
  EXPECT_EQ(errorWith("\"low\":0.1", "\"low\":\"0.1\""),
            "h:2: metric.low is not a number" + anew);
  EXPECT_EQ(
      errorWith("\"predicted_metric\":0.4401", "\"predicted_metric\":null"),
      "h:2: predicted_metric is not a number" + anew);
}

TEST(HostileHistory, HugeNumbers) {
  for (const char *number :
       {"9223372036854775808", "18446744073709551615", "18446744073709551616",
        "-9223372036854775809", "1e18", "1e300"})
    EXPECT_EQ(errorWith("1234567890123456789", number),
              "h:2: cycles is not an integer of 64 bits" + anew)
        << number;
  for (const char *number : {"1e400", "-1e400"})
    EXPECT_EQ(errorWith("12.5", number), "h:2: the line is not JSON" + anew);
  EXPECT_EQ(errorWith("12.5", std::string(1000000, '9')),
            "h:2: the line is not JSON" + anew);
  EXPECT_EQ(errorWith("12.5", "0." + std::string(1000000, '9')), "");
}

TEST(HostileHistory, DeepNesting) {
  constexpr size_t depth = 1000000;
  std::string open(depth, '['), close(depth, ']');
  EXPECT_EQ(errorWith("12.5", open), "h:2: the line is not JSON" + anew);
  EXPECT_EQ(errorWith("12.5", open + close),
            "h:2: seconds is not a number" + anew);
  std::string objects;
  for (size_t i = 0; i < depth; ++i)
    objects += "{\"a\":";
  EXPECT_EQ(errorWith("12.5", objects + "1" + std::string(depth, '}')),
            "h:2: seconds is not a number" + anew);
  EXPECT_EQ(errorOfHistory(open + close + "\n"),
            "h:1: the line is not an object" + anew);
  // Fields that nobody knows are skipped.
  EXPECT_EQ(errorWith("\"seconds\"", "\"x\":" + open + close + ",\"seconds\""),
            "");
}

TEST(HostileHistory, DamageInTheMiddle) {
  std::string line = historyLine(trialRecord(1)) + "\n";
  EXPECT_EQ(errorOfHistory(goodHeader() + line.substr(0, 40) + "\n" + line),
            "h:2: the line is not JSON" + anew);
  EXPECT_EQ(errorOfHistory(goodHeader() + line + "\n" + line),
            "h:3: the line is not JSON" + anew);
}

TEST(HostileHistory, ChangedBytes) {
  std::string text = goodHeader() + historyLine(trialRecord(1)) + "\n" +
                     historyLine(trialRecord(2)) + "\n";
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    std::string changed = text;
    for (unsigned n = 1 + random() % 3; n > 0; --n)
      changed[random() % changed.size()] = char(random() % 256);
    if (random() % 4 == 0)
      changed.resize(random() % changed.size());
    // An Error or none: anything else ends the test.
    errorOfHistory(changed);
  }
}

} // namespace
