//===- EvaluationFilesTest.cpp - Results of one evaluation ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The files of an evaluation replace those of the one before: all of them, or
// there are no figures.
//===----------------------------------------------------------------------===//
#include "../Support/TempDir.h"
#include "parallax/Pipeline/Evaluation.h"
#include "parallax/Pipeline/OutputFiles.h"

#include <gtest/gtest.h>

using namespace parallax;
namespace fs = std::filesystem;

namespace {

class EvaluationFiles : public testing::Test {
protected:
  static Accuracy accuracyOf(double value) {
    Accuracy accuracy;
    accuracy.networks = {{"Float", {{"top1", "top-1", true, {value}}}}};
    return accuracy;
  }

  TempDir dir;
  OutputFiles files{dir.path()};
};

TEST_F(EvaluationFiles, ReplaceThoseOfTheOneBefore) {
  Accuracy first = accuracyOf(0.25);
  first.changed = {{"a", "1", "1", "2", 1, {{"x"}}, {{"x"}}, {}}};
  reportAccuracy(first, "sample\na\n", dir.path());
  ASSERT_TRUE(fs::exists(files.answers()));
  ASSERT_TRUE(fs::exists(files.changedAnswers()));
  // A command gives figures alone.
  reportAccuracy(accuracyOf(0.75), "", dir.path());
  EXPECT_NE(contentsOf(files.accuracyJson()).find("0.75"), std::string::npos);
  EXPECT_FALSE(fs::exists(files.answers()));
  EXPECT_FALSE(fs::exists(files.changedAnswers()));
}

TEST_F(EvaluationFiles, LeaveNoFiguresWithoutTheirAnswers) {
  reportAccuracy(accuracyOf(0.25), "sample\na\n", dir.path());
  ASSERT_TRUE(fs::exists(files.accuracyJson()));
  fs::remove(files.answers());
  fs::create_directories(files.answers() / "in the way");
  EXPECT_THROW(reportAccuracy(accuracyOf(0.75), "sample\nb\n", dir.path()),
               Error);
  EXPECT_FALSE(fs::exists(files.accuracyJson()));
}

} // namespace
