//===- Evidence.h - What layers gave for one sample ------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Digests of the integers that every layer computes. They tell two machines
// apart in a few kilobytes, where the tensors themselves would take megabytes.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_ANALYSIS_EVIDENCE_H
#define PARALLAX_ANALYSIS_EVIDENCE_H

#include "parallax/Support/Tensor.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

/// The file of the digests in a folder of evidence.
inline constexpr std::string_view evidenceName = "tensors.json";

struct TensorEvidence {
  std::string layer, tensor;
  /// "uint8", and the extents.
  std::string dtype;
  Shape shape;
  /// Of the elements in order, little-endian.
  std::string sha256;

  bool operator==(const TensorEvidence &) const = default;
};

/// In the order of the network.
struct Evidence {
  std::vector<TensorEvidence> machine, reference;

  bool operator==(const Evidence &) const = default;
};

std::string toJson(const Evidence &evidence);

/// Throws Error, with the file, for any other text.
Evidence parseEvidence(std::string_view text, const std::string &file);
Evidence readEvidence(const std::filesystem::path &file);

/// The two sides of the first tensor that is not the same.
struct EvidenceDifference {
  /// Null where a side has no such tensor.
  const TensorEvidence *expected = nullptr, *found = nullptr;

  explicit operator bool() const { return expected || found; }
};

/// Tensors are matched by name. `differing` counts all that are not the same.
EvidenceDifference firstDifference(const std::vector<TensorEvidence> &expected,
                                   const std::vector<TensorEvidence> &found,
                                   size_t &differing);

} // namespace parallax

#endif // PARALLAX_ANALYSIS_EVIDENCE_H
