//===- CaseTestSupport.h - Cases made by tests -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A small case as a folder, and case files that nobody would pack who means
// well.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_CASE_CASETESTSUPPORT_H
#define PARALLAX_TEST_UNIT_CASE_CASETESTSUPPORT_H

#include "../../../lib/Case/SealedFile.h"
#include "../Data/DataTestSupport.h"
#include "parallax/Case/CaseFile.h"

#include <map>

namespace parallax {

/// Contents by path.
using Files = std::map<std::string, std::string>;

inline std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Bytes that do not compress.
inline std::string noise(size_t size) {
  std::string bytes(size, '\0');
  uint32_t state = 1;
  for (char &byte : bytes)
    byte = char((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

inline Files sampleFiles() {
  return {{"config.json", "{\"input\": \"model/net.onnx\"}\n"},
          {"ticket.md", "# A problem\n"},
          {"model/net.onnx", noise(700)},
          {"data/入力 é/0000.npy", std::string(300, 'a')},
          {"expected/build.log", ""}};
}

inline CaseManifest sampleManifest() {
  CaseManifest manifest;
  manifest.tool = {"1.2.3", "Clang 22", "0123456789ab"};
  manifest.command = "parallax build --config config.json";
  manifest.verdict = "Conv_3 loses precision: cosine 0.9";
  manifest.replaced = {"weights"};
  return manifest;
}

/// The manifest that belongs to `files`.
inline CaseManifest manifestOf(const Files &files) {
  CaseManifest manifest = sampleManifest();
  for (const auto &[path, contents] : files)
    manifest.files.push_back(
        {path, contents.size(), sha256Of(bytesOf(contents))});
  return manifest;
}

/// All files below a folder.
inline Files filesBelow(const std::filesystem::path &folder) {
  Files files;
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(folder))
    if (!entry.is_directory())
      files[entry.path().lexically_relative(folder).string()] =
          contentsOf(entry.path());
  return files;
}

/// A folder with `files` and their manifest.
inline std::filesystem::path stage(const TempDir &dir, const std::string &name,
                                   const Files &files = sampleFiles()) {
  for (const auto &[path, contents] : files)
    dir.write(name + "/" + path, contents);
  writeManifest(dir / name, sampleManifest());
  return dir / name;
}

/// Seals the bytes of a zip file, whatever they are.
inline std::filesystem::path seal(const std::filesystem::path &path,
                                  std::string_view zip) {
  SealedFile file(path);
  file.write(bytesOf(zip));
  file.commit();
  return path;
}

/// The bytes of a zip file without a seal.
inline std::string zipOf(const TempDir &dir,
                         const std::vector<PackedEntry> &entries) {
  return contentsOf(pack(dir / "unsealed.zip", Packing::Zip, entries));
}

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_CASE_CASETESTSUPPORT_H
