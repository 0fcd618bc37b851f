//===- Detect.cpp - Is it a compiled model? -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Tools take models of both kinds. The metadata decides, and the network, which
// may be gigabytes, is skipped and not parsed.
//===----------------------------------------------------------------------===//
#include "parallax/Compiled/CompiledModel.h"

#include "Format.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/MappedFile.h"

#include <climits>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <onnx/onnx_pb.h>

namespace parallax {

using google::protobuf::internal::WireFormatLite;

static bool isFormatEntry(const std::string &bytes) {
  onnx::StringStringEntryProto entry;
  return entry.ParseFromString(bytes) && entry.key() == compiled::formatKey &&
         entry.value() == compiled::formatName;
}

bool isCompiledModel(const std::filesystem::path &path) {
  std::shared_ptr<MappedFile> file;
  try {
    file = MappedFile::open(path);
  } catch (const Error &) {
    return false;
  }
  std::span<const std::byte> bytes = file->bytes();
  google::protobuf::io::CodedInputStream stream(
      reinterpret_cast<const uint8_t *>(bytes.data()),
      int(std::min<size_t>(bytes.size(), INT_MAX)));
  constexpr uint32_t metadata =
      WireFormatLite::MakeTag(onnx::ModelProto::kMetadataPropsFieldNumber,
                              WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
  while (uint32_t tag = stream.ReadTag()) {
    if (tag != metadata) {
      if (!WireFormatLite::SkipField(&stream, tag))
        return false;
      continue;
    }
    uint32_t length = 0;
    std::string entry;
    if (!stream.ReadVarint32(&length) || length > bytes.size() ||
        !stream.ReadString(&entry, int(length)))
      return false;
    if (isFormatEntry(entry))
      return true;
  }
  return false;
}

} // namespace parallax
