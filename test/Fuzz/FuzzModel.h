//===- FuzzModel.h - One hostile model -------------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What ends well for every kind of model file, and which of them are worth to
// be mutated further.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_FUZZ_FUZZMODEL_H
#define PARALLAX_TEST_FUZZ_FUZZMODEL_H

#include "../Unit/Compiled/Sealing.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Parallel.h"

#include <cstdint>
#include <new>
#include <onnx/onnx_pb.h>
#include <span>

namespace parallax {

/// The bytes with a valid digest: mutations would hardly find one.
inline std::string withDigest(std::span<const std::byte> bytes) {
  onnx::ModelProto model;
  if (model.ParseFromArray(bytes.data(), int(bytes.size())))
    return sealed(model);
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// Calls process(bytes); the result is what libFuzzer wants to be told.
template <typename Fn>
int fuzzModel(const uint8_t *data, size_t size, Fn process) {
  setThreadCount(1);
  try {
    process(std::as_bytes(std::span(data, size)));
  } catch (const Error &) {
  } catch (const std::bad_alloc &) {
  }
  // Unreadable files are tried, but don't go into the corpus: what comes of
  // them is unreadable too.
  onnx::ModelProto model;
  return model.ParseFromArray(data, int(size)) && model.has_graph() ? 0 : -1;
}

} // namespace parallax

#endif // PARALLAX_TEST_FUZZ_FUZZMODEL_H
