//===- ShowCase.h - What is in a case ----------------------------*- C++
//-*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// For people who have received one.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CASE_SHOWCASE_H
#define PARALLAX_CASE_SHOWCASE_H

#include "parallax/Case/Manifest.h"
#include "parallax/Report/Table.h"

#include <filesystem>

namespace parallax {

/// What a case is about, and a table of its parts or of all of its files.
/// `path` is the file or the folder that the manifest is from.
std::string describeCase(const std::filesystem::path &path,
                         const CaseManifest &manifest, bool withFiles,
                         const TableStyle &style);

} // namespace parallax

#endif // PARALLAX_CASE_SHOWCASE_H
