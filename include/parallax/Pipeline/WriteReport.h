//===- WriteReport.h - Output folders as a page to look at -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The page shows what the files of an output folder say, so it can be written
// at the end of a build, and again at any time later.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_WRITEREPORT_H
#define PARALLAX_PIPELINE_WRITEREPORT_H

#include <filesystem>
#include <span>

namespace parallax {

struct Calibration;

/// Writes report.html of an output folder into it, and says so. A program
/// without the page only says why there is none. `calibration` is what the file
/// of that name has, where it need not be read.
void writeReport(const std::filesystem::path &folder,
                 const Calibration *calibration = nullptr);

/// Writes one page about one folder, or about two to compare. Throws Error if a
/// folder has nothing to show, or files of a build that has not finished.
void writeReport(std::span<const std::filesystem::path> folders,
                 const std::filesystem::path &file);

} // namespace parallax

#endif // PARALLAX_PIPELINE_WRITEREPORT_H
