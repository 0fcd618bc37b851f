//===- CreateOp.h - Operations from operands and attributes ----*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// MLIR's generated builders abort the process if the result types of an
// operation can't be inferred. Operations that depend on a file, or on what a
// rewrite made up, are built here, where that is an ordinary failure.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_CREATEOP_H
#define PARALLAX_DIALECT_NN_CREATEOP_H

#include "parallax/Dialect/NN/NNOps.h"

namespace parallax::nn {

/// Sets operands, properties and inferred result types of the operation that
/// `state` is to become. Fails with a diagnostic at its location.
template <typename OpTy>
LogicalResult completeState(mlir::OperationState &state, ValueRange operands,
                            ArrayRef<NamedAttribute> attributes) {
  MLIRContext *context = state.getContext();
  state.addOperands(operands);
  auto dictionary = DictionaryAttr::get(context, attributes);
  auto &properties = state.getOrAddProperties<typename OpTy::Properties>();
  if constexpr (requires {
                  OpTy::populateDefaultProperties(state.name, properties);
                })
    OpTy::populateDefaultProperties(state.name, properties);
  auto emitError = [&] { return mlir::emitError(state.location); };
  if (failed(OpTy::setPropertiesFromAttr(properties, dictionary, emitError)))
    return failure();
  return OpTy::inferReturnTypes(context, state.location, operands, dictionary,
                                &properties, {}, state.types);
}

/// Infers the result types of an operation anew, after its operands or
/// attributes have changed.
LogicalResult inferTypesAgain(Operation *op);

} // namespace parallax::nn

#endif // PARALLAX_DIALECT_NN_CREATEOP_H
