//===- IndexValues.h - Indices that come from data -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Indices in tensors are the one thing that no earlier check can have seen.
// They are checked in a pass of their own, outside of parallel loops, which no
// exception may leave.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_KERNELS_INDEXVALUES_H
#define PARALLAX_LIB_BACKEND_KERNELS_INDEXVALUES_H

#include "parallax/Support/Error.h"
#include "parallax/Support/Tensor.h"

#include <fmt/format.h>

namespace parallax::kernels {

/// Throws unless lo <= value <= hi.
inline void checkRange(int64_t value, int64_t lo, int64_t hi,
                       std::string_view what, int64_t axis) {
  if (value < lo || value > hi)
    throw Error(fmt::format("{} {} on axis {} is outside of [{}, {}]; check "
                            "the model's inputs",
                            what, value, axis, lo, hi));
}

/// Throws unless `index`, counted from the end if negative, is an element of an
/// axis of `dim` elements.
inline void checkIndex(int64_t index, int64_t dim, std::string_view op,
                       int64_t axis) {
  if (index < -dim || index >= dim)
    throw Error(fmt::format("{} index {} is out of range on axis {}, which "
                            "has {} elements; check the model's inputs",
                            op, index, axis, dim));
}

/// Reads int32 and int64 indices alike.
class IndexValues {
public:
  explicit IndexValues(const Tensor &indices)
      : count(indices.size()), isWide(indices.dtype() == DType::I64),
        data(indices.rawData()) {
    if (!isWide && indices.dtype() != DType::I32)
      throw Error(fmt::format("indices have type {}; use int32 or int64",
                              nameOf(indices.dtype())));
  }

  int64_t size() const { return count; }
  int64_t operator[](int64_t i) const {
    return isWide ? static_cast<const int64_t *>(data)[i]
                  : static_cast<const int32_t *>(data)[i];
  }

private:
  int64_t count;
  bool isWide;
  const void *data;
};

/// The position of an index that has been checked.
inline int64_t wrapIndex(int64_t index, int64_t dim) {
  return index < 0 ? index + dim : index;
}

} // namespace parallax::kernels

#endif // PARALLAX_LIB_BACKEND_KERNELS_INDEXVALUES_H
