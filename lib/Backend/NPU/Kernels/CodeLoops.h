//===- CodeLoops.h - Codes and sums of any instruction set -----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What goes into products and what comes out of them: loops that the compiler
// vectorises well, written once for all instruction sets.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_BACKEND_NPU_KERNELS_CODELOOPS_H
#define PARALLAX_LIB_BACKEND_NPU_KERNELS_CODELOOPS_H

#include "MultiplyAdd.h"
#include "Vectorize.h"

#include <cstring>
#include <type_traits>

namespace parallax::npu {

inline constexpr int64_t splitColumns = panelColumns / 2;

template <CodeKind kind>
using CodeOf =
    std::conditional_t<kind == CodeU8, uint8_t,
                       std::conditional_t<kind == CodeS8, int8_t, uint16_t>>;

template <int count, typename Code>
PARALLAX_INLINE void widenPack(const Code *from, int16_t offset, int16_t *to) {
  typedef Code Codes __attribute__((vector_size(count * sizeof(Code))));
  typedef uint16_t Words __attribute__((vector_size(count * 2)));
  Codes codes;
  std::memcpy(&codes, from, sizeof(codes));
  Words words = __builtin_convertvector(codes, Words) - uint16_t(offset);
  std::memcpy(to, &words, sizeof(words));
}

/// Packs of `count` codes; the last one overlaps the one before it.
template <int count, typename Code>
PARALLAX_INLINE void widenPacks(const Code *from, int64_t size, int16_t offset,
                                int16_t *to) {
  for (int64_t i = 0; i + count < size; i += count)
    widenPack<count>(from + i, offset, to + i);
  widenPack<count>(from + size - count, offset, to + size - count);
}

/// Runs are often short (three channels of a few taps), so none is left to a
/// loop over single codes.
template <typename Code>
PARALLAX_INLINE void widenCodes(const void *codes, int64_t count,
                                int16_t offset, int16_t *to) {
  const Code *from = static_cast<const Code *>(codes);
  if (count >= 32)
    return widenPacks<32>(from, count, offset, to);
  if (count >= 16)
    return widenPacks<16>(from, count, offset, to);
  if (count >= 8)
    return widenPacks<8>(from, count, offset, to);
  if (count >= 4)
    return widenPacks<4>(from, count, offset, to);
  for (int64_t i = 0; i < count; ++i)
    to[i] = int16_t(uint16_t(from[i]) - uint16_t(offset));
}

/// Eight sums at a time, spelled out because the compiler sees an overlap of
/// `start` and `wide`.
template <bool split>
PARALLAX_INLINE void addSums(const int32_t *sums, int64_t rows,
                             const int64_t *start, int64_t *wide) {
  typedef int32_t Narrow __attribute__((vector_size(32)));
  typedef int64_t Wide __attribute__((vector_size(64)));
  constexpr int64_t columns = split ? splitColumns : panelColumns;
  for (int64_t r = 0; r < rows; ++r, sums += panelColumns, wide += columns)
    for (int64_t c = 0; c < columns; c += 8) {
      Narrow part;
      Wide sum;
      std::memcpy(&sum, (start ? start : wide) + c, sizeof(sum));
      std::memcpy(&part, sums + c, sizeof(part));
      sum += __builtin_convertvector(part, Wide);
      if constexpr (split) {
        std::memcpy(&part, sums + c + splitColumns, sizeof(part));
        sum += __builtin_convertvector(part, Wide) * 256;
      }
      std::memcpy(wide + c, &sum, sizeof(sum));
    }
}

} // namespace parallax::npu

#endif // PARALLAX_LIB_BACKEND_NPU_KERNELS_CODELOOPS_H
