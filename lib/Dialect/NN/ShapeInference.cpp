//===- ShapeInference.cpp - Checks and arithmetic of shape rules ----------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The vocabulary of the shape rules; the rules themselves are in the files of
// their operator families.
//===----------------------------------------------------------------------===//
#include "ShapeHelpers.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

namespace parallax::nn {

using mlir::FloatType;
using mlir::IntegerType;
using mlir::ShapedType;

std::string shapeText(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  return llvm::join(llvm::map_range(shape,
                                    [](int64_t extent) {
                                      return ShapedType::isDynamic(extent)
                                                 ? std::string("?")
                                                 : std::to_string(extent);
                                    }),
                    "x");
}

/// Extents are checked one by one too: beside an extent of 0 any other would
/// give a product of 0.
static bool isReasonable(ArrayRef<int64_t> shape) {
  CheckedInt count(1);
  for (int64_t extent : shape) {
    if (ShapedType::isDynamic(extent))
      continue;
    if (extent < 0 || extent > maxElements)
      return false;
    count = count * extent;
  }
  return count.get() <= maxElements;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult ResultTypes::checkOperands(ValueRange operands) const {
  for (auto [index, operand] : llvm::enumerate(operands)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || !type.hasStaticShape())
      return fail("needs static shapes, but operand #", index, " is ",
                  operand.getType());
    if (!isReasonable(type.getShape()))
      return fail("operand #", index, " of shape ", shapeText(type.getShape()),
                  " is too large");
  }
  return success();
}

LogicalResult ResultTypes::add(ArrayRef<int64_t> shape, Type elementType) {
  bool isKnown = dataDependent || ShapedType::isStaticShape(shape);
  if (!isKnown || !isReasonable(shape))
    return fail("result shape ", shapeText(shape),
                " has a negative extent or is too large");
  types.push_back(RankedTensorType::get(shape, elementType));
  return success();
}

Type getExpressedElementType(Type type) {
  Type element = mlir::getElementTypeOrSelf(type);
  if (auto quantized = dyn_cast<mlir::quant::QuantizedType>(element))
    if (Type expressed = quantized.getExpressedType())
      return expressed;
  return element;
}

bool areCompatibleResults(TypeRange inferred, TypeRange actual) {
  return llvm::equal(inferred, actual, [](Type a, Type b) {
    auto left = dyn_cast<RankedTensorType>(a);
    auto right = dyn_cast<RankedTensorType>(b);
    return left && right && left.getShape() == right.getShape() &&
           getExpressedElementType(left) == getExpressedElementType(right);
  });
}

static bool isOfKind(Type element, Elements kind) {
  bool isBool = element.isSignlessInteger(1);
  switch (kind) {
  case Elements::Number:
    return isa<FloatType, IntegerType>(element) && !isBool;
  case Elements::Float:
    return isa<FloatType>(element);
  case Elements::Integer:
    return isa<IntegerType>(element) && !isBool;
  case Elements::Index:
    return element.isSignlessInteger(32) || element.isSignlessInteger(64);
  case Elements::Bool:
    return isBool;
  }
  return false;
}

LogicalResult checkElements(Operand operand, Elements kind,
                            const ResultTypes &results) {
  static constexpr StringRef names[] = {"number", "float", "integer",
                                        "i32 or i64", "i1"};
  Type element = getExpressedElementType(operand.value.getType());
  if (isOfKind(element, kind))
    return success();
  return results.fail(operand.name, " has element type ", element,
                      ", expected ", names[size_t(kind)]);
}

LogicalResult checkSameElements(ArrayRef<Operand> operands,
                                const ResultTypes &results) {
  Type first = getExpressedElementType(operands.front().value.getType());
  for (Operand operand : operands.drop_front()) {
    if (!operand.value)
      continue;
    Type element = getExpressedElementType(operand.value.getType());
    if (element != first)
      return results.fail(operand.name, " has element type ", element, ", but ",
                          operands.front().name, " has ", first);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult normalizeAxis(int64_t &axis, int64_t rank,
                            const ResultTypes &results) {
  if (axis < -rank || axis >= rank)
    return results.fail("axis ", axis, " is out of range for rank ", rank);
  axis += axis < 0 ? rank : 0;
  return success();
}

LogicalResult checkAxes(ArrayRef<int64_t> axes, int64_t rank,
                        const ResultTypes &results) {
  int64_t previous = -1;
  for (int64_t axis : axes) {
    if (axis <= previous)
      return results.fail("axes must be non-negative, sorted and unique");
    if (axis >= rank)
      return results.fail("axis ", axis, " is out of range for rank ", rank);
    previous = axis;
  }
  return success();
}

LogicalResult broadcastShapes(ArrayRef<ArrayRef<int64_t>> shapes,
                              SmallVectorImpl<int64_t> &result,
                              const ResultTypes &results) {
  result.clear();
  for (ArrayRef<int64_t> shape : shapes) {
    if (shape.size() > result.size())
      result.insert(result.begin(), shape.size() - result.size(), 1);
    size_t offset = result.size() - shape.size();
    for (auto [index, extent] : llvm::enumerate(shape)) {
      int64_t &target = result[offset + index];
      if (target != extent && target != 1 && extent != 1)
        return results.fail(
            "shapes ", llvm::join(llvm::map_range(shapes, shapeText), " and "),
            " do not broadcast");
      if (target == 1)
        target = extent;
    }
  }
  return success();
}

LogicalResult checkBroadcastsTo(Operand operand, ArrayRef<int64_t> target,
                                const ResultTypes &results) {
  ArrayRef<int64_t> shape = getShape(operand.value);
  bool matches =
      shape.size() <= target.size() &&
      llvm::all_of(llvm::zip(llvm::reverse(shape), llvm::reverse(target)),
                   [](auto pair) {
                     auto [extent, wanted] = pair;
                     return extent == 1 || extent == wanted;
                   });
  if (matches)
    return success();
  return results.fail(operand.name, " of shape ", shapeText(shape),
                      " does not broadcast to ", shapeText(target));
}

LogicalResult checkRank(Operand operand, int64_t low, int64_t high,
                        const ResultTypes &results) {
  int64_t rank = getRank(operand.value);
  if (rank >= low && rank <= high)
    return success();
  if (low == high)
    return results.fail(operand.name, " has rank ", rank, ", expected ", low);
  if (rank < low)
    return results.fail(operand.name, " has rank ", rank,
                        ", expected at least ", low);
  return results.fail(operand.name, " has rank ", rank, ", expected at most ",
                      high);
}

LogicalResult checkShape(Operand operand, ArrayRef<int64_t> expected,
                         const ResultTypes &results) {
  ArrayRef<int64_t> shape = getShape(operand.value);
  bool matches = shape.size() == expected.size() &&
                 llvm::all_of(llvm::zip(shape, expected), [](auto pair) {
                   auto [extent, wanted] = pair;
                   return extent == wanted || ShapedType::isDynamic(extent) ||
                          ShapedType::isDynamic(wanted);
                 });
  if (matches)
    return success();
  return results.fail(operand.name, " has shape ", shapeText(shape),
                      ", expected ", shapeText(expected));
}

LogicalResult checkLength(StringRef name, size_t actual, size_t expected,
                          const ResultTypes &results) {
  if (actual == expected)
    return success();
  return results.fail(name, " has ", actual, " entries, expected ", expected);
}

LogicalResult checkList(List list, size_t length, int64_t minimum,
                        const ResultTypes &results) {
  if (failed(checkLength(list.name, list.values.size(), length, results)))
    return failure();
  for (int64_t value : list.values)
    if (value < minimum)
      return results.fail(list.name, " has entry ", value,
                          ", expected at least ", minimum);
  return success();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

LogicalResult SlidingWindow::check(const ResultTypes &results) const {
  size_t dimensions = kernel.size();
  return success(
      succeeded(checkList({kernel, "kernel"}, dimensions, 1, results)) &&
      succeeded(checkList({strides, "strides"}, dimensions, 1, results)) &&
      succeeded(checkList({dilations, "dilations"}, dimensions, 1, results)) &&
      succeeded(checkList({pads, "pads"}, 2 * dimensions, 0, results)));
}

LogicalResult SlidingWindow::countStops(ArrayRef<int64_t> spatial,
                                        bool ceilMode,
                                        SmallVectorImpl<int64_t> &stops,
                                        const ResultTypes &results) const {
  for (auto [index, extent] : llvm::enumerate(spatial)) {
    CheckedInt room = CheckedInt(extent) + padding(index) - reach(index);
    if (!room.fits())
      return results.fail("window of spatial dimension ", index,
                          " is too large");
    int64_t stride = strides[index];
    int64_t steps = ceilMode ? llvm::divideCeilSigned(room.get(), stride)
                             : llvm::divideFloorSigned(room.get(), stride);
    // A last window that sees nothing but the padding at the end is dropped.
    if (ceilMode && steps > 0 &&
        (CheckedInt(steps) * stride).get() >= extent + pads[index])
      --steps;
    if (extent == 0 || steps < 0)
      return results.fail("window of spatial dimension ", index,
                          " is larger than the padded extent");
    stops.push_back((CheckedInt(steps) + 1).get());
  }
  return success();
}

} // namespace parallax::nn
