//===- NearestNames.h - Suggestions for a misspelled name ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The names nearest to a mistyped field, layer or tensor, for error messages.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_NEARESTNAMES_H
#define PARALLAX_SUPPORT_NEARESTNAMES_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

/// At most `count` different candidates that `name` may have been meant to be,
/// nearest first, in the order of the candidates where they are equally near:
/// those that a few edits lead to, then those that `name` is a part of.
std::vector<std::string> nearestNames(std::string_view name,
                                      std::span<const std::string> candidates,
                                      size_t count = 3);

/// The end of a message about an unknown name: "; did you mean 'a' or 'b'?", or
/// nothing if no candidate is near.
std::string didYouMean(std::string_view name,
                       std::span<const std::string> candidates);

} // namespace parallax

#endif // PARALLAX_SUPPORT_NEARESTNAMES_H
