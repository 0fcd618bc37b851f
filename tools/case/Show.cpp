//===- Show.cpp - `parallax case show` and `parallax case verify` ---------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Options; lib/Case/ShowCase.cpp has the words.
//===----------------------------------------------------------------------===//
#include "../common/Subcommand.h"
#include "Case.h"

#include "parallax/Case/CaseFile.h"
#include "parallax/Case/ShowCase.h"
#include "parallax/Support/Log.h"
#include "parallax/Support/Unicode.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace parallax {
namespace {

struct ShowFlags {
  std::string path;
  bool files = false, json = false;
  CommonOptions common;
};

int show(const ShowFlags &options) {
  CaseManifest manifest = readManifest(options.path);
  showResult(options.json ? toJson(manifest)
                          : describeCase(options.path, manifest, options.files,
                                         currentListener().style()));
  return 0;
}

int verify(const ShowFlags &options) {
  CaseManifest manifest = verifyCase(options.path);
  showResult(fmt::format("{}: all {} files are as they were packed\n",
                         printable(options.path), manifest.files.size()));
  return 0;
}

void addCase(CLI::App &app, ShowFlags &options) {
  app.add_option("case", options.path, "a .plxcase file, or its folder")
      ->required()
      ->type_name("CASE");
}

} // namespace

int runCaseShow(int argc, char **argv) {
  ShowFlags options;
  CLI::App app("Shows what a case is about and what is in it, without "
               "unpacking it. Names and sizes are checked, contents are not: "
               "'parallax case verify' does that.",
               "parallax case show");
  addCase(app, options);
  app.add_flag("--files", options.files,
               "list every file with its size and digest");
  app.add_flag("--json", options.json, "print the manifest");
  app.footer("\nExit code: 0, or 2 if it is not a case that can be read.\n"
             "Example:\n  parallax case show wrong-class.plxcase --files");
  return runSubcommand(app, options.common, argc, argv,
                       [&] { return show(options); });
}

int runCaseVerify(int argc, char **argv) {
  ShowFlags options;
  CLI::App app("Checks that every byte of a case is as it was packed, without "
               "unpacking it.",
               "parallax case verify");
  addCase(app, options);
  app.footer("\nExit code: 0 if it is, 2 if it is not or is no case.\n"
             "Example:\n  parallax case verify wrong-class.plxcase");
  return runSubcommand(app, options.common, argc, argv,
                       [&] { return verify(options); });
}

} // namespace parallax
