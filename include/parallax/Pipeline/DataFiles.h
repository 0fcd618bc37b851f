//===- DataFiles.h - What a configuration reads ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Results that are kept for later are only good as long as the files are the
// same.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_DATAFILES_H
#define PARALLAX_PIPELINE_DATAFILES_H

#include "parallax/Config/BuildConfig.h"

#include <filesystem>
#include <functional>

namespace parallax {

/// The files that fields of a configuration name, and all files of the folders
/// among them, in the order of their names. `isWanted` gets fields as
/// "evaluation.labels".
std::vector<std::filesystem::path>
filesNamedIn(BuildConfig config,
             const std::function<bool(std::string_view field)> &isWanted);

} // namespace parallax

#endif // PARALLAX_PIPELINE_DATAFILES_H
