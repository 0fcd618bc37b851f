//===- Pool.cpp - Shape rules: pooling ------------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// How often a window fits, and whether every window sees something.
//===----------------------------------------------------------------------===//
#include "ShapeHelpers.h"

namespace parallax::nn {

LogicalResult inferPoolWindow(Value x, const PoolWindow &window, bool indices,
                              ResultTypes &results) {
  if (failed(checkElements({x, "x"}, Elements::Number, results)) ||
      failed(checkRank({x, "x"}, 3, INT64_MAX, results)))
    return failure();
  ArrayRef<int64_t> spatial = getShape(x).drop_front(2);
  SlidingWindow sliding{window.kernel, window.strides, window.pads,
                        window.dilations};
  if (failed(checkLength("kernel", window.kernel.size(), spatial.size(),
                         results)) ||
      failed(sliding.check(results)))
    return failure();
  for (size_t i = 0; i < spatial.size(); ++i)
    if (std::max(window.pads[i], window.pads[i + spatial.size()]) >=
        sliding.reach(i).get())
      return results.fail("padding of spatial dimension ", i,
                          " is as large as the window");

  SmallVector<int64_t> shape(getShape(x).take_front(2));
  if (failed(sliding.countStops(spatial, window.ceilMode, shape, results)) ||
      failed(results.add(shape, getExpressedElementType(x.getType()))))
    return failure();
  if (!indices)
    return success();
  return results.add(shape, mlir::IntegerType::get(x.getContext(), 64));
}

LogicalResult inferGlobalPoolOf(Value x, ResultTypes &results) {
  if (failed(checkElements({x, "x"}, Elements::Float, results)) ||
      failed(checkRank({x, "x"}, 3, INT64_MAX, results)))
    return failure();
  SmallVector<int64_t> shape(getShape(x));
  for (int64_t &extent : MutableArrayRef<int64_t>(shape).drop_front(2)) {
    if (extent == 0)
      return results.fail("x has an empty spatial dimension");
    extent = 1;
  }
  return results.add(shape, getExpressedElementType(x.getType()));
}

} // namespace parallax::nn
