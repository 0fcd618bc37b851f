//===- Sealing.h - The digest at the end of a compiled model ---*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A model that a test or a fuzzer has changed would be refused for its digest
// alone. This gives it the right one, byte by byte as docs/compiled-model.md
// says, so that what stands behind that check is reached.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_COMPILED_SEALING_H
#define PARALLAX_TEST_UNIT_COMPILED_SEALING_H

#include "parallax/Support/Digest.h"

#include <onnx/onnx_pb.h>

namespace parallax {

inline std::string sealed(onnx::ModelProto model) {
  const std::string key = "parallax.content_sha256";
  auto &entries = *model.mutable_metadata_props();
  for (int i = entries.size() - 1; i >= 0; --i)
    if (entries[i].key() == key)
      entries.DeleteSubrange(i, 1);
  std::string bytes = model.SerializeAsString();
  // Field 14 of the model is an entry; its fields 1 and 2 are key and value.
  bytes += '\x72';
  bytes += char(2 + key.size() + 2 + 64);
  bytes += '\x0a';
  bytes += char(key.size());
  bytes += key;
  bytes += '\x12';
  bytes += char(64);
  return bytes + sha256Of(std::as_bytes(std::span(bytes)));
}

} // namespace parallax

#endif // PARALLAX_TEST_UNIT_COMPILED_SEALING_H
