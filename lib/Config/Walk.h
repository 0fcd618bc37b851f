//===- Walk.h - All fields of a configuration ------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The flags, the hints for misplaced fields and the tests need the fields of
// all messages under their full names.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_CONFIG_WALK_H
#define PARALLAX_LIB_CONFIG_WALK_H

#include "Field.h"

namespace parallax::config {

struct FieldPlace {
  /// "quant.layer_configs[].data_type".
  std::string path;
  const Field *field;
  /// The message that the field is a member of.
  const Message *message;
  /// It is a member of an element of a list, of which there may be many.
  bool isRepeated;
};

/// Every field once, an object before its members. A message that contains
/// itself is not entered again.
std::vector<FieldPlace> allPlaces(const Message &root = rootMessage());

/// The message that the field, or each of its elements, is; null for others.
const Message *messageOf(const Field &field);

} // namespace parallax::config

#endif // PARALLAX_LIB_CONFIG_WALK_H
