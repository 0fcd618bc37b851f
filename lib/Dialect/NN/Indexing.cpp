//===- Indexing.cpp - Shape rules: gather, scatter and the like -----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Operators whose elements come from or go to where another operand says.
//===----------------------------------------------------------------------===//
#include "ShapeHelpers.h"

namespace parallax::nn {

using mlir::IntegerType;
using mlir::ShapedType;

static LogicalResult checkIndices(Value indices, const ResultTypes &results) {
  return checkElements({indices, "indices"}, Elements::Index, results);
}

/// `head` and then `tail`.
static SmallVector<int64_t> join(ArrayRef<int64_t> head,
                                 ArrayRef<int64_t> tail) {
  SmallVector<int64_t> shape(head);
  llvm::append_range(shape, tail);
  return shape;
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

LogicalResult inferGather(GatherOp::Adaptor op, ResultTypes &results) {
  ArrayRef<int64_t> data = getShape(op.getData());
  int64_t axis = op.getAxis();
  if (failed(checkIndices(op.getIndices(), results)) ||
      failed(normalizeAxis(axis, int64_t(data.size()), results)))
    return failure();
  SmallVector<int64_t> shape =
      join(data.take_front(axis), getShape(op.getIndices()));
  return results.add(join(shape, data.drop_front(axis + 1)),
                     getExpressedElementType(op.getData().getType()));
}

/// Indices that choose elements along one axis: as many dimensions as the data,
/// and nowhere but along the axis more entries.
static LogicalResult checkElementIndices(Value data, Value indices,
                                         int64_t axis,
                                         const ResultTypes &results) {
  int64_t rank = getRank(data);
  if (failed(checkIndices(indices, results)) ||
      failed(normalizeAxis(axis, rank, results)) ||
      failed(checkRank({indices, "indices"}, rank, results)))
    return failure();
  for (auto [i, available, wanted] :
       llvm::enumerate(getShape(data), getShape(indices)))
    if (int64_t(i) != axis && wanted > available)
      return results.fail("indices has ", wanted, " entries in dimension ", i,
                          ", but data has ", available);
  return success();
}

LogicalResult inferGatherElements(GatherElementsOp::Adaptor op,
                                  ResultTypes &results) {
  if (failed(checkElementIndices(op.getData(), op.getIndices(),
                                 int64_t(op.getAxis()), results)))
    return failure();
  return results.add(getShape(op.getIndices()),
                     getExpressedElementType(op.getData().getType()));
}

LogicalResult inferScatterElements(ScatterElementsOp::Adaptor op,
                                   ResultTypes &results) {
  Operand updates{op.getUpdates(), "updates"};
  if (failed(checkElementIndices(op.getData(), op.getIndices(),
                                 int64_t(op.getAxis()), results)) ||
      failed(checkSameElements({{op.getData(), "data"}, updates}, results)) ||
      failed(checkShape(updates, getShape(op.getIndices()), results)))
    return failure();
  return inferSameTypeAs(op.getData(), results);
}

/// The last dimension of `indices` holds tuples that address `data` from
/// dimension `batch` on.
static LogicalResult checkTuples(Value data, Value indices, int64_t batch,
                                 const ResultTypes &results) {
  if (failed(checkIndices(indices, results)) ||
      failed(checkRank({data, "data"}, 1, INT64_MAX, results)) ||
      failed(checkRank({indices, "indices"}, 1, INT64_MAX, results)))
    return failure();
  int64_t length = getShape(indices).back();
  if (length < 1 || length > getRank(data) - batch)
    return results.fail("indices has tuples of ", length, " for ",
                        getRank(data) - batch, " dimensions of data");
  return success();
}

LogicalResult inferGatherND(GatherNDOp::Adaptor op, ResultTypes &results) {
  ArrayRef<int64_t> data = getShape(op.getData());
  ArrayRef<int64_t> indices = getShape(op.getIndices());
  int64_t batch = op.getBatchDims();
  if (batch < 0 || batch >= int64_t(std::min(data.size(), indices.size())))
    return results.fail("batch_dims is ", batch, " for operands of rank ",
                        data.size(), " and ", indices.size());
  if (data.take_front(batch) != indices.take_front(batch))
    return results.fail("batch dimensions of data and indices differ");
  if (failed(checkTuples(op.getData(), op.getIndices(), batch, results)))
    return failure();
  return results.add(
      join(indices.drop_back(), data.drop_front(batch + indices.back())),
      getExpressedElementType(op.getData().getType()));
}

LogicalResult inferScatterND(ScatterNDOp::Adaptor op, ResultTypes &results) {
  ArrayRef<int64_t> data = getShape(op.getData());
  ArrayRef<int64_t> indices = getShape(op.getIndices());
  Operand updates{op.getUpdates(), "updates"};
  if (failed(checkTuples(op.getData(), op.getIndices(), 0, results)) ||
      failed(checkSameElements({{op.getData(), "data"}, updates}, results)) ||
      failed(checkShape(
          updates, join(indices.drop_back(), data.drop_front(indices.back())),
          results)))
    return failure();
  return inferSameTypeAs(op.getData(), results);
}

//===----------------------------------------------------------------------===//
// Sequences, indicators and boxes
//===----------------------------------------------------------------------===//

LogicalResult inferOneHot(OneHotOp::Adaptor op, ResultTypes &results) {
  SmallVector<int64_t> shape(getShape(op.getIndices()));
  int64_t axis = op.getAxis();
  int64_t depth = op.getDepth();
  if (failed(checkElements({op.getIndices(), "indices"}, Elements::Number,
                           results)) ||
      failed(checkShape({op.getValues(), "values"}, {2}, results)) ||
      failed(checkList({depth, "depth"}, 1, 1, results)) ||
      failed(normalizeAxis(axis, int64_t(shape.size()) + 1, results)))
    return failure();
  shape.insert(shape.begin() + axis, depth);
  return results.add(shape, getExpressedElementType(op.getValues().getType()));
}

LogicalResult inferNonZero(NonZeroOp::Adaptor op, ResultTypes &results) {
  return results.add({getRank(op.getX()), ShapedType::kDynamic},
                     IntegerType::get(op.getX().getContext(), 64));
}

LogicalResult inferReverseSequence(ReverseSequenceOp::Adaptor op,
                                   ResultTypes &results) {
  int64_t batch = op.getBatchAxis();
  int64_t time = op.getTimeAxis();
  Operand lengths{op.getSequenceLens(), "sequence_lens"};
  if (failed(checkRank({op.getX(), "x"}, 2, INT64_MAX, results)) ||
      failed(checkElements(lengths, Elements::Index, results)))
    return failure();
  if (std::min(batch, time) != 0 || std::max(batch, time) != 1)
    return results.fail("batch_axis and time_axis must be 0 and 1, but are ",
                        batch, " and ", time);
  if (failed(checkShape(lengths, getShape(op.getX())[batch], results)))
    return failure();
  return inferSameTypeAs(op.getX(), results);
}

LogicalResult inferNonMaxSuppression(NonMaxSuppressionOp::Adaptor op,
                                     ResultTypes &results) {
  Operand boxes{op.getBoxes(), "boxes"};
  Operand scores{op.getScores(), "scores"};
  if (failed(checkElements(boxes, Elements::Float, results)) ||
      failed(checkSameElements({boxes, scores}, results)) ||
      failed(checkRank(boxes, 3, results)) ||
      failed(checkRank(scores, 3, results)))
    return failure();
  ArrayRef<int64_t> shape = getShape(boxes.value);
  if (failed(checkShape(boxes, {shape[0], shape[1], 4}, results)) ||
      failed(checkShape(scores, {shape[0], getShape(scores.value)[1], shape[1]},
                        results)))
    return failure();
  float threshold = op.getIouThreshold().convertToFloat();
  if (!(threshold >= 0 && threshold <= 1))
    return results.fail("iou_threshold must be between 0 and 1");
  return results.add({ShapedType::kDynamic, 3},
                     IntegerType::get(op.getBoxes().getContext(), 64));
}

} // namespace parallax::nn
