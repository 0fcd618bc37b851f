//===- ReportPicturesTest.cpp - Where pictures of samples are found -------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Samples may be gone or out of reach, which must not cost anybody a report.
//===----------------------------------------------------------------------===//
#include "../../../lib/Pipeline/ReportSummaries.h"
#include "../Support/TempDir.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

using namespace parallax;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

Json contextWith(const fs::path &dataset) {
  return {{"quant",
           {{"input_configs", {{{"calibration_dataset", dataset.string()}}}}}}};
}

Calibration calibrationBy(const std::string &sample) {
  Calibration calibration;
  calibration.tensors.push_back({});
  calibration.tensors.back().maxSample = sample;
  return calibration;
}

/// No file can be opened while it lives.
class NoFiles {
public:
  NoFiles() {
    ::getrlimit(RLIMIT_NOFILE, &before);
    rlimit none{0, before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  NoFiles(const NoFiles &) = delete;
  NoFiles &operator=(const NoFiles &) = delete;
  ~NoFiles() { ::setrlimit(RLIMIT_NOFILE, &before); }

private:
  rlimit before{};
};

} // namespace

TEST(ReportPictures, FolderThatCannotBeListedCostsOnlyItsPictures) {
  TempDir dir;
  dir.write("samples/a.jpg", "no picture");
  Calibration calibration = calibrationBy("a");
  SampleFolders folders(dir.path(), contextWith(dir / "samples"), Json());
  NoFiles none;
  EXPECT_EQ(picturesOf(folders, Json::object(), &calibration), Json::array());
}

TEST(ReportPictures, PathsAreRelativeToTheFolderOfTheBuild) {
  TempDir dir;
  dir.write("started/samples/a.jpg", "");
  Json command{{"folder", (dir / "started").string()}};
  SampleFolders folders(dir.path(), contextWith("samples"), command);
  EXPECT_EQ(folders.calibration, fs::path(dir / "started/samples"));
}

TEST(ReportPictures, ArchivesAreLookedForWhereTheyAreUnpacked) {
  TempDir dir;
  dir.write("samples.tar", "");
  Json context = contextWith("samples.tar");
  Json command{{"folder", dir.path().string()}};
  SampleFolders folders(dir / "out", context, command);
  EXPECT_EQ(folders.calibration, fs::path(dir / "out/quant/dataset"));
  context["work_dir"] = (dir / "work").string();
  SampleFolders elsewhere(dir / "out", context, command);
  EXPECT_EQ(elsewhere.calibration, fs::path(dir / "work/quant/dataset"));
}
