//===- Edit.h - Changes of a configuration in its own words ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Changes one field of a configuration as the user wrote it, so that a
// suggestion becomes a file that can be built at once.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CONFIG_EDIT_H
#define PARALLAX_CONFIG_EDIT_H

#include "parallax/Config/RelaxedJson.h"

namespace parallax {

/// Gives a field, by its dotted name, a new value, or with `appends` its list
/// one more element. What is missing on the way is added. Throws Error if
/// `text` is not JSON, or if something on the way is not an object or list.
void editField(JsonValue &config, std::string_view field, std::string_view text,
               bool appends);

} // namespace parallax

#endif // PARALLAX_CONFIG_EDIT_H
