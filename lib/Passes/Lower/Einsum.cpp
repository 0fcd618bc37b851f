//===- Einsum.cpp - Lowering of sums of products --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A contraction of two operands is a product of matrices between movements of
// codes: dimensions are sorted into those of both operands and the result, of
// one operand and the result, and of both operands only.
//===----------------------------------------------------------------------===//
#include "Lowering.h"

#include <map>

namespace parallax::lower {
namespace {

/// The equation of a contraction, and what its labels are.
class Contraction {
public:
  /// Nothing if `op` is a contraction of two operands.
  Refusal read(nn::EinsumOp op) {
    std::string text;
    llvm::copy_if(op.getEquation(), std::back_inserter(text),
                  [](char c) { return c != ' '; });
    if (op.getInputs().size() != 2)
      return "it is not a product of two operands";
    if (StringRef(text).contains('.'))
      return "its equation has an ellipsis";
    auto [terms, result] = StringRef(text).split("->");
    std::tie(left, right) = terms.split(',');
    if (StringRef(text).contains("->"))
      y = result.str();
    else
      y = implicitResult();
    for (auto [term, value] : {std::pair(left, op.getInputs()[0]),
                               std::pair(right, op.getInputs()[1])})
      for (auto [label, extent] : llvm::zip(term, shapeOf(value)))
        if (llvm::count(term, label) > 1 ||
            extents.try_emplace(label, extent).first->second != extent)
          return "its equation takes a diagonal or broadcasts";
    for (char label : left + right)
      if (bool inLeft = contains(left, label), inRight = contains(right, label);
          inLeft != inRight && !contains(y, label))
        return "its equation sums one operand by itself";
    sort();
    return {};
  }

  int64_t count(StringRef labels) const {
    int64_t product = 1;
    for (char label : labels)
      product *= extents.at(label);
    return product;
  }
  SmallVector<int64_t> shape(StringRef labels) const {
    SmallVector<int64_t> result;
    for (char label : labels)
      result.push_back(extents.at(label));
    return result;
  }

  std::string left, right, y;
  /// Of both and the result, of one and the result, of both only.
  std::string batch, rows, columns, depth;

private:
  static bool contains(StringRef term, char label) {
    return term.contains(label);
  }

  /// Labels that occur once, in alphabetical order.
  std::string implicitResult() const {
    std::string all = left + right, result;
    llvm::sort(all);
    for (char label : all)
      if (StringRef(all).count(label) == 1)
        result += label;
    return result;
  }

  void sort() {
    for (char label : y)
      (!contains(left, label)    ? columns
       : !contains(right, label) ? rows
                                 : batch) += label;
    for (char label : left)
      if (!contains(y, label))
        depth += label;
  }

  std::map<char, int64_t> extents;
};

/// Moves codes of one layer; tensors are called after it.
class Mover {
public:
  Mover(Operation *layer, Lowering &lowering)
      : layer(layer), lowering(lowering) {}

  /// `value`, whose dimensions are `from`, with those in the order of `to` and
  /// in the end under the shape `shape`.
  Value move(Value value, Type type, StringRef from, StringRef to,
             const Contraction &labels, ArrayRef<int64_t> shape,
             const std::string &suffix) {
    auto tensor = cast<RankedTensorType>(type);
    if (from != to) {
      Attributes attributes = lowering.attributes();
      attributes.setList("perm", permutation(from, to));
      value = lowering.emitHelper<nn::TransposeOp>(
          layer, suffix + "_transposed", value, attributes,
          tensor.clone(labels.shape(to)));
    }
    if (shapeOf(value) == shape)
      return value;
    Attributes attributes = lowering.attributes();
    attributes.setList("shape", shape);
    return lowering.emitHelper<nn::ReshapeOp>(layer, suffix, value, attributes,
                                              tensor.clone(shape));
  }

  static SmallVector<int64_t> permutation(StringRef from, StringRef to) {
    SmallVector<int64_t> result;
    for (char label : to)
      result.push_back(int64_t(from.find(label)));
    return result;
  }

private:
  Operation *layer;
  Lowering &lowering;
};

} // namespace

Refusal lowerEinsum(nn::EinsumOp op, Lowering &lowering) {
  Contraction labels;
  if (Refusal refusal = labels.read(op))
    return refusal;
  Value a = op.getInputs()[0], b = op.getInputs()[1];
  if (!hasCodes(a) || !hasCodes(b))
    return "its operands are not codes with one scale each";
  Type type = op.getY().getType();
  if (isQuantized(type) && !hasCodes(op.getY()))
    return "its result has a scale per channel";
  AffineParams from = affineParamsOf(a.getType());
  AffineParams other = affineParamsOf(b.getType());
  int bits =
      lowering.accumulatorBits(storageOf(a.getType()), storageOf(b.getType()));
  int64_t batch = labels.count(labels.batch), rows = labels.count(labels.rows),
          columns = labels.count(labels.columns),
          depth = labels.count(labels.depth);
  lowering.prove(
      op, npu::productBound(depth, reachOf(from), reachOf(other), bits), bits);
  Mover mover(op, lowering);
  Value left = mover.move(lowering.lowered(a), a.getType(), labels.left,
                          labels.batch + labels.rows + labels.depth, labels,
                          {batch, rows, depth}, "_left");
  Value right = mover.move(lowering.lowered(b), b.getType(), labels.right,
                           labels.batch + labels.depth + labels.columns, labels,
                           {batch, depth, columns}, "_right");
  Attributes attributes = productFactors(op, from.scale, other.scale, lowering);
  attributes.set("a_zero_point", from.zeroPoint)
      .set("b_zero_point", other.zeroPoint);
  std::string made = labels.batch + labels.rows + labels.columns;
  SmallVector<int64_t> shape{batch, rows, columns};
  if (made == labels.y && shapeOf(op.getY()) == ArrayRef<int64_t>(shape)) {
    lowering.emit<npu::MatMulOp>(op, {left, right}, attributes);
    return {};
  }
  Value product = lowering.emitHelper<npu::MatMulOp>(
      op, "_product", {left, right}, attributes,
      cast<RankedTensorType>(type).clone(shape));
  Attributes last = lowering.attributes();
  if (made == labels.y) {
    lowering.emit<nn::ReshapeOp>(op, product,
                                 last.setList("shape", shapeOf(op.getY())));
    return {};
  }
  Value split = mover.move(product, type, made, made, labels,
                           labels.shape(made), "_split");
  lowering.emit<nn::TransposeOp>(
      op, split, last.setList("perm", Mover::permutation(made, labels.y)));
  return {};
}

} // namespace parallax::lower
