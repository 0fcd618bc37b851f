//===- ShapeHelpers.h - What shape rules have in common --------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A shape rule reads like the operator's specification if checks and arithmetic
// are words. Attributes come from files and may hold any number, so nothing
// here overflows silently.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_DIALECT_NN_SHAPEHELPERS_H
#define PARALLAX_LIB_DIALECT_NN_SHAPEHELPERS_H

#include "parallax/Dialect/NN/ShapeInference.h"

#include "llvm/Support/MathExtras.h"

namespace parallax::nn {

/// No tensor of a network has more elements; a damaged file may say so.
inline constexpr int64_t maxElements = int64_t(1) << 40;

/// An integer that stays at the largest value once a result does not fit, which
/// is beyond `maxElements` and therefore refused as an extent.
class CheckedInt {
public:
  CheckedInt(int64_t value) : value(value) {}

  int64_t get() const { return overflow ? INT64_MAX : value; }
  bool fits() const { return !overflow; }

  friend CheckedInt operator+(CheckedInt a, CheckedInt b) {
    CheckedInt sum(0);
    sum.overflow = __builtin_add_overflow(a.value, b.value, &sum.value) ||
                   a.overflow || b.overflow;
    return sum;
  }
  friend CheckedInt operator-(CheckedInt a, CheckedInt b) {
    CheckedInt difference(0);
    difference.overflow =
        __builtin_sub_overflow(a.value, b.value, &difference.value) ||
        a.overflow || b.overflow;
    return difference;
  }
  friend CheckedInt operator*(CheckedInt a, CheckedInt b) {
    CheckedInt product(0);
    product.overflow =
        __builtin_mul_overflow(a.value, b.value, &product.value) ||
        a.overflow || b.overflow;
    return product;
  }

private:
  int64_t value;
  bool overflow = false;
};

/// "2x3x4", or "scalar".
std::string shapeText(ArrayRef<int64_t> shape);

inline ArrayRef<int64_t> getShape(Value value) {
  return getTensorType(value).getShape();
}
inline int64_t getRank(Value value) { return getTensorType(value).getRank(); }

/// An operand, an attribute or one of a list, and the name that messages give
/// it.
struct Operand {
  Value value;
  StringRef name;
};
struct List {
  ArrayRef<int64_t> values;
  StringRef name;
};

/// Families of element types; quantized types count as what they express.
enum class Elements { Number, Float, Integer, Index, Bool };

LogicalResult checkElements(Operand operand, Elements kind,
                            const ResultTypes &results);
/// The expressed element types agree. Absent operands are skipped.
LogicalResult checkSameElements(ArrayRef<Operand> operands,
                                const ResultTypes &results);
LogicalResult checkRank(Operand operand, int64_t low, int64_t high,
                        const ResultTypes &results);
inline LogicalResult checkRank(Operand operand, int64_t rank,
                               const ResultTypes &results) {
  return checkRank(operand, rank, rank, results);
}
/// Unknown extents of a shape match everything.
LogicalResult checkShape(Operand operand, ArrayRef<int64_t> expected,
                         const ResultTypes &results);
/// The operand broadcasts to `target` without changing it.
LogicalResult checkBroadcastsTo(Operand operand, ArrayRef<int64_t> target,
                                const ResultTypes &results);
LogicalResult checkLength(StringRef name, size_t actual, size_t expected,
                          const ResultTypes &results);
/// The list has `length` entries, none below `minimum`.
LogicalResult checkList(List list, size_t length, int64_t minimum,
                        const ResultTypes &results);
/// Axes are non-negative, sorted and unique.
LogicalResult checkAxes(ArrayRef<int64_t> axes, int64_t rank,
                        const ResultTypes &results);

/// A window that slides over the spatial dimensions of an operand.
struct SlidingWindow {
  ArrayRef<int64_t> kernel, strides, pads, dilations;

  /// Entries of the kernel including the gaps of dilation.
  CheckedInt reach(size_t dimension) const {
    return (CheckedInt(kernel[dimension]) - 1) * dilations[dimension] + 1;
  }
  CheckedInt padding(size_t dimension) const {
    return CheckedInt(pads[dimension]) + pads[dimension + kernel.size()];
  }
  /// Lists have one entry per spatial dimension (pads two) and make sense.
  LogicalResult check(const ResultTypes &results) const;
  /// The number of stops in every dimension.
  LogicalResult countStops(ArrayRef<int64_t> spatial, bool ceilMode,
                           SmallVectorImpl<int64_t> &stops,
                           const ResultTypes &results) const;
};

} // namespace parallax::nn

#endif // PARALLAX_LIB_DIALECT_NN_SHAPEHELPERS_H
