//===- VerifyShapes.cpp - Shapes of npu operations ------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Attributes come from files and may hold any number, so extents are computed
// in 128 bits.
//===----------------------------------------------------------------------===//
#include "VerifyShapes.h"

#include "parallax/Dialect/NN/ShapeInference.h"
#include "parallax/Support/FixedPoint.h"

namespace parallax::npu {

LogicalResult checkCount(Operation *op, StringRef label, StringRef what,
                         size_t count, int64_t expected) {
  if (int64_t(count) == expected)
    return success();
  return op->emitOpError() << "violates " << label << ": it has " << count
                           << " " << what << " in place of " << expected;
}

LogicalResult checkSameShape(Operation *op, StringRef label, Value x, Value y) {
  if (typeOf(x).getShape() == typeOf(y).getShape())
    return success();
  return op->emitOpError() << "violates " << label << ": its result has "
                           << typeOf(y) << " for an operand of " << typeOf(x);
}

LogicalResult checkResultShape(Operation *op, StringRef label,
                               ArrayRef<int64_t> expected) {
  RankedTensorType found = typeOf(op->getResult(0));
  if (found.getShape() == expected)
    return success();
  return op->emitOpError() << "violates " << label << ": its result is "
                           << found << " in place of " << found.clone(expected);
}

LogicalResult checkBroadcast(Operation *op, StringRef label,
                             ArrayRef<ArrayRef<int64_t>> shapes,
                             ArrayRef<int64_t> rest) {
  SmallVector<Type> ignored;
  nn::ResultTypes results(op->getName().getStringRef(), op->getLoc(),
                          /*dataDependent=*/false, ignored);
  SmallVector<int64_t> shape;
  if (failed(nn::broadcastShapes(shapes, shape, results)))
    return failure();
  llvm::append_range(shape, rest);
  return checkResultShape(op, label, shape);
}

/// How many stops a window has, rounded down and, for `mayRoundUp`, up.
static LogicalResult checkStops(Operation *op, StringRef label,
                                const Window &window, bool transposed,
                                bool mayRoundUp) {
  ArrayRef<int64_t> x = typeOf(op->getOperand(0)).getShape();
  ArrayRef<int64_t> y = typeOf(op->getResult(0)).getShape();
  size_t spatial = window.kernel.size();
  for (size_t i = 0; i < spatial; ++i) {
    Int128 in = x[i + 2], out = y[i + 2];
    int64_t stride = window.strides[i], dilation = window.dilations[i];
    Int128 reach = Int128(window.kernel[i] - 1) * dilation + 1;
    Int128 pads = Int128(window.pads[i]) + window.pads[i + spatial];
    bool fits = in >= 1 && out >= 1;
    if (transposed) {
      // Each rest of the division in C22 has weights of its own.
      if (stride > UINT16_MAX)
        return op->emitOpError()
               << "violates " << label << ": strides of a transposed "
               << "convolution can't be " << stride;
      Int128 extra = out - ((in - 1) * stride + reach - pads);
      fits = fits && extra >= 0 && extra < std::max(stride, dilation);
    } else {
      Int128 room = in + pads - reach, stops = room / stride + 1;
      bool isUp = mayRoundUp && room % stride != 0 && out == stops + 1;
      fits = fits && room >= 0 && (out == stops || isUp);
    }
    if (!fits)
      return op->emitOpError() << "violates " << label << ": windows over "
                               << x[i + 2] << " elements of spatial dimension "
                               << i << " don't give " << y[i + 2];
  }
  return success();
}

static LogicalResult checkLists(Operation *op, StringRef label,
                                const Window &window) {
  RankedTensorType x = typeOf(op->getOperand(0)), y = typeOf(op->getResult(0));
  int64_t spatial = x.getRank() - 2;
  if (spatial < 1 || y.getRank() != x.getRank() ||
      x.getDimSize(0) != y.getDimSize(0))
    return op->emitOpError()
           << "violates " << label << ": windows don't lead from " << x
           << " to " << y;
  struct List {
    StringRef name;
    ArrayRef<int64_t> values;
    int64_t count, least;
  };
  for (const List &list :
       {List{"extents of the window", window.kernel, spatial, 1},
        List{"strides", window.strides, spatial, 1},
        List{"dilations", window.dilations, spatial, 1},
        List{"pads", window.pads, 2 * spatial, 0}}) {
    if (failed(
            checkCount(op, label, list.name, list.values.size(), list.count)))
      return failure();
    for (int64_t value : list.values)
      if (value < list.least || value > INT32_MAX)
        return op->emitOpError() << "violates " << label << ": " << list.name
                                 << " can't be " << value;
  }
  return success();
}

LogicalResult checkWindow(Operation *op, StringRef label, const Window &window,
                          bool transposed) {
  if (failed(checkLists(op, label, window)))
    return failure();
  return checkStops(op, label, window, transposed, /*mayRoundUp=*/false);
}

LogicalResult checkPool(Operation *op, StringRef label, const Window &window,
                        int64_t &taps) {
  if (failed(checkLists(op, label, window)) ||
      failed(checkStops(op, label, window, /*transposed=*/false,
                        /*mayRoundUp=*/true)))
    return failure();
  if (typeOf(op->getOperand(0)).getDimSize(1) !=
      typeOf(op->getResult(0)).getDimSize(1))
    return op->emitOpError()
           << "violates " << label << ": its result has other channels";
  Int128 count = 1;
  for (int64_t extent : window.kernel)
    count = std::min(count * extent, Int128(1) << 62);
  // Kernels list the taps of a window, 8 bytes each.
  if (count > int64_t(1) << 24)
    return op->emitOpError()
           << "violates " << label << ": its window is too large";
  taps = int64_t(count);
  return success();
}

LogicalResult checkReduction(Operation *op, StringRef label,
                             ArrayRef<int64_t> axes) {
  ArrayRef<int64_t> x = typeOf(op->getOperand(0)).getShape();
  SmallVector<int64_t> kept(x), left;
  int64_t previous = -1;
  for (int64_t axis : axes) {
    if (axis <= previous || axis >= int64_t(x.size()))
      return op->emitOpError()
             << "violates " << label << ": axis " << axis
             << " does not exist or is not in ascending order";
    kept[size_t(axis)] = 1;
    previous = axis;
  }
  for (auto [axis, extent] : llvm::enumerate(x))
    if (!llvm::is_contained(axes, int64_t(axis)))
      left.push_back(extent);
  if (typeOf(op->getResult(0)).getShape() == ArrayRef<int64_t>(left))
    return success();
  return checkResultShape(op, label, kept);
}

} // namespace parallax::npu
