//===- CaseBuildTest.cpp - Builds of cases that can't write ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A program of a few lines stands for the build.
//===----------------------------------------------------------------------===//
#include "../Support/TempDir.h"
#include "parallax/Case/PackCase.h"
#include "parallax/Support/AtomicFile.h"

#include <fmt/format.h>

using namespace parallax;
namespace fs = std::filesystem;

namespace {

/// What packing says about a build that prints a text and fails, without the
/// names of folders.
std::string packed(const std::string &printed) {
  TempDir folder;
  fs::path program = folder.write(
      "program", fmt::format("#!/bin/sh\nprintf \"{}\"\nexit 2\n", printed));
  fs::permissions(program, fs::perms::owner_all);
  PackRequest request;
  request.build.config.input = folder.write("model.onnx", "rubbish").string();
  request.build.config.targetHardware = "generic";
  request.caseFile = folder / "a.plxcase";
  request.builder.program = program;
  try {
    std::string verdict = packCase(request);
    EXPECT_TRUE(fs::exists(request.caseFile));
    return verdict;
  } catch (const WriteError &error) {
    EXPECT_FALSE(fs::exists(request.caseFile));
    std::string text = error.what();
    return "refused" + text.substr(text.find("': "));
  }
}

TEST(CaseBuild, AFullDiskIsNoProblemOfTheCase) {
  EXPECT_EQ(packed("error: layer 'a' is wrong\n"),
            "the build fails: error: layer 'a' is wrong");
  EXPECT_EQ(packed("error: cannot write 'output/x': No space left on device\n"),
            "refused': cannot write 'output/x': No space left on device");
  EXPECT_EQ(packed("error: cannot create the folder 'output': Disk quota "
                   "exceeded\n"),
            "refused': cannot create the folder 'output': Disk quota exceeded");
  // The text of the build is on the same disk.
  const char *lost =
      "refused': what it says could not be written; is the disk full?";
  EXPECT_EQ(packed("0 rewrites in 0.00 s"), lost);
  EXPECT_EQ(packed("error: not all results could be written to standard "
                   "output; is the disk full?\n"),
            lost);
}

} // namespace
