//===- WithoutPageTest.cpp - A program without the page of reports --------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A computer that can't reach npm's registry builds such a program: all works
// but the report, and both a build and who asks for a report are told why.
//===----------------------------------------------------------------------===//
#include "../../../lib/Report/ReportPage.h"
#include "../Pipeline/Quickstart.h"
#include "../Support/TempDir.h"
#include "parallax/Pipeline/WriteReport.h"

#include <gtest/gtest.h>

/// The linker takes this one before it looks into the library.
std::string_view parallax::reportPage() { return {}; }

using namespace parallax;
namespace fs = std::filesystem;

namespace {

class Messages : public Listener {
public:
  void onMessage(LogLevel, std::string_view text) override {
    all += std::string(text) + "\n";
  }
  void onResult(std::string_view) override {}

  std::string all;
};

} // namespace

TEST(WithoutPage, BuildsEndWellAndSayWhatIsMissing) {
  TempDir dir;
  CompileOptions options = quickstart(dir / "out");
  options.overrides = {{"quant.precision_analysis", {"true"}}};
  Messages messages;
  CompileResult result = compile(options, &messages);
  EXPECT_TRUE(fs::is_regular_file(result.files.compiledModel));
  EXPECT_TRUE(fs::is_regular_file(result.files.analysisJson));
  EXPECT_FALSE(fs::exists(dir / "out/report.html"));
  EXPECT_NE(messages.all.find("no report.html: this program was built without "
                              "the page of reports"),
            std::string::npos);

  fs::path folder = dir / "out";
  expectError([&] { writeReport(std::span(&folder, 1), dir / "own.html"); },
              "built without the page of reports");
  EXPECT_FALSE(fs::exists(dir / "own.html"));
}
