//===- DataTypes.h - Types of codes as configurations name them -*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// From the type of a tensor to the name that a user writes.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_CONFIG_DATATYPES_H
#define PARALLAX_CONFIG_DATATYPES_H

#include "parallax/Config/Enums.h"
#include "parallax/Support/DType.h"

namespace parallax {

/// Default for types that no configuration can ask for.
DataType dataTypeOf(DType type);

} // namespace parallax

#endif // PARALLAX_CONFIG_DATATYPES_H
