//===- FuzzCase.cpp - Hostile case files ----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes, as a case file with a valid seal and as the manifest of one, must
// end as a case or as an Error. Whatever happens, nothing is written but the
// folder that was asked for, and that only as a whole.
//===----------------------------------------------------------------------===//
#include "../../lib/Case/SealedFile.h"
#include "../../lib/Case/ZipWriter.h"
#include "parallax/Analysis/Evidence.h"
#include "parallax/Case/CaseFile.h"
#include "parallax/Support/Error.h"

#include <cstdio>
#include <cstdlib>

using namespace parallax;
namespace fs = std::filesystem;

namespace {

using Bytes = std::span<const std::byte>;

/// In memory, because every attempt writes files.
class Folder {
public:
  Folder() {
    char pattern[] = "/dev/shm/parallax-fuzz-XXXXXX";
    if (!::mkdtemp(pattern))
      std::abort();
    root = pattern;
  }
  ~Folder() { fs::remove_all(root); }

  fs::path file() const { return root / "fuzz.plxcase"; }
  fs::path target() const { return root / "out"; }
  size_t entryCount() const {
    return size_t(std::distance(fs::directory_iterator(root), {}));
  }

private:
  fs::path root;
};

void require(bool isTrue, const char *what) {
  if (isTrue)
    return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void readCase(const Folder &folder) {
  bool isVerified = false, isUnpacked = false;
  try {
    CaseManifest manifest = verifyCase(folder.file());
    isVerified = true;
    unpackCase(folder.file(), folder.target());
    isUnpacked = true;
    require(verifyCase(folder.target()) == manifest,
            "what was unpacked is not what was verified");
  } catch (const Error &) {
    require(!isUnpacked, "what was unpacked can't be read");
    require(!fs::exists(folder.target()), "a failure left a folder");
  }
  require(folder.entryCount() == (isUnpacked ? 2 : 1),
          "something was written beside the folder");
  fs::remove_all(folder.target());
  try {
    readManifest(folder.file());
  } catch (const Error &) {
    require(!isVerified, "the manifest of a good case can't be read");
  }
}

void write(const Folder &folder, Bytes zip) {
  SealedFile file(folder.file());
  file.write(zip);
  file.commit();
}

/// A case with this manifest and the files of the seeds.
void writeWithManifest(const Folder &folder, Bytes manifest) {
  SealedFile file(folder.file());
  ZipWriter zip([&](Bytes bytes) { file.write(bytes); });
  zip.begin(std::string(manifestName), manifest.size());
  zip.write(manifest);
  for (std::string_view path : {"config.json", "model/net.onnx"}) {
    Bytes contents = std::as_bytes(std::span(path));
    zip.begin(std::string(path), contents.size());
    zip.write(contents);
  }
  zip.finish();
  file.commit();
}

void parse(std::string_view text) {
  CaseManifest manifest;
  try {
    manifest = parseManifest(text, "fuzz.plxcase");
  } catch (const Error &) {
    return;
  }
  require(parseManifest(toJson(manifest), "fuzz.plxcase") == manifest,
          "a manifest changes when it is written");
}

void parseTensors(std::string_view text) {
  Evidence evidence;
  try {
    evidence = parseEvidence(text, "tensors.json");
  } catch (const Error &) {
    return;
  }
  // Names that are no UTF-8 are changed when they are written, once.
  std::string written = toJson(evidence);
  require(toJson(parseEvidence(written, "tensors.json")) == written,
          "digests change when they are written");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Folder folder;
  Bytes bytes = std::as_bytes(std::span(data, size));
  write(folder, bytes);
  readCase(folder);
  // A zip file is no manifest.
  if (size > 0 && data[0] == 'P')
    return 0;
  std::string_view text(reinterpret_cast<const char *>(data), size);
  parse(text);
  parseTensors(text);
  writeWithManifest(folder, bytes);
  readCase(folder);
  return 0;
}
