//===- EnumNames.h - Enums whose values users write by name ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Each such enum has one table of names, which is for reading, printing and
// documentation alike.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_ENUMNAMES_H
#define PARALLAX_SUPPORT_ENUMNAMES_H

#include <optional>
#include <span>
#include <string_view>

namespace parallax {

template <typename E> struct EnumName {
  E value;
  std::string_view name;
};

/// All values and their names, in the order in which they are documented.
template <typename E> std::span<const EnumName<E>> enumNames() = delete;

/// The name that a configuration gives to `value`.
template <typename E> std::string_view configName(E value) {
  for (const EnumName<E> &entry : enumNames<E>())
    if (entry.value == value)
      return entry.name;
  return "";
}

/// The value that a configuration gives that name; nothing if it has none.
template <typename E> std::optional<E> parseEnum(std::string_view name) {
  for (const EnumName<E> &entry : enumNames<E>())
    if (entry.name == name)
      return entry.value;
  return std::nullopt;
}

} // namespace parallax

#endif // PARALLAX_SUPPORT_ENUMNAMES_H
