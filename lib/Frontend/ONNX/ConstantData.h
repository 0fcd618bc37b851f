//===- ConstantData.h - New values for a constant --------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The values that a configuration gives for a constant, from a list or a file,
// in the type of the constant.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_FRONTEND_ONNX_CONSTANTDATA_H
#define PARALLAX_LIB_FRONTEND_ONNX_CONSTANTDATA_H

#include "parallax/Support/ModelPatches.h"
#include "parallax/Support/Tensor.h"

namespace parallax::onnx_import {

/// What replaces a constant of the given type and shape. Integers are taken
/// exactly or not at all; lists and text round to floats, arrays must convert
/// without loss. Only one dimension may change its extent. Throws Error, whose
/// text does not name the constant.
Tensor readConstantData(const ConstProcessor &processor, DType dtype,
                        const Shape &shape);

} // namespace parallax::onnx_import

#endif // PARALLAX_LIB_FRONTEND_ONNX_CONSTANTDATA_H
