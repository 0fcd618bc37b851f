//===- LLVM.h - The names of MLIR that we use everywhere -------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Imports the common names of LLVM and MLIR into our namespace once, so that
// no header says `using namespace`.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_LLVM_H
#define PARALLAX_SUPPORT_LLVM_H

// MLIR forward-declares its own everyday names here.
#include "mlir/Support/LLVM.h"

namespace mlir {
class Attribute;
class BlockArgument;
class DenseElementsAttr;
class DictionaryAttr;
class ElementsAttr;
class Location;
class MLIRContext;
class ModuleOp;
class NamedAttrList;
class NamedAttribute;
class OpBuilder;
class Operation;
class RankedTensorType;
class ShapedType;
class StringAttr;
class Type;
class TypeRange;
class Value;
class ValueRange;
template <typename T> class OwningOpRef;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace parallax {
// NOLINTBEGIN(misc-unused-using-decls)
using llvm::ArrayRef;
using llvm::cast;
using llvm::DenseMap;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::failed;
using llvm::failure;
using llvm::FailureOr;
using llvm::isa;
using llvm::LogicalResult;
using llvm::MutableArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringRef;
using llvm::succeeded;
using llvm::success;
using llvm::Twine;
using mlir::Attribute;
using mlir::DictionaryAttr;
using mlir::ElementsAttr;
using mlir::Location;
using mlir::MLIRContext;
using mlir::ModuleOp;
using mlir::NamedAttribute;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::OwningOpRef;
using mlir::RankedTensorType;
using mlir::StringAttr;
using mlir::Type;
using mlir::TypeRange;
using mlir::Value;
using mlir::ValueRange;
// NOLINTEND(misc-unused-using-decls)
} // namespace parallax

#endif // PARALLAX_SUPPORT_LLVM_H
