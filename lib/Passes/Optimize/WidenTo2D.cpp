//===- WidenTo2D.cpp - Windows over one dimension -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The NPU slides windows over two dimensions. Networks for audio have one; they
// get a second one of extent 1.
//===----------------------------------------------------------------------===//
#include "Families.h"
#include "Match.h"

using namespace mlir;

namespace parallax {
namespace {

/// N x C x L becomes N x C x 1 x L, for weights alike.
SmallVector<int64_t> widenedShape(ArrayRef<int64_t> shape) {
  return {shape[0], shape[1], 1, shape[2]};
}

Value widenWeight(Value weight, Proposal &proposal) {
  SmallVector<int64_t> shape = widenedShape(shapeOf(weight));
  if (Tensor tensor = constantOf(weight); !tensor.isNull())
    return proposal.constantLike(
        weight, tensor.reshaped(Shape(shape.begin(), shape.end())));
  return proposal.create<nn::ReshapeOp>(weight, proposal.i64s("shape", shape),
                                        "widen_weight");
}

void widen(Operation *op, Proposal &proposal) {
  if (!isa<nn::AveragePoolOp, nn::ConvOp, nn::ConvTransposeOp, nn::MaxPoolOp>(
          op) ||
      rankOf(op->getOperand(0)) != 3)
    return;
  // A window of 1 that neither pads nor skips in the new dimension.
  constexpr std::pair<StringRef, int64_t> neutralEntries[] = {
      {"dilations", 1},
      {"kernel", 1},
      {"output_padding", 0},
      {"pads", 0},
      {"strides", 1}};
  SmallVector<NamedAttribute> changes;
  for (auto [name, neutral] : neutralEntries)
    if (auto list = op->getAttrOfType<DenseI64ArrayAttr>(name)) {
      SmallVector<int64_t> widened;
      for (int64_t entry : list.asArrayRef())
        widened.append({neutral, entry});
      changes.push_back(proposal.i64s(name, widened));
    }

  SmallVector<Value> operands(op->getOperands());
  operands[0] = proposal.create<nn::ReshapeOp>(
      operands[0], proposal.i64s("shape", widenedShape(shapeOf(operands[0]))),
      "widen");
  if (operands.size() > 1)
    operands[1] = widenWeight(operands[1], proposal);
  Value y = proposal.createLike(op, operands, changes);
  proposal.replace(proposal.create<nn::ReshapeOp>(
      y, proposal.i64s("shape", shapeOf(op->getResult(0))), "narrow"));
}

} // namespace

Rewrites widenTo2DRewrites() { return {{"widen-to-2d", "", widen}}; }

} // namespace parallax
