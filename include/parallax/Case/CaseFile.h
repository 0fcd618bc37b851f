//===- CaseFile.h - A case as one file -------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A case is a folder, and one file of it is sent. That is a zip file, which any
// program unpacks, with the manifest first and a seal as its comment: the
// digest of all bytes before it. What was damaged, cut off or forged on the way
// is refused before anything of it is used.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CASE_CASEFILE_H
#define PARALLAX_CASE_CASEFILE_H

#include "parallax/Case/Manifest.h"

#include <filesystem>

namespace parallax {

/// Lists the files of a folder in `manifest`, with their digests, and writes it
/// there. Throws Error for links and other things that are not files, and for
/// names that no case can have.
CaseManifest writeManifest(const std::filesystem::path &folder,
                           CaseManifest manifest);

/// Packs a folder whose manifest is complete. The same files give the same
/// bytes, whoever packs them, when and where; only another version of zlib may
/// compress differently. `file` appears complete or not at all. Throws Error if
/// the folder does not match its manifest.
void writeCase(const std::filesystem::path &folder,
               const std::filesystem::path &file);

/// The manifest of a case file or of the folder of an unpacked one. The names
/// and sizes of all files are as it says, their contents were not looked at.
/// Throws Error, in one sentence that names the case.
CaseManifest readManifest(const std::filesystem::path &path);

/// The same, and the contents are as the manifest says. Nothing is written.
CaseManifest verifyCase(const std::filesystem::path &path);

/// Unpacks into `folder`, which must not exist and appears complete or not at
/// all. Throws Error as verifyCase does.
CaseManifest unpackCase(const std::filesystem::path &file,
                        const std::filesystem::path &folder);

} // namespace parallax

#endif // PARALLAX_CASE_CASEFILE_H
