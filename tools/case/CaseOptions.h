//===- CaseOptions.h - Options of several subcommands ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What `case pack` and `case reduce` ask for in the same words.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_CASE_CASEOPTIONS_H
#define PARALLAX_TOOLS_CASE_CASEOPTIONS_H

namespace CLI {
class App;
} // namespace CLI

namespace parallax {

struct Concealment;
struct TicketAnswers;

void addTicketOptions(CLI::App &app, TicketAnswers &answers);
void addConcealOptions(CLI::App &app, Concealment &conceal);

} // namespace parallax

#endif // PARALLAX_TOOLS_CASE_CASEOPTIONS_H
