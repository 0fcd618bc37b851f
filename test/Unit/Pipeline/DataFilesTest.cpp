//===- DataFilesTest.cpp - What a configuration reads ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Pictures that change are noticed, and our own results among them are not
// taken for pictures.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/DataFiles.h"
#include "../Support/TempDir.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace parallax;
namespace fs = std::filesystem;

namespace {

class DataFiles : public testing::Test {
protected:
  void write(const char *name, const char *text) {
    fs::create_directories((dir / name).parent_path());
    std::ofstream(dir / name) << text;
  }
  std::string digest() const {
    return digestOfFiles(config, [](std::string_view field) {
      return field.starts_with("evaluation.");
    });
  }
  /// Whether a file counts as data.
  void expectNoticed(const char *name) {
    std::string before = digest();
    write(name, "another cat");
    EXPECT_NE(digest(), before);
  }

  TempDir dir;
  BuildConfig config;
};

TEST_F(DataFiles, ResultsBesidePicturesAreNoData) {
  write("cats/1.jpg", "cat");
  config.evaluation.images = dir.path().string();
  config.outputDir = (dir / "out").string();
  std::string before = digest();
  write("out/evaluation/accuracy.json", "{}");
  EXPECT_EQ(digest(), before);
  expectNoticed("cats/1.jpg");
}

TEST_F(DataFiles, PicturesBelowTheResultsAreData) {
  write("data/1.jpg", "cat");
  config.evaluation.images = (dir / "data").string();
  config.outputDir = dir.path().string();
  expectNoticed("data/1.jpg");
}

TEST_F(DataFiles, FoldersOfClassesMayBeLinks) {
  write("elsewhere/1.jpg", "cat");
  write("classes/dogs/1.jpg", "dog");
  fs::create_directory_symlink(dir / "elsewhere", dir / "classes/cats");
  // Others are not followed: this one leads in a circle.
  fs::create_directory_symlink(dir / "elsewhere", dir / "elsewhere/again");
  config.evaluation.images = (dir / "classes").string();
  expectNoticed("elsewhere/1.jpg");
}

TEST_F(DataFiles, PicturesBehindABrokenLinkAreSeen) {
  write("data/a/1.jpg", "cat");
  for (const char *name : {"data/broken", "data/a/0"})
    fs::create_symlink("nowhere", dir / name);
  config.evaluation.images = (dir / "data").string();
  expectNoticed("data/a/1.jpg");
}

TEST_F(DataFiles, PicturesOfAListCount) {
  write("elsewhere/1.jpg", "cat");
  write("lists/all.txt", "../elsewhere/1.jpg 3\n");
  config.evaluation.task = EvaluationTask::Classification;
  config.evaluation.images = (dir / "lists/all.txt").string();
  expectNoticed("elsewhere/1.jpg");
}

} // namespace
