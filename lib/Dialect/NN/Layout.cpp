//===- Layout.cpp - Shape rules: data movement ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Rules of the operators that rearrange whole tensors. Where elements come from
// is known from attributes, so nothing is left to check at run time.
//===----------------------------------------------------------------------===//
#include "ShapeHelpers.h"

#include "llvm/ADT/SmallBitVector.h"

namespace parallax::nn {

/// Adds a result with the elements of `x` under another shape.
static LogicalResult addMoved(Value x, ArrayRef<int64_t> shape,
                              ResultTypes &results) {
  return results.add(shape, getExpressedElementType(x.getType()));
}

LogicalResult inferConstant(ConstantOp::Adaptor op, ResultTypes &results) {
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (!type)
    return results.fail("value must be a tensor, but is ",
                        op.getValue().getType());
  return results.add(type.getShape(), type.getElementType());
}

//===----------------------------------------------------------------------===//
// Other shapes for the same elements
//===----------------------------------------------------------------------===//

LogicalResult inferReshape(ReshapeOp::Adaptor op, ResultTypes &results) {
  ArrayRef<int64_t> shape = op.getShape();
  if (failed(checkList({shape, "shape"}, shape.size(), 0, results)))
    return failure();
  CheckedInt count(1);
  for (int64_t extent : shape)
    count = count * extent;
  if (!count.fits() || count.get() != getTensorType(op.getX()).getNumElements())
    return results.fail("cannot reshape ", shapeText(nn::getShape(op.getX())),
                        " to ", shapeText(shape));
  return addMoved(op.getX(), shape, results);
}

LogicalResult inferTranspose(TransposeOp::Adaptor op, ResultTypes &results) {
  ArrayRef<int64_t> extents = getShape(op.getX());
  ArrayRef<int64_t> perm = op.getPerm();
  if (failed(checkList({perm, "perm"}, extents.size(), 0, results)))
    return failure();
  llvm::SmallBitVector seen(extents.size());
  SmallVector<int64_t> shape;
  for (int64_t source : perm) {
    if (source >= int64_t(extents.size()) || seen.test(unsigned(source)))
      return results.fail("perm is not a permutation of the dimensions");
    seen.set(unsigned(source));
    shape.push_back(extents[source]);
  }
  return addMoved(op.getX(), shape, results);
}

LogicalResult inferDepthToSpace(DepthToSpaceOp::Adaptor op,
                                ResultTypes &results) {
  int64_t block = op.getBlocksize();
  if (failed(checkRank({op.getX(), "x"}, 4, results)) ||
      failed(checkList({block, "blocksize"}, 1, 1, results)))
    return failure();
  SmallVector<int64_t> shape(getShape(op.getX()));
  int64_t area = (CheckedInt(block) * block).get();
  if (shape[1] % area != 0)
    return results.fail("cannot divide ", shape[1], " channels into blocks of ",
                        block, "x", block);
  shape[1] /= area;
  for (int64_t &extent : MutableArrayRef<int64_t>(shape).drop_front(2))
    extent = (CheckedInt(extent) * block).get();
  return addMoved(op.getX(), shape, results);
}

LogicalResult inferSpaceToDepth(SpaceToDepthOp::Adaptor op,
                                ResultTypes &results) {
  int64_t block = op.getBlocksize();
  if (failed(checkRank({op.getX(), "x"}, 4, results)) ||
      failed(checkList({block, "blocksize"}, 1, 1, results)))
    return failure();
  SmallVector<int64_t> shape(getShape(op.getX()));
  if (shape[2] % block != 0 || shape[3] % block != 0)
    return results.fail("cannot divide ", shape[2], "x", shape[3],
                        " pixels into blocks of ", block, "x", block);
  shape[1] = (CheckedInt(shape[1]) * block * block).get();
  shape[2] /= block;
  shape[3] /= block;
  return addMoved(op.getX(), shape, results);
}

LogicalResult inferChannelShuffle(ChannelShuffleOp::Adaptor op,
                                  ResultTypes &results) {
  if (failed(checkRank({op.getX(), "x"}, 2, INT64_MAX, results)))
    return failure();
  int64_t groups = op.getGroups();
  int64_t channels = getShape(op.getX())[1];
  if (groups < 1 || channels % groups != 0)
    return results.fail("cannot divide ", channels, " channels into ", groups,
                        " groups");
  return inferSameTypeAs(op.getX(), results);
}

//===----------------------------------------------------------------------===//
// More or fewer elements
//===----------------------------------------------------------------------===//

LogicalResult inferExpand(ExpandOp::Adaptor op, ResultTypes &results) {
  ArrayRef<int64_t> target = op.getShape();
  SmallVector<int64_t> shape;
  if (failed(checkList({target, "shape"}, target.size(), 0, results)) ||
      failed(
          broadcastShapes({nn::getShape(op.getX()), target}, shape, results)))
    return failure();
  return addMoved(op.getX(), shape, results);
}

LogicalResult inferTile(TileOp::Adaptor op, ResultTypes &results) {
  ArrayRef<int64_t> repeats = op.getRepeats();
  SmallVector<int64_t> shape(getShape(op.getX()));
  if (failed(checkList({repeats, "repeats"}, shape.size(), 0, results)))
    return failure();
  for (auto [extent, times] : llvm::zip(shape, repeats))
    extent = (CheckedInt(extent) * times).get();
  return addMoved(op.getX(), shape, results);
}

LogicalResult inferTrilu(TriluOp::Adaptor op, ResultTypes &results) {
  if (failed(checkRank({op.getX(), "x"}, 2, INT64_MAX, results)))
    return failure();
  return inferSameTypeAs(op.getX(), results);
}

LogicalResult inferSlice(SliceOp::Adaptor op, ResultTypes &results) {
  ArrayRef<int64_t> extents = getShape(op.getX());
  ArrayRef<int64_t> starts = op.getStarts();
  ArrayRef<int64_t> sizes = op.getSizes();
  ArrayRef<int64_t> steps = op.getSteps();
  size_t rank = extents.size();
  if (failed(checkLength("starts", starts.size(), rank, results)) ||
      failed(checkList({sizes, "sizes"}, rank, 0, results)) ||
      failed(checkLength("steps", steps.size(), rank, results)))
    return failure();
  for (auto [i, extent] : llvm::enumerate(extents)) {
    if (steps[i] == 0)
      return results.fail("step of dimension ", i, " is 0");
    if (sizes[i] == 0)
      continue;
    CheckedInt last = CheckedInt(starts[i]) +
                      (CheckedInt(sizes[i]) - 1) * CheckedInt(steps[i]);
    if (starts[i] < 0 || starts[i] >= extent || last.get() < 0 ||
        last.get() >= extent)
      return results.fail("slice leaves dimension ", i, " of extent ", extent);
  }
  return addMoved(op.getX(), sizes, results);
}

/// The extent of one dimension after padding. Cropping comes first: what a
/// border repeats are elements that are left.
static LogicalResult padDimension(int64_t &extent, int64_t begin, int64_t end,
                                  StringRef mode, const ResultTypes &results) {
  int64_t crop = std::min<int64_t>(begin, 0);
  CheckedInt left = CheckedInt(extent) + crop + std::min<int64_t>(end, 0);
  int64_t widest = std::max(begin, end);
  if (!left.fits() || left.get() < 0)
    return results.fail("pads crop more than an extent of ", extent);
  if (mode == "reflect" && widest > 0 && widest >= left.get())
    return results.fail("cannot reflect ", widest, " of ", left.get(),
                        " elements");
  if (mode != "constant" && widest > 0 && left.get() == 0)
    return results.fail("cannot pad an empty dimension with mode ", mode);
  extent = (CheckedInt(extent) + begin + end).get();
  return success();
}

LogicalResult inferPad(PadOp::Adaptor op, ResultTypes &results) {
  SmallVector<int64_t> shape(getShape(op.getX()));
  ArrayRef<int64_t> pads = op.getPads();
  if (failed(checkLength("pads", pads.size(), 2 * shape.size(), results)))
    return failure();
  for (auto [i, extent] : llvm::enumerate(shape))
    if (failed(padDimension(extent, pads[i], pads[i + shape.size()],
                            op.getMode(), results)))
      return failure();
  return addMoved(op.getX(), shape, results);
}

//===----------------------------------------------------------------------===//
// Several operands or results
//===----------------------------------------------------------------------===//

LogicalResult inferConcat(ConcatOp::Adaptor op, ResultTypes &results) {
  ValueRange inputs = op.getInputs();
  if (inputs.empty())
    return results.fail("needs at least one operand");
  SmallVector<int64_t> shape(getShape(inputs[0]));
  int64_t axis = op.getAxis();
  if (failed(normalizeAxis(axis, int64_t(shape.size()), results)))
    return failure();
  for (Value input : inputs.drop_front()) {
    SmallVector<int64_t> expected(shape);
    if (getRank(input) == int64_t(shape.size()))
      expected[axis] = getShape(input)[axis];
    if (failed(checkSameElements(
            {{inputs[0], "the first operand"}, {input, "an operand"}},
            results)) ||
        failed(checkShape({input, "an operand"}, expected, results)))
      return failure();
    shape[axis] = (CheckedInt(shape[axis]) + expected[axis]).get();
  }
  return addMoved(inputs[0], shape, results);
}

LogicalResult inferSplit(SplitOp::Adaptor op, ResultTypes &results) {
  SmallVector<int64_t> shape(getShape(op.getX()));
  int64_t axis = op.getAxis();
  ArrayRef<int64_t> sizes = op.getSizes();
  if (failed(normalizeAxis(axis, int64_t(shape.size()), results)) ||
      failed(checkList({sizes, "sizes"}, sizes.size(), 0, results)))
    return failure();
  CheckedInt sum(0);
  for (int64_t size : sizes)
    sum = sum + size;
  int64_t extent = shape[axis];
  if (!sum.fits() || sum.get() != extent)
    return results.fail("sizes do not add up to the extent of ", extent);
  for (int64_t size : sizes) {
    shape[axis] = size;
    if (failed(addMoved(op.getX(), shape, results)))
      return failure();
  }
  return success();
}

} // namespace parallax::nn
