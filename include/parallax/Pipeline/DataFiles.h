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

#include <functional>
#include <string>
#include <string_view>

namespace parallax {

/// Stands for the files that fields of a configuration name, for all files of
/// the folders among them, and for the pictures of a list: their names, sizes
/// and times, since data may be too large to read it twice. An output folder
/// beside the data does not belong to it. `isWanted` gets fields as
/// "evaluation.labels".
std::string
digestOfFiles(BuildConfig config,
              const std::function<bool(std::string_view field)> &isWanted);

} // namespace parallax

#endif // PARALLAX_PIPELINE_DATAFILES_H
