//===- Resize.cpp - Shape rules: resampling and requantization ------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Operators that compute new samples on another grid, of positions or of
// values.
//===----------------------------------------------------------------------===//
#include "ShapeHelpers.h"

#include <cmath>

namespace parallax::nn {

//===----------------------------------------------------------------------===//
// Grids of positions
//===----------------------------------------------------------------------===//

static LogicalResult checkNotEmpty(Operand operand,
                                   const ResultTypes &results) {
  if (!llvm::is_contained(getShape(operand.value), 0))
    return success();
  return results.fail(operand.name, " of shape ",
                      shapeText(getShape(operand.value)), " is empty");
}

LogicalResult inferResize(ResizeOp::Adaptor op, ResultTypes &results) {
  Operand x{op.getX(), "x"};
  size_t rank = getShape(x.value).size();
  if (failed(checkElements(x, Elements::Number, results)) ||
      failed(checkNotEmpty(x, results)) ||
      failed(checkList({op.getSizes(), "sizes"}, rank, 1, results)) ||
      failed(checkLength("scales", op.getScales().size(), rank, results)))
    return failure();
  for (float scale : op.getScales())
    if (!(scale > 0) || !std::isfinite(scale))
      return results.fail("scales must be positive");
  bool crops = op.getCoordinateMode() == "tf_crop_and_resize";
  if ((crops || !op.getRoi().empty()) &&
      failed(checkLength("roi", op.getRoi().size(), 2 * rank, results)))
    return failure();
  return results.add(op.getSizes(), getExpressedElementType(x.value.getType()));
}

LogicalResult inferGridSample(GridSampleOp::Adaptor op, ResultTypes &results) {
  Operand x{op.getX(), "x"};
  Operand grid{op.getGrid(), "grid"};
  if (failed(checkElements(x, Elements::Number, results)) ||
      failed(checkElements(grid, Elements::Float, results)) ||
      failed(checkRank(x, 3, INT64_MAX, results)) ||
      failed(checkNotEmpty(x, results)) ||
      failed(checkRank(grid, getRank(x.value), results)))
    return failure();
  SmallVector<int64_t> expected(getShape(grid.value));
  expected.front() = getShape(x.value)[0];
  expected.back() = getRank(x.value) - 2;
  if (failed(checkShape(grid, expected, results)))
    return failure();
  SmallVector<int64_t> shape(getShape(x.value).take_front(2));
  llvm::append_range(shape, getShape(grid.value).drop_front().drop_back());
  return results.add(shape, getExpressedElementType(x.value.getType()));
}

LogicalResult inferRoiAlign(RoiAlignOp::Adaptor op, ResultTypes &results) {
  Operand x{op.getX(), "x"};
  Operand rois{op.getRois(), "rois"};
  Operand batch{op.getBatchIndices(), "batch_indices"};
  int64_t size[] = {int64_t(op.getOutputHeight()),
                    int64_t(op.getOutputWidth())};
  if (failed(checkElements(x, Elements::Float, results)) ||
      failed(checkSameElements({x, rois}, results)) ||
      failed(checkElements(batch, Elements::Index, results)) ||
      failed(checkRank(x, 4, results)) || failed(checkNotEmpty(x, results)) ||
      failed(checkRank(rois, 2, results)))
    return failure();
  int64_t count = getShape(rois.value)[0];
  if (failed(checkShape(rois, {count, 4}, results)) ||
      failed(checkShape(batch, count, results)) ||
      failed(checkList({size, "size of the result"}, 2, 1, results)))
    return failure();
  return results.add({count, getShape(x.value)[1], size[0], size[1]},
                     getExpressedElementType(x.value.getType()));
}

//===----------------------------------------------------------------------===//
// Grids of values
//===----------------------------------------------------------------------===//

/// One scale for all, one per entry of `axis`, or one per block along it; and a
/// zero point for every scale.
static LogicalResult checkScale(Value x, Value scale, Value zeroPoint,
                                int64_t axis, int64_t blockSize,
                                const ResultTypes &results) {
  Operand named{scale, "scale"};
  if (failed(checkElements(named, Elements::Float, results)) ||
      (zeroPoint &&
       failed(checkShape({zeroPoint, "zero_point"}, getShape(scale), results))))
    return failure();
  if (blockSize < 0)
    return results.fail("block_size is ", blockSize, ", expected at least 0");
  if (blockSize == 0 && getTensorType(scale).getNumElements() == 1 &&
      getRank(scale) <= 1)
    return success();
  if (failed(normalizeAxis(axis, getRank(x), results)))
    return failure();
  int64_t extent = getShape(x)[axis];
  if (blockSize == 0)
    return checkShape(named, extent, results);
  SmallVector<int64_t> expected(getShape(x));
  expected[axis] = llvm::divideCeilSigned(extent, blockSize);
  return checkShape(named, expected, results);
}

LogicalResult inferColorConvert(ColorConvertOp::Adaptor op,
                                ResultTypes &results) {
  Value x = op.getX();
  Type elements = getExpressedElementType(x.getType());
  if (!elements.isUnsignedInteger(8))
    return results.fail("x has element type ", elements, ", expected ui8");
  if (failed(checkRank({x, "x"}, 4, results)))
    return failure();
  ArrayRef<int64_t> matrix = op.getMatrix();
  if (matrix.size() != 4 && matrix.size() != 12)
    return results.fail("matrix has ", matrix.size(),
                        " entries, expected 4 or 12");
  // 255 of each and a bias can't leave 64 bits then.
  constexpr int64_t largest = int64_t(1) << 36;
  for (int64_t coefficient : matrix)
    if (coefficient < -largest || coefficient > largest)
      return results.fail("matrix holds ", coefficient,
                          ", which is beyond 2^36");

  bool sharesRows = op.getFormat().ends_with("420SP");
  SmallVector<int64_t> shape(nn::getShape(x));
  int64_t samples = sharesRows ? 1 : 2;
  if (shape[3] != samples)
    return results.fail("x has ", shape[3], " channels, expected ", samples,
                        " for ", op.getFormat());
  if (shape[2] % 2 != 0)
    return results.fail("pictures are ", shape[2], " pixels wide, but ",
                        op.getFormat(), " needs an even width");
  if (sharesRows && shape[1] % 3 != 0)
    return results.fail("x has ", shape[1],
                        " rows, expected H rows of luma and H/2 of chroma "
                        "with an even H");
  if (sharesRows)
    shape[1] = shape[1] / 3 * 2;
  shape[3] = int64_t(matrix.size() / 4);
  return results.add(shape, elements);
}

LogicalResult inferQuantizeLinear(QuantizeLinearOp::Adaptor op,
                                  ResultTypes &results) {
  Operand x{op.getX(), "x"};
  Operand zeroPoint{op.getZeroPoint(), "zero_point"};
  if (failed(checkElements(x, Elements::Number, results)) ||
      failed(checkElements(zeroPoint, Elements::Integer, results)) ||
      failed(checkScale(x.value, op.getScale(), zeroPoint.value,
                        int64_t(op.getAxis()), int64_t(op.getBlockSize()),
                        results)))
    return failure();
  return results.add(getShape(x.value),
                     getExpressedElementType(zeroPoint.value.getType()));
}

LogicalResult inferDequantizeLinear(DequantizeLinearOp::Adaptor op,
                                    ResultTypes &results) {
  Operand x{op.getX(), "x"};
  Operand zeroPoint{op.getZeroPoint(), "zero_point"};
  if (failed(checkElements(x, Elements::Integer, results)) ||
      failed(checkSameElements({x, zeroPoint}, results)) ||
      failed(checkScale(x.value, op.getScale(), zeroPoint.value,
                        int64_t(op.getAxis()), int64_t(op.getBlockSize()),
                        results)))
    return failure();
  return results.add(getShape(x.value),
                     getExpressedElementType(op.getScale().getType()));
}

} // namespace parallax::nn
