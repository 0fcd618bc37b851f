//===- LiteralNetwork.h - A literal run of the NPU's view ------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Walks a function of the npu dialect and evaluates each operation by the
// second implementation of docs/numerics.md (test/Unit/NPU/Literal*). What it
// shares with the simulator ends with the accessors of attributes.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_TEST_UNIT_WITNESS_LITERALNETWORK_H
#define PARALLAX_TEST_UNIT_WITNESS_LITERALNETWORK_H

#include "../NPU/LiteralNumerics.h"
#include "parallax/Support/LLVM.h"
#include "parallax/Support/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace parallax::literal {

/// The value of a tensor: integers of any type as codes, else floats. Both
/// have their dimensions in `codes`.
struct Item {
  Codes codes;
  std::vector<float> floats;
  bool isFloat = false;
};
using Items = std::vector<Item>;

Item itemOf(const Tensor &tensor);

/// Empty if all elements are equal (floats bit by bit), else where they differ
/// first.
std::string difference(const Item &expected, const Tensor &found);

/// All values of the function. Throws std::runtime_error for an operation that
/// has no literal implementation.
llvm::DenseMap<Value, Item> runLiterally(mlir::func::FuncOp function,
                                         const std::vector<Tensor> &inputs);

/// The same for the quantized function in front of lowering: integers are
/// derived from the scales of its types as the page says, so that lowering is
/// witnessed as well.
llvm::DenseMap<Value, Item>
runQuantizedLiterally(mlir::func::FuncOp function,
                      const std::vector<Tensor> &inputs, Tie tie);

/// The window of a pooling operation of either dialect.
template <typename OpTy> Pool poolOf(OpTy op, bool countsPads = false) {
  ArrayRef<int64_t> pads = op.getPads();
  return {op.getKernel().vec(),
          op.getStrides().vec(),
          op.getDilations().vec(),
          pads.take_front(pads.size() / 2).vec(),
          pads.drop_front(pads.size() / 2).vec(),
          countsPads};
}

/// A value without elements, with the limits of its type.
Item emptyItem(Type type);

/// The operations of the nn dialect that the NPU's view keeps: movement
/// and comparison of codes. False for any other.
bool moveLiterally(Operation *op, const Items &operands, Items &results);

/// Arithmetic and conversions of plain integers (C49a, C49b). False for any
/// other.
bool computeIntegersLiterally(Operation *op, const Items &operands,
                              Items &results);

/// Recurrent layers of codes and of floats (C99 to C109). False for any other.
bool recurLiterally(Operation *op, const Items &operands, Items &results);

/// Layers in float but for products (C90, C92 to C98). False for any other.
bool computeFloatsLiterally(Operation *op, const Items &operands,
                            Items &results);

/// Convolutions and products of floats (C91). False for any other.
bool multiplyLiterally(Operation *op, const Items &operands, Items &results);

} // namespace parallax::literal

#endif // PARALLAX_TEST_UNIT_WITNESS_LITERALNETWORK_H
