//===- PoolDetail.h - What window and global pooling share -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Which types a pooling kernel takes, and the values at the ends of its sums.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_POOLDETAIL_H
#define PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_POOLDETAIL_H

#include "parallax/Backend/Kernels/KernelSupport.h"

#include <cmath>
#include <limits>

namespace parallax::kernels {

template <typename T> T root(T sum, int64_t p) {
  return p == 1 ? sum : p == 2 ? std::sqrt(sum) : std::pow(sum, T(1) / T(p));
}

template <typename T> T lowestOf() {
  if constexpr (std::is_integral_v<T>)
    return std::numeric_limits<T>::lowest();
  else
    return T(-std::numeric_limits<float>::infinity());
}

/// Calls fn(TypeTag<T>) for float32 and float64.
template <typename Fn>
void dispatchReal(std::string_view kernel, const Tensor &x, Fn fn) {
  if (x.dtype() == DType::F32)
    return fn(TypeTag<float>());
  if (x.dtype() == DType::F64)
    return fn(TypeTag<double>());
  throwUnsupported(kernel, x.dtype());
}

/// Calls fn(TypeTag<T>) for every type that has an order.
template <typename Fn>
void dispatchOrdered(std::string_view kernel, const Tensor &x, Fn fn) {
  if (x.dtype() == DType::Bool)
    throwUnsupported(kernel, x.dtype());
  dispatch(x.dtype(), [&](auto tag) {
    if constexpr (!std::is_same_v<typename decltype(tag)::type, bool>)
      fn(tag);
  });
}

} // namespace parallax::kernels

#endif // PARALLAX_LIB_BACKEND_REFERENCE_KERNELS_POOLDETAIL_H
