//===- Report.h - The subcommand `parallax report` -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Declares what the table of subcommands calls.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TOOLS_REPORT_REPORT_H
#define PARALLAX_TOOLS_REPORT_REPORT_H

namespace parallax {

int runReport(int argc, char **argv);

} // namespace parallax

#endif // PARALLAX_TOOLS_REPORT_REPORT_H
