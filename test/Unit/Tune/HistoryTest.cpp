//===- HistoryTest.cpp - What was tried survives --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Trials are read as they were written, whenever the writer was stopped.
//===----------------------------------------------------------------------===//
#include "parallax/Tune/History.h"
#include "../Support/TempDir.h"
#include "TuneTestSupport.h"

#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <sys/resource.h>

using namespace parallax;

namespace {

/// Their lines are equal exactly if the records are, so these are compared.
std::vector<std::string> linesOf(const History &history) {
  std::vector<std::string> lines;
  for (const TrialRecord &record : history.trials())
    lines.push_back(historyLine(record));
  return lines;
}

TEST(History, OneLineForATrial) {
  // Other programs read it, so it is part of the interface.
  EXPECT_EQ(
      historyLine(trialRecord(7)),
      R"({"number":7,"purpose":"cut 3","edits":[)"
      R"({"field":"quant.layer_configs","value":"{\"layer_name\": \"a\\nb\", )"
      R"(\"data_type\": \"U16\"}","appends":true},)"
      R"({"field":"quant.calibration_method","value":"\"MSE\"",)"
      R"("appends":false}],)"
      R"("metric":{"value":0.30000000000000004,"low":0.1,)"
      R"("high":0.3333333333333333},)"
      R"("loss":{"value":-1e-300,"low":-0.0,"high":5e-324},)"
      R"("samples":50,"cycles":1234567890123456789,)"
      R"("predicted_metric":0.4401,"predicted_cycles":-1,)"
      R"("seconds":12.5,"digest":"0f1e","failure":""})");
  EXPECT_EQ(
      historyLine(TrialRecord()),
      R"({"number":0,"purpose":"","edits":[],)"
      R"("metric":{"value":0.0,"low":0.0,"high":0.0},)"
      R"("loss":{"value":0.0,"low":0.0,"high":0.0},)"
      R"("samples":0,"cycles":0,"seconds":0.0,"digest":"","failure":""})");
}

TEST(History, IsReadAsItWasWritten) {
  TempDir folder;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<TrialRecord> written = {trialRecord(1), TrialRecord(),
                                      trialRecord(2)};
  written[1].failure = "the command says: \"\x1b[31m\nno\"";
  written[2].metric = {std::nan(""), -infinite, infinite};
  written[2].predictedMetric = -infinite;
  written[2].predictedCycles.reset();
  written[2].seconds = infinite;
  std::vector<std::string> lines;
  std::string expected = R"({"format":"parallax-tuning-history","version":1,)"
                         R"("identity":"configuration=1 model=2 version=3"})"
                         "\n";
  {
    History history(folder / "tuning/history.jsonl", tuneIdentity, false);
    for (const TrialRecord &record : written) {
      expected += historyLine(record) + "\n";
      lines.push_back(historyLine(record));
      EXPECT_EQ(historyLine(history.append(record)), lines.back());
      // On the disk before the next trial begins.
      EXPECT_EQ(contentsOf(folder / "tuning/history.jsonl"), expected);
    }
  }
  Warnings warnings;
  History again(folder / "tuning/history.jsonl", tuneIdentity, true);
  EXPECT_EQ(linesOf(again), lines);
  EXPECT_TRUE(warnings.texts.empty());
  ASSERT_EQ(again.trials().size(), 3u);
  const TrialRecord &first = again.trials()[0], &last = again.trials()[2];
  EXPECT_EQ(first.number, 1);
  EXPECT_EQ(first.edits[0].value, written[0].edits[0].value);
  EXPECT_EQ(first.metric.value, 0.1 + 0.2);
  EXPECT_EQ(first.loss.high, 5e-324);
  EXPECT_EQ(first.cycles, 1234567890123456789);
  EXPECT_EQ(first.predictedCycles, -1);
  EXPECT_EQ(again.trials()[1].failure, written[1].failure);
  EXPECT_FALSE(again.trials()[1].predictedMetric);
  EXPECT_TRUE(std::isnan(last.metric.value));
  EXPECT_EQ(last.metric.low, -infinite);
  EXPECT_EQ(last.metric.high, infinite);
  EXPECT_EQ(last.predictedMetric, -infinite);
  EXPECT_FALSE(last.predictedCycles);
  // It goes on where it ended.
  again.append(trialRecord(4));
  EXPECT_EQ(contentsOf(folder / "tuning/history.jsonl"),
            expected + historyLine(trialRecord(4)) + "\n");
}

TEST(History, FindsTheSameTrial) {
  TempDir folder;
  History history(folder / "h", tuneIdentity, false);
  TrialRecord record = trialRecord(1);
  EXPECT_EQ(history.find(record.edits, 50), nullptr);
  const TrialRecord &kept = history.append(record);
  EXPECT_EQ(history.find(record.edits, 50), &kept);
  EXPECT_EQ(history.find(record.edits, 100), nullptr);
  EXPECT_EQ(history.find({}, 50), nullptr);
  std::vector<ConfigEdit> other = record.edits;
  other[0].appends = false;
  EXPECT_EQ(history.find(other, 50), nullptr);
  other = {record.edits[1], record.edits[0]};
  EXPECT_EQ(history.find(other, 50), nullptr);
  // Many later ones move nothing, and the latest of equal ones counts.
  for (int64_t i = 0; i < 50; ++i) {
    record.samples = 100 + i;
    history.append(record);
  }
  EXPECT_EQ(history.find(record.edits, 50), &kept);
  record.samples = 50;
  record.number = 2;
  history.append(record);
  EXPECT_EQ(history.find(record.edits, 50)->number, 2);
}

TEST(History, NamesThatAreNotUnicodeAreFoundAgain) {
  TempDir folder;
  TrialRecord record;
  record.edits = {{"quant.layer_configs", "\"\xff\xfe\"", true}};
  record.failure = "\xc3";
  {
    History history(folder / "h", tuneIdentity, false);
    EXPECT_EQ(history.append(record).failure, "\xef\xbf\xbd");
    EXPECT_NE(history.find(record.edits, 0), nullptr);
  }
  History again(folder / "h", tuneIdentity, true);
  EXPECT_NE(again.find(record.edits, 0), nullptr);
}

TEST(History, ANewOneKeepsTheOld) {
  TempDir folder;
  History(folder / "h", tuneIdentity, false).append(trialRecord(1));
  std::string old = contentsOf(folder / "h");
  History history(folder / "h", tuneIdentity, false);
  EXPECT_TRUE(history.trials().empty());
  EXPECT_EQ(contentsOf(folder / "h.bak"), old);
  EXPECT_EQ(contentsOf(folder / "h"), old.substr(0, old.find('\n') + 1));
  // Nothing to resume is a start, too.
  EXPECT_TRUE(History(folder / "n", tuneIdentity, true).trials().empty());
  EXPECT_EQ(folder.entryCount(), 3u);
}

TEST(History, SaysWhatChanged) {
  TempDir folder;
  History(folder / "h", tuneIdentity, false).append(trialRecord(1));
  auto resume = [&](const std::string &identity) {
    return [&folder, identity] { History(folder / "h", identity, true); };
  };
  expectError(resume("configuration=1 model=9 version=3"),
              "h: these trials were made before model changed; tune without "
              "--resume to start anew");
  expectError(resume("configuration=7 model=2 version=4"),
              "made before configuration, version changed");
  expectError(resume("configuration=1 model=2 version=3 data=1"),
              "made before data changed");
  expectError(resume("configuration=1 model=2"), "before something changed");
  expectError(resume("x"), "made before x changed");
  EXPECT_EQ(History(folder / "h", tuneIdentity, true).trials().size(), 1u);
}

TEST(History, AWriterMayBeKilledAtAnyByte) {
  TempDir folder;
  std::string complete;
  {
    History history(folder / "h", tuneIdentity, false);
    history.append(trialRecord(1));
    complete = contentsOf(folder / "h");
    history.append(trialRecord(2));
  }
  std::string whole = contentsOf(folder / "h");
  for (size_t size = complete.size(); size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    folder.write("h", whole.substr(0, size));
    Warnings warnings;
    History history(folder / "h", tuneIdentity, true);
    EXPECT_EQ(history.trials().size(), 1u);
    ASSERT_EQ(warnings.texts.size(), size > complete.size() ? 1u : 0u);
    if (!warnings.texts.empty())
      EXPECT_NE(warnings.texts[0].find("h:3: the last line is not complete"),
                std::string::npos)
          << warnings.texts[0];
    EXPECT_EQ(contentsOf(folder / "h"), complete);
    // Waiting for the disk takes long, so not every time.
    if (size % 20 == 0) {
      history.append(trialRecord(2));
      EXPECT_EQ(contentsOf(folder / "h"), whole);
    }
  }
}

TEST(History, AFullDiskLeavesWholeLines) {
  TempDir folder;
  History history(folder / "h", tuneIdentity, false);
  history.append(trialRecord(1));
  std::string before = contentsOf(folder / "h");
  // A limit for files stands for the disk; its signal would end the process.
  struct rlimit old = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = old;
  small.rlim_cur = before.size() + 10;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(history.append(trialRecord(2)), Error);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(contentsOf(folder / "h"), before);
  EXPECT_EQ(history.trials().size(), 1u);
  history.append(trialRecord(2));
  EXPECT_EQ(History(folder / "h", tuneIdentity, true).trials().size(), 2u);
}

} // namespace
