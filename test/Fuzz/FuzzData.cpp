//===- FuzzData.cpp - Hostile calibration data ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes, read as an archive, as a dict of arrays, as the header of a
// picture and as labels, must end as data or as an Error. All else is a
// finding.
//===----------------------------------------------------------------------===//
#include "../../lib/Evaluate/Labels.h"

#include "parallax/Data/Archive.h"
#include "parallax/Data/Image.h"
#include "parallax/Data/NumPyObject.h"
#include "parallax/Support/Error.h"

using namespace parallax;

namespace {

using Bytes = std::span<const std::byte>;

template <typename Fn> void attempt(Fn &&fn) {
  try {
    fn();
  } catch (const Error &) {
  }
}

void readArchive(Bytes bytes) {
  // Small enough that the time goes into the formats and not into copying.
  ArchiveLimits limits;
  limits.entries = 1000;
  limits.entryBytes = 1 << 20;
  limits.ratioFloor = 1 << 22;
  limits.totalBytes = 1 << 24;
  Archive archive(bytes, "fuzz.tar", limits);
  FileIndex index = archive.index();
  for (size_t file = 0; file < std::min<size_t>(index.files.size(), 3); ++file)
    attempt([&] { archive.read(index.files[file].path); });
}

void readObject(Bytes bytes) {
  NumPyObject object(bytes, "fuzz.npy");
  for (const std::string &name : object.names())
    attempt([&] { object.array(name); });
}

void readLabels(Bytes bytes) {
  tasks::LabelText file{
      {reinterpret_cast<const char *>(bytes.data()), bytes.size()}, "fuzz"};
  attempt([&] { tasks::parseYolo(file, 80); });
  attempt([&] { tasks::parseClassNames({file.text, "data.yaml"}); });
  attempt([&] { tasks::parseCoco(file); });
  attempt(
      [&] { tasks::parseList(file, tasks::listsPairs(file.text) ? 2 : 1); });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Bytes bytes = std::as_bytes(std::span(data, size));
  attempt([&] { readArchive(bytes); });
  attempt([&] { readObject(bytes); });
  attempt([&] { pickle::parse(bytes, "fuzz.pkl"); });
  attempt([&] { imageSizeOf(bytes, "fuzz.jpg"); });
  readLabels(bytes);
  return 0;
}
