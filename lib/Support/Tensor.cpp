//===- Tensor.cpp - A typed, contiguous, row-major buffer -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Allocation and copying. Memory is aligned to a cache line, because the float
// kernels are faster on it.
//===----------------------------------------------------------------------===//
#include "parallax/Support/Tensor.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace parallax {

int64_t elementCount(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

std::string toString(std::span<const int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t dim : shape)
    text += (text.empty() ? "" : "x") + std::to_string(dim);
  return text;
}

Shape stridesOf(std::span<const int64_t> shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

Tensor::Tensor(DType dtype, Shape shape)
    : elementType(dtype), dims(std::move(shape)) {
  constexpr size_t alignment = 64;
  // An empty tensor still gets an address, so that isNull() stays false.
  size_t size =
      (std::max<size_t>(byteSize(), 1) + alignment - 1) / alignment * alignment;
  bytes = std::aligned_alloc(alignment, size);
  if (!bytes)
    throw std::bad_alloc();
  std::memset(bytes, 0, size);
  owner = std::shared_ptr<const void>(bytes, [](const void *pointer) {
    std::free(const_cast<void *>(pointer));
  });
}

Tensor Tensor::clone() const {
  Tensor copy(elementType, dims);
  if (byteSize() > 0)
    std::memcpy(copy.bytes, bytes, byteSize());
  return copy;
}

} // namespace parallax
