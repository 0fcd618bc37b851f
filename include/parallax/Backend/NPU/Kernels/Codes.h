//===- Codes.h - What all integer kernels share ----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Kernels see tensors of codes, and integers that were derived from scales when
// the network was compiled. Each header offers that derivation beside its
// kernel, because docs/numerics.md makes both of them normative. Shapes and
// ranges were checked before; a kernel only throws for types that it has not.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_BACKEND_NPU_KERNELS_CODES_H
#define PARALLAX_BACKEND_NPU_KERNELS_CODES_H

#include "parallax/Support/AffineParams.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/FixedPoint.h"
#include "parallax/Support/Tensor.h"

#include <fmt/format.h>

namespace parallax::npu {

/// Where a result ends (C4): `low` and `high` may be narrower than the type
/// where a Relu or Clip was fused.
struct OutputCodes {
  int64_t zeroPoint = 0;
  int64_t low = 0, high = 255;
  Rounding rounding = Rounding::HalfUp;

  int64_t code(int64_t steps) const {
    return std::clamp(zeroPoint + steps, low, high);
  }
};

inline OutputCodes outputCodes(const AffineParams &params, Rounding rounding) {
  return {params.zeroPoint, params.low, params.high, rounding};
}

inline bool isCode(DType type) {
  return type == DType::U8 || type == DType::I8 || type == DType::U16 ||
         type == DType::I16;
}

/// Calls `fn(TypeTag<T>{})` with the C++ type of 8- or 16-bit codes.
template <typename Fn>
decltype(auto) dispatchCodes(std::string_view kernel, DType type, Fn &&fn) {
  switch (type) {
  case DType::U8:
    return fn(TypeTag<uint8_t>{});
  case DType::I8:
    return fn(TypeTag<int8_t>{});
  case DType::U16:
    return fn(TypeTag<uint16_t>{});
  case DType::I16:
    return fn(TypeTag<int16_t>{});
  default:
    throw DerivationError(
        fmt::format("{} has no integer kernel for {}; its operands "
                    "must be codes of 8 or 16 bits",
                    kernel, nameOf(type)));
  }
}

/// Calls fn with the place of results, as unsigned integers: a signed code has
/// the same bits, so that a loop is compiled for two types instead of four.
template <typename Fn>
void dispatchResult(std::string_view kernel, Tensor &y, Fn &&fn) {
  dispatchCodes(kernel, y.dtype(), [&]<typename T>(TypeTag<T>) {
    fn(static_cast<std::make_unsigned_t<T> *>(y.rawData()));
  });
}

/// Elements that one thread should at least get.
inline constexpr int64_t codeGrain = 8192;

inline int64_t rowGrain(int64_t perRow) {
  return std::max<int64_t>(1, codeGrain / std::max<int64_t>(perRow, 1));
}

} // namespace parallax::npu

#endif // PARALLAX_BACKEND_NPU_KERNELS_CODES_H
