//===- Encoding.h - Bytes inside of text -----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A page that is one file carries its data and pictures as text, and as little
// of it as possible.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_ENCODING_H
#define PARALLAX_SUPPORT_ENCODING_H

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace parallax {

/// Base64 with padding, in one line.
std::string base64Of(std::span<const std::byte> bytes);

/// The bytes as gzip packs them. The same bytes give the same pack: it holds no
/// name and no time.
std::string gzipOf(std::string_view bytes);

} // namespace parallax

#endif // PARALLAX_SUPPORT_ENCODING_H
