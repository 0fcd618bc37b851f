//===- Case.h - The subcommand `parallax case` -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Reproducible cases: what a user sends to somebody who has to find out why a
// network lost its precision.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_CASE_CASE_H
#define PARALLAX_TOOLS_CASE_CASE_H

namespace parallax {

int runCaseCommand(int argc, char **argv);

int runCasePack(int argc, char **argv);
int runCaseReduce(int argc, char **argv);
int runCaseReplay(int argc, char **argv);
int runCaseShow(int argc, char **argv);
int runCaseVerify(int argc, char **argv);

} // namespace parallax

#endif // PARALLAX_TOOLS_CASE_CASE_H
