//===- DType.h - Element types of tensors ----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The element types that a tensor in memory can have, their sizes and names,
// and the one place that turns a run-time type into a template argument.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_DTYPE_H
#define PARALLAX_SUPPORT_DTYPE_H

#include "parallax/Support/Half.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace parallax {

enum class DType : uint8_t {
  F32,
  F64,
  F16,
  BF16,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  Bool,
};

/// Bytes of one element.
size_t sizeOf(DType type);

/// The NumPy name: "float32", "int64", "bool", ...
std::string_view nameOf(DType type);

/// The name that a configuration and its log use: "FP32", "S64", "BOOL", ...
std::string_view configNameOf(DType type);

/// The type of a NumPy name, or of a Pulsar2 name ("FP32", "U8", "S16", ...).
std::optional<DType> parseDType(std::string_view name);

inline bool isFloat(DType type) { return type <= DType::BF16; }

template <typename T> struct TypeTag { using type = T; };

/// Calls `fn(TypeTag<T>{})` with the C++ type of `type`. Half types are passed
/// as the storage classes Half and BFloat16, which convert to and from float.
template <typename Fn> decltype(auto) dispatch(DType type, Fn &&fn) {
  switch (type) {
  case DType::F32:
    return fn(TypeTag<float>{});
  case DType::F64:
    return fn(TypeTag<double>{});
  case DType::F16:
    return fn(TypeTag<Half>{});
  case DType::BF16:
    return fn(TypeTag<BFloat16>{});
  case DType::I8:
    return fn(TypeTag<int8_t>{});
  case DType::I16:
    return fn(TypeTag<int16_t>{});
  case DType::I32:
    return fn(TypeTag<int32_t>{});
  case DType::I64:
    return fn(TypeTag<int64_t>{});
  case DType::U8:
    return fn(TypeTag<uint8_t>{});
  case DType::U16:
    return fn(TypeTag<uint16_t>{});
  case DType::U32:
    return fn(TypeTag<uint32_t>{});
  case DType::U64:
    return fn(TypeTag<uint64_t>{});
  case DType::Bool:
    break;
  }
  return fn(TypeTag<bool>{});
}

template <typename T> constexpr DType dtypeOf();
template <> constexpr DType dtypeOf<float>() { return DType::F32; }
template <> constexpr DType dtypeOf<double>() { return DType::F64; }
template <> constexpr DType dtypeOf<Half>() { return DType::F16; }
template <> constexpr DType dtypeOf<BFloat16>() { return DType::BF16; }
template <> constexpr DType dtypeOf<int8_t>() { return DType::I8; }
template <> constexpr DType dtypeOf<int16_t>() { return DType::I16; }
template <> constexpr DType dtypeOf<int32_t>() { return DType::I32; }
template <> constexpr DType dtypeOf<int64_t>() { return DType::I64; }
template <> constexpr DType dtypeOf<uint8_t>() { return DType::U8; }
template <> constexpr DType dtypeOf<uint16_t>() { return DType::U16; }
template <> constexpr DType dtypeOf<uint32_t>() { return DType::U32; }
template <> constexpr DType dtypeOf<uint64_t>() { return DType::U64; }
template <> constexpr DType dtypeOf<bool>() { return DType::Bool; }

} // namespace parallax

#endif // PARALLAX_SUPPORT_DTYPE_H
