//===- Case.cpp - The subcommand `parallax case` --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A table of what can be done with a case, nothing else.
//===----------------------------------------------------------------------===//
#include "Case.h"
#include "../common/SubcommandTable.h"

namespace parallax {

static constexpr Subcommand caseSubcommands[] = {
    {"pack", "pack a build into a case", runCasePack},
    {"replay", "build a case and compare it with what it expects",
     runCaseReplay},
    {"reduce", "make a case as small as its problem allows", runCaseReduce},
    {"show", "show what is in a case, without unpacking it", runCaseShow},
    {"verify", "check that a case is as it was packed", runCaseVerify},
};

int runCaseCommand(int argc, char **argv) {
  constexpr SubcommandTable table = {
      "Cases: all that it takes to see a problem again, in one file",
      "parallax case", caseSubcommands};
  return table.dispatch(argc, argv);
}

} // namespace parallax
