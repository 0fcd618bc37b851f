//===- DType.cpp - Element types of tensors -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Names and sizes, in one table that every reader and writer goes through.
//===----------------------------------------------------------------------===//
#include "parallax/Support/DType.h"

namespace parallax {
namespace {

struct DTypeInfo {
  DType type;
  size_t size;
  std::string_view numpyName;
  std::string_view pulsarName;
};

// In the order of the enum.
constexpr DTypeInfo infos[] = {
    {DType::F32, 4, "float32", "FP32"}, {DType::F64, 8, "float64", "FP64"},
    {DType::F16, 2, "float16", "FP16"}, {DType::BF16, 2, "bfloat16", "BF16"},
    {DType::I8, 1, "int8", "S8"},       {DType::I16, 2, "int16", "S16"},
    {DType::I32, 4, "int32", "S32"},    {DType::I64, 8, "int64", "S64"},
    {DType::U8, 1, "uint8", "U8"},      {DType::U16, 2, "uint16", "U16"},
    {DType::U32, 4, "uint32", "U32"},   {DType::U64, 8, "uint64", "U64"},
    {DType::Bool, 1, "bool", "BOOL"},
};

} // namespace

size_t sizeOf(DType type) { return infos[size_t(type)].size; }

std::string_view nameOf(DType type) { return infos[size_t(type)].numpyName; }

std::string_view configNameOf(DType type) {
  return infos[size_t(type)].pulsarName;
}

std::optional<DType> parseDType(std::string_view name) {
  for (const DTypeInfo &info : infos)
    if (name == info.numpyName || name == info.pulsarName)
      return info.type;
  return std::nullopt;
}

} // namespace parallax
