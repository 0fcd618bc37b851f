//===- NumPyObject.h - Dicts of arrays in .npy files -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// numpy.save writes a dict as an array of one Python object. Calibration data
// of networks with several inputs comes this way: {input name: array}.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DATA_NUMPYOBJECT_H
#define PARALLAX_DATA_NUMPYOBJECT_H

#include "parallax/Data/Pickle.h"

namespace parallax {

class NumPyObject {
public:
  /// `bytes` must outlive the object; messages name `sourceName`. Throws Error
  /// unless the file holds exactly one dict whose keys are text.
  NumPyObject(std::span<const std::byte> bytes, std::string sourceName);

  /// The keys, in the order of the file.
  const std::vector<std::string> &names() const { return keys; }

  /// A copy of one array; nothing is allocated for the others. Throws Error if
  /// there is none of this name.
  Tensor array(std::string_view name) const;

private:
  std::string source;
  pickle::Document document;
  std::vector<std::string> keys;
  std::vector<pickle::Ref> values;
};

} // namespace parallax

#endif // PARALLAX_DATA_NUMPYOBJECT_H
