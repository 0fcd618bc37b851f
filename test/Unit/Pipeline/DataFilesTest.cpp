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

TEST(DataFiles, ResultsBesidePicturesAreNoData) {
  TempDir dir;
  auto write = [&](const char *name, const char *text) {
    fs::create_directories((dir / name).parent_path());
    std::ofstream(dir / name) << text;
  };
  write("cats/1.jpg", "cat");
  BuildConfig config;
  config.evaluation.images = dir.path().string();
  config.outputDir = (dir / "out").string();
  auto digest = [&] {
    return digestOfFiles(config, [](std::string_view field) {
      return field.starts_with("evaluation.");
    });
  };
  std::string before = digest();
  write("out/evaluation/accuracy.json", "{}");
  EXPECT_EQ(digest(), before);
  write("cats/1.jpg", "another cat");
  EXPECT_NE(digest(), before);
}

} // namespace
