//===- HtmlReport.h - One page to look at ----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The page of web/ with the files of one build, or of two to compare: one file
// that any browser opens, without a server and without a network.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_REPORT_HTMLREPORT_H
#define PARALLAX_REPORT_HTMLREPORT_H

#include <span>
#include <string>
#include <vector>

namespace parallax {

/// A file of a build as the page knows it, below the output folder.
struct ReportedFile {
  std::string name, text;
};
using ReportedBuild = std::vector<ReportedFile>;

/// Whether this program has the page: it is made with packages from npm, and a
/// computer without a network builds the program without it.
bool hasReportPage();

/// What to tell those who ask for a report that can't be written.
std::string whyNoReportPage();

/// The whole page. Throws Error if there is none.
std::string htmlReport(std::span<const ReportedBuild> builds);

} // namespace parallax

#endif // PARALLAX_REPORT_HTMLREPORT_H
