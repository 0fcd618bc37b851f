//===- Tensor.h - A typed, contiguous, row-major buffer --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The value that kernels, readers and metrics exchange. A Tensor either owns
// its bytes (shared between copies) or is a view of memory that another
// object keeps alive: a mapped file, or the executor's arena.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_TENSOR_H
#define PARALLAX_SUPPORT_TENSOR_H

#include "parallax/Support/DType.h"

#include <cassert>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace parallax {

using Shape = std::vector<int64_t>;

/// The number of elements of a shape; 1 for a scalar.
int64_t elementCount(std::span<const int64_t> shape);

/// "1x3x224x224"; "scalar" for rank 0.
std::string toString(std::span<const int64_t> shape);

/// Row-major strides in elements.
Shape stridesOf(std::span<const int64_t> shape);

class Tensor {
public:
  Tensor() = default;

  /// Allocates zeroed memory.
  Tensor(DType dtype, Shape shape);

  /// A view; `owner`, if given, keeps the bytes alive.
  Tensor(DType dtype, Shape shape, void *bytes,
         std::shared_ptr<const void> owner = nullptr)
      : elementType(dtype), dims(std::move(shape)), bytes(bytes),
        owner(std::move(owner)) {}

  template <typename T>
  static Tensor fromValues(Shape shape, std::span<const T> values) {
    Tensor tensor(dtypeOf<T>(), std::move(shape));
    assert(int64_t(values.size()) == tensor.size());
    std::copy(values.begin(), values.end(), tensor.data<T>());
    return tensor;
  }

  DType dtype() const { return elementType; }
  const Shape &shape() const { return dims; }
  int64_t rank() const { return int64_t(dims.size()); }
  int64_t dim(int64_t axis) const { return dims[axis]; }
  /// The number of elements.
  int64_t size() const { return elementCount(dims); }
  size_t byteSize() const { return size_t(size()) * sizeOf(elementType); }

  template <typename T> T *data() {
    assert(dtypeOf<T>() == elementType);
    return static_cast<T *>(bytes);
  }
  template <typename T> const T *data() const {
    assert(dtypeOf<T>() == elementType);
    return static_cast<const T *>(bytes);
  }
  template <typename T> std::span<const T> values() const {
    return {data<T>(), size_t(size())};
  }
  void *rawData() { return bytes; }
  const void *rawData() const { return bytes; }

  /// The same bytes under another shape of the same element count.
  Tensor reshaped(Shape shape) const {
    assert(elementCount(shape) == size());
    return Tensor(elementType, std::move(shape), bytes, owner);
  }

  /// For results whose extent is only known after the computation (NonZero,
  /// NonMaxSuppression): the new shape must fit the memory that was planned.
  void setShape(Shape shape) { dims = std::move(shape); }

  /// A copy that owns its bytes.
  Tensor clone() const;

  /// False for a view of memory that another object may free.
  bool isOwner() const { return owner != nullptr; }

  bool isNull() const { return bytes == nullptr && dims.empty(); }

private:
  DType elementType = DType::F32;
  Shape dims;
  void *bytes = nullptr;
  std::shared_ptr<const void> owner;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_TENSOR_H
