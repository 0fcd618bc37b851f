//===- OutcomeTest.cpp - What a tuning came to, kept in a file ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Nobody measures again what the file says, so not a bit of it may be another.
//===----------------------------------------------------------------------===//
#include "../../../lib/Tune/Outcome.h"
#include "../Support/TempDir.h"
#include "TuneTestSupport.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace parallax;

namespace {

TEST(Outcome, EveryByteCounts) {
  TempDir dir;
  TrialRecord trial;
  trial.number = 1;
  TuningRun run{"configuration=1 model=2", false, 4};
  TuneResult result;
  result.trials = {trial};
  result.best = trial;
  result.metric = "top-1 \xff";
  result.tolerableLoss = 0.01;
  result.isMet = true;
  result.bestValidated = {0.5, {0.25, 0.125, 0.375}, {0, 0, 0.1}, 180};
  auto file = dir / "outcome.json";
  writeOutcome(file, run, result);
  std::optional<TuneResult> read = readOutcome(file, run, result.trials);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->bestValidated->metric.value, 0.25);
  std::string whole = contentsOf(file);
  // Another one in each byte.
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string text = whole;
    text[i] = char(text[i] ^ (1 << i % 8));
    std::ofstream(file) << text;
    EXPECT_FALSE(readOutcome(file, run, result.trials)) << text;
  }
}

} // namespace
