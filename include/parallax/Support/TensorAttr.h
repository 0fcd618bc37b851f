//===- TensorAttr.h - Tensors as MLIR attributes ---------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The bridge between tensors in memory and MLIR's types and constants. Weights
// cross it without being copied or hashed: they become resource blobs.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_TENSORATTR_H
#define PARALLAX_SUPPORT_TENSORATTR_H

#include "parallax/Support/LLVM.h"
#include "parallax/Support/Tensor.h"

#include <optional>

namespace parallax {

/// iN for signed, uiN for unsigned, i1 for Booleans.
Type toElementType(MLIRContext *context, DType dtype);

/// Nothing for types that no tensor in memory has, such as quantized ones.
std::optional<DType> toDType(Type elementType);

RankedTensorType toTensorType(MLIRContext *context, const Tensor &tensor);

/// Small tensors become inline values that one can read in a dump; others a
/// resource blob called `name` that shares the tensor's memory.
ElementsAttr toAttribute(MLIRContext *context, const Tensor &tensor,
                         StringRef name);

/// The value of a constant. It is a view of the attribute's memory wherever
/// the attribute has that form.
Tensor toTensor(ElementsAttr attribute);

/// The same, but moves a resource blob out of the context, so that its memory
/// is freed with the last tensor that refers to it. The attribute is empty
/// afterwards.
Tensor takeTensor(ElementsAttr attribute);

} // namespace parallax

#endif // PARALLAX_SUPPORT_TENSORATTR_H
