//===- AttributeKinds.h - Attributes in MLIR and ONNX ----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One line per kind of attribute, in both directions and without loss. Neither
// writer nor reader knows operators, so a new one needs no code here.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_COMPILED_ATTRIBUTEKINDS_H
#define PARALLAX_LIB_COMPILED_ATTRIBUTEKINDS_H

#include "parallax/Support/LLVM.h"

#include "mlir/IR/Attributes.h"

#include <span>

namespace onnx {
class AttributeProto;
} // namespace onnx

namespace parallax::compiled {

struct AttributeKind {
  /// The attribute's `doc_string`.
  const char *word;
  /// A member of onnx::AttributeProto::AttributeType.
  int onnxType;
  /// False if the attribute is not of this kind.
  bool (*write)(Attribute, onnx::AttributeProto &);
  /// Null if the value does not fit the kind.
  Attribute (*read)(MLIRContext *, const onnx::AttributeProto &);
};

std::span<const AttributeKind> attributeKinds();

/// Sets everything but the name. False for attributes of no known kind.
bool writeAttribute(Attribute attribute, onnx::AttributeProto &proto);

/// Throws Error, which names the attribute.
Attribute readAttribute(MLIRContext *context,
                        const onnx::AttributeProto &proto);

} // namespace parallax::compiled

#endif // PARALLAX_LIB_COMPILED_ATTRIBUTEKINDS_H
