//===- CaseFile.cpp - A case as one file ----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A case file and the folder of an unpacked one are held against the manifest
// by the same code: first which files there are, then what is in them.
//===----------------------------------------------------------------------===//
#include "parallax/Case/CaseFile.h"
#include "SealedFile.h"
#include "ZipWriter.h"

#include "parallax/Data/Archive.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

namespace fs = std::filesystem;

namespace parallax {
namespace {

/// A line of a manifest has some hundred bytes.
constexpr uint64_t maxManifestSize = 64 << 20;

/// A weight file may be large, but all of a case compresses this well only if
/// it is small or if it is meant to fill a disk.
ArchiveLimits caseLimits() {
  ArchiveLimits limits;
  limits.entryBytes = limits.totalBytes;
  limits.ratioFloor = 256 << 20;
  return limits;
}

std::string inQuotes(const std::string &path) {
  return fmt::format("'{}'", elide(path, 80));
}

/// The files below a folder, in the order of the bytes of their paths.
std::vector<FileEntry> listFolder(const fs::path &folder) {
  std::vector<FileEntry> files;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(folder)) {
    fs::file_type type = entry.symlink_status().type();
    if (type == fs::file_type::directory)
      continue;
    std::string path = entry.path().lexically_relative(folder).generic_string();
    if (type != fs::file_type::regular)
      refuseCase(
          folder,
          fmt::format("{} in it is a link or a device; put the file there",
                      inQuotes(path)));
    files.push_back({path, entry.file_size()});
  }
  std::sort(
      files.begin(), files.end(),
      [](const FileEntry &a, const FileEntry &b) { return a.path < b.path; });
  return files;
}

/// The manifest has every file, and nothing that is not there. Both lists are
/// sorted.
void checkListing(const fs::path &path, const CaseManifest &manifest,
                  const std::vector<FileEntry> &found) {
  auto listed = manifest.files.begin();
  for (const FileEntry &file : found) {
    if (file.path == manifestName)
      continue;
    if (listed == manifest.files.end() || file.path < listed->path)
      refuseCase(path, fmt::format("{} is in it, which its {} does not list",
                                   inQuotes(file.path), manifestName));
    if (file.path > listed->path)
      break;
    if (file.size != listed->size)
      refuseCase(path, fmt::format("{} in it has {} bytes where its {} says {}",
                                   inQuotes(file.path), file.size, manifestName,
                                   listed->size));
    ++listed;
  }
  if (listed != manifest.files.end())
    refuseCase(path, fmt::format("{} is missing in it, which its {} lists",
                                 inQuotes(listed->path), manifestName));
}

void checkDigest(const fs::path &path, const CaseEntry &entry,
                 const std::string &digest) {
  if (digest != entry.sha256)
    refuseCase(path,
               fmt::format("{} in it was changed: its SHA-256 is {}, and the "
                           "{} says {}",
                           inQuotes(entry.path), digest, manifestName,
                           entry.sha256));
}

CaseManifest readFolder(const fs::path &folder) {
  if (!fs::is_regular_file(folder / manifestName))
    refuseCase(folder, fmt::format("there is no {} in it, so it is no case",
                                   manifestName));
  CaseManifest manifest = parseManifest(
      MappedFile::open(folder / manifestName)->text(), folder.string());
  checkListing(folder, manifest, listFolder(folder));
  return manifest;
}

CaseManifest readFile(const fs::path &file) {
  requireSeal(file);
  FileIndex index = Archive(file, caseLimits()).index();
  if (!index.skipped.empty())
    refuseCase(file, fmt::format("{}, and a case has plain files only",
                                 index.skipped.front()));
  auto isManifest = [](const FileEntry &entry) {
    return entry.path == manifestName;
  };
  if (std::none_of(index.files.begin(), index.files.end(), isManifest))
    refuseCase(file, fmt::format("there is no {} in it, so it is no case",
                                 manifestName));
  ArchiveLimits limits = caseLimits();
  limits.entryBytes = maxManifestSize;
  std::vector<std::byte> bytes =
      Archive(file, limits).read(std::string(manifestName));
  CaseManifest manifest = parseManifest(
      {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
      file.string());
  checkListing(file, manifest, index.files);
  return manifest;
}

/// Holds the files of an archive against the manifest, and writes them below a
/// folder if there is one.
class CaseVisitor : public ArchiveVisitor {
public:
  CaseVisitor(const fs::path &file, const CaseManifest &manifest,
              std::optional<fs::path> folder)
      : file(file), manifest(manifest), folder(std::move(folder)) {}

  void begin(const FileEntry &entry) override {
    current = nullptr;
    if (entry.path != manifestName) {
      auto found = std::lower_bound(
          manifest.files.begin(), manifest.files.end(), entry.path,
          [](const CaseEntry &a, const auto &path) { return a.path < path; });
      if (found == manifest.files.end() || found->path != entry.path)
        refuseCase(file, "it changed while it was read");
      current = &*found;
    }
    if (folder)
      output.emplace(*folder / entry.path);
  }

  void take(std::span<const std::byte> part) override {
    digest.update(part);
    if (output)
      output->write(part);
  }

  void end() override {
    std::string found = digest.finish();
    if (current)
      checkDigest(file, *current, found);
    if (output)
      output->commit();
    output.reset();
  }

private:
  const fs::path &file;
  const CaseManifest &manifest;
  std::optional<fs::path> folder;
  /// Null for the manifest, which does not list itself.
  const CaseEntry *current = nullptr;
  Sha256 digest;
  std::optional<AtomicFile> output;
};

/// A folder beside its final place, removed unless it gets there.
class AtomicFolder {
public:
  /// `path` does not end with '/'.
  explicit AtomicFolder(const fs::path &path) : target(path) {
    createParentDirectories(target);
    std::error_code error;
    do
      temporary = temporaryPath(target.parent_path(), "folder");
    while (!fs::create_directory(temporary, error) && !error);
    if (error)
      fail(error);
  }
  AtomicFolder(const AtomicFolder &) = delete;
  AtomicFolder &operator=(const AtomicFolder &) = delete;
  ~AtomicFolder() {
    std::error_code ignored;
    if (!temporary.empty())
      fs::remove_all(temporary, ignored);
  }

  const fs::path &path() const { return temporary; }

  void commit() {
    std::error_code error;
    fs::rename(temporary, target, error);
    if (error)
      fail(error);
    temporary.clear();
  }

private:
  [[noreturn]] void fail(std::error_code error) const {
    throw Error(fmt::format("cannot create the folder '{}': {}",
                            target.string(), error.message()));
  }

  fs::path target, temporary;
};

/// Packs one file of a folder, and returns its digest.
std::string packFile(ZipWriter &zip, const fs::path &folder,
                     const std::string &path) {
  std::shared_ptr<MappedFile> file = MappedFile::open(folder / path);
  std::span<const std::byte> bytes = file->bytes();
  zip.begin(path, bytes.size());
  zip.write(bytes);
  return sha256Of(bytes);
}

} // namespace

CaseManifest writeManifest(const fs::path &folder, CaseManifest manifest) {
  manifest.files.clear();
  for (const FileEntry &file : listFolder(folder)) {
    if (file.path == manifestName)
      continue;
    if (std::string_view problem = problemOfPath(file.path); !problem.empty())
      throw Error(fmt::format("{} in '{}' can't be part of a case, because its "
                              "name {}; rename the file",
                              inQuotes(file.path), folder.string(), problem));
    manifest.files.push_back(
        {file.path, file.size, sha256OfFile(folder / file.path)});
  }
  writeFileAtomically(folder / manifestName, toJson(manifest));
  return manifest;
}

void writeCase(const fs::path &folder, const fs::path &file) {
  CaseManifest manifest = readFolder(folder);
  SealedFile output(file);
  ZipWriter zip([&](std::span<const std::byte> bytes) { output.write(bytes); });
  // What the case is stands at its beginning.
  packFile(zip, folder, std::string(manifestName));
  for (const CaseEntry &entry : manifest.files)
    checkDigest(folder, entry, packFile(zip, folder, entry.path));
  zip.finish();
  ArchiveLimits limits = caseLimits();
  if (manifest.totalSize() >
      std::max(limits.ratioFloor, output.size() * limits.ratio))
    throw Error(fmt::format(
        "cannot write '{}': its files have {} bytes that compress to {}, and "
        "no reader would trust that; take smaller or less uniform data",
        file.string(), manifest.totalSize(), output.size()));
  output.commit();
}

CaseManifest readManifest(const fs::path &path) {
  return fs::is_directory(path) ? readFolder(path) : readFile(path);
}

CaseManifest verifyCase(const fs::path &path) {
  if (!fs::is_directory(path)) {
    checkSeal(path);
    CaseManifest manifest = readFile(path);
    CaseVisitor visitor(path, manifest, std::nullopt);
    Archive(path, caseLimits()).visit(visitor);
    return manifest;
  }
  CaseManifest manifest = readFolder(path);
  for (const CaseEntry &entry : manifest.files)
    checkDigest(path, entry, sha256OfFile(path / entry.path));
  return manifest;
}

CaseManifest unpackCase(const fs::path &file, const fs::path &folder) {
  fs::path target = folder.lexically_normal();
  if (!target.has_filename())
    target = target.parent_path();
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(target, ignored)))
    throw Error(fmt::format("cannot unpack into '{}': it exists already; give "
                            "a folder that does not",
                            folder.string()));
  checkSeal(file);
  CaseManifest manifest = readFile(file);
  AtomicFolder output(target);
  CaseVisitor visitor(file, manifest, output.path());
  Archive(file, caseLimits()).visit(visitor);
  output.commit();
  return manifest;
}

} // namespace parallax
