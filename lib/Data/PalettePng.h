//===- PalettePng.h - Numbers of a palette as gray -------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Masks often are PNG files with a palette, so that one can look at them: the
// numbers of their colors are the classes. Decoders give the colors.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_DATA_PALETTEPNG_H
#define PARALLAX_LIB_DATA_PALETTEPNG_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace parallax {

/// A PNG file whose gray values are multiples of numbers.
struct GrayPng {
  std::vector<std::byte> bytes;
  uint8_t step = 1;
};

/// The file without its palette, as a gray picture; none if it is not a PNG
/// file with a palette. `bytes` begin with a header that imageSizeOf has read.
/// What is damaged stays so, and the decoder will say it.
std::optional<GrayPng> withoutPalette(std::span<const std::byte> bytes);

} // namespace parallax

#endif // PARALLAX_LIB_DATA_PALETTEPNG_H
